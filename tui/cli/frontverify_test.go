package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
)

// A front is verified on a virtual board: its modes are measured, printed beside the predictions, added to the model,
// and counted as measured on the front.
func TestFrontIsVerifiedAndCorrected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	campaign, model, refit := filepath.Join(dir, "campaign"), filepath.Join(dir, "model"), filepath.Join(dir, "refit")
	jtune(t, with(smallBoard, "profile", "resnet18", "--modes", "10", "--out", campaign)...).done(t)
	jtune(t, "fit", "--samples", campaign, "--out", model).done(t)

	checks := filepath.Join(dir, "checks")
	o := jtune(t, with(smallBoard, "front", "--model", model, "--verify", "3", "--budgets", "6:12:2", "--out",
		checks, "--refit", refit)...).done(t)
	front, verified, ok := strings.Cut(strings.TrimSpace(o.out), "\n\n")
	if lines := strings.Split(verified, "\n"); !ok || len(lines) != 4 || !strings.HasPrefix(lines[0], "verified") ||
		strings.Count(verified, "%") != 6 {
		t.Errorf("want three verified modes with their deviations, got:\n%s", verified)
	}
	must.Contain(t, front, "measured", "predicted")
	before := must.Get(learn.Load(model))(t)
	after := must.Get(learn.Load(refit))(t)
	if len(before.Samples) != 10 || len(after.Samples) != 13 || !after.CV.Known() ||
		after.Provenance.Workload != "resnet18" {
		t.Errorf("the model has %d samples, the corrected one %d, provenance %+v", len(before.Samples),
			len(after.Samples), after.Provenance)
	}
	again := jtune(t, "fit", "--samples", checks, "--out", filepath.Join(dir, "of-checks")).done(t)
	must.Contain(t, again.out, "samples          3")

	for _, p := range array(t, jtune(t, with(smallBoard, "front", "--model", model, "--verify", "1",
		"--json")...).done(t).out) {
		has(t, p, "measured != null", "time_ms != null")
	}
}

func TestVerifyingAFrontThatCannotBe(t *testing.T) {
	t.Parallel()
	model, _ := fitWholeToy(t)
	o := jtune(t, with(virtualBoard, "front", "--model", model, "--verify", "3", "--workload", "resnet18")...).done(t)
	must.Contain(t, o.err, "nothing to verify")
	must.Lack(t, o.err, "recorded in")
	must.Lack(t, o.out, "verified")
}

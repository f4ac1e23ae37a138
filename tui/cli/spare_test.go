package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
)

// A result never replaces what a command reads, by whatever name, nor what jtune recorded.
func TestSpareKeepsInputsAndRecords(t *testing.T) {
	t.Parallel()
	sweep, _ := toySweep(t)
	before := must.Read(t, sweep)
	dir := t.TempDir()
	soft, hard, model := filepath.Join(dir, "soft.svg"), filepath.Join(dir, "hard.csv"), filepath.Join(dir, "a.model")
	must.NoError(t, os.Symlink(sweep, soft))
	must.NoError(t, os.Link(sweep, hard))
	campaign := filepath.Join(dir, "C")
	jtune(t, with(replay(sweep), "profile", "label", "--sample", "4", "--out", campaign)...).done(t)
	fit := []string{"models", "fit", "--no-cv", "--method", "linear", "--samples"}
	jtune(t, with(fit, sweep, "--out", model)...).done(t)
	for _, args := range [][]string{
		with(fit, sweep, "--out", sweep),
		with(fit, sweep, "--out", hard),
		{"front", "--samples", sweep, "--svg", soft},
		{"plot", "box", "--samples", sweep, "--out", soft},
		{"report", campaign, "--out", filepath.Join(campaign, "modes.csv")},
		with(fit, campaign, "--out", filepath.Join(campaign, "campaign.toml")),
		with(fit, sweep, "--reference", model, "--out", model),
		with(replay(sweep), "doctor", "--bundle", sweep),
	} {
		o := jtune(t, args...)
		o.fails(t, exitUsage, "choose another file")
	}
	must.Equal(t, before, must.Read(t, sweep))
	jtune(t, with(fit, sweep, "--out", model)...).done(t) // a model may be replaced
	page := filepath.Join(campaign, "page.html")
	for range 2 {
		jtune(t, "report", campaign, "--out", page).done(t)
	}
}

func TestRecordedNamesTheFilesOfACampaign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := with(virtualBoard, "--data-dir", dir)
	jtune(t, with(args, "run", "lstm", "--minibatches", "40")...).done(t)
	jtune(t, with(args, "tune", "lstm", "--power-limit", "30", "--probes", "3", "--baseline", "none")...).done(t)
	jtune(t, with(args, "soak", "lstm", "--for", "20s")...).done(t)
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		under, _ := filepath.Rel(dir, path)
		if d.IsDir() || filepath.Dir(filepath.Dir(under)) == "." {
			return err
		}
		if files++; !isRecorded(path) {
			t.Errorf("%s is not among the recorded files", under)
		}
		return err
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
}

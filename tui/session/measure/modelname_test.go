package measure

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// The name of a workload means the present board's model, and each board of a folder has its own.
func TestModelOfAWorkloadIsThePresentBoards(t *testing.T) {
	t.Parallel()
	paths := config.Paths{DataDir: t.TempDir()}
	for _, board := range []string{"agx-orin", "tx2"} {
		s := sessiontest.Open(t, session.Options{Device: "virtual:" + board, Speed: math.Inf(1), Paths: paths})
		w, err := workloads.Find(s, "resnet18")
		must.NoError(t, err)
		_, err = Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 4}, nil)
		must.NoError(t, err)
	}
	for board, device := range map[string]string{"agx-orin": "AGX Orin", "tx2": "TX2"} {
		o := session.Options{Device: "virtual:" + board, Speed: math.Inf(1), Paths: paths}
		for _, name := range []string{"resnet18", "resnet", "resnet18@virtual-" + board} {
			m, err := models.Load(o, name)
			if err != nil || m.Provenance.Device != device {
				t.Errorf("%s on %s: %v, want the model of %s", name, board, err, device)
			}
		}
	}
	_, err := models.Load(session.Options{Device: "virtual:nano", Speed: math.Inf(1), Paths: paths}, "resnet18")
	if err == nil || !strings.Contains(err.Error(), "no model of resnet18 for this board, only for others") ||
		strings.Contains(err.Error(), "nearest") {
		t.Errorf("on a board where nothing was learned: %v", err)
	}
}

// A model that an earlier version kept goes on under its name, which opens it.
func TestModelOfAnOlderNameGoesOnUnderIt(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 0)
	profile := func() string {
		t.Helper()
		res := must.Get(Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 3}, nil))(t)
		return filepath.Base(res.Kept)
	}
	name := profile()
	older := filepath.Join(s.Options.ModelsDir(), "lstm-virtual.model")
	must.NoError(t, os.Rename(filepath.Join(s.Options.ModelsDir(), name), older))
	if got := profile(); got != "lstm-virtual.model" {
		t.Errorf("kept as %s", got)
	}
	for _, name := range []string{"lstm-virtual", "lstm"} {
		if _, err := models.Load(s.Options, name); err != nil {
			t.Error(err)
		}
	}
}

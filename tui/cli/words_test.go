package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

// The answer is not followed by advice that would be the same after every answer: jtune ask explain prints that.
func TestChooseSaysNothingThatEveryAnswerSays(t *testing.T) {
	t.Parallel()
	model := filepath.Join(t.TempDir(), "m")
	jtune(t, "fit", "--samples", sampleFile(t, 12), "--out", model, "--device", "virtual:agx-orin").done(t)
	out := jtune(t, "choose", "--model", model, "--power-limit", "30").done(t).out
	must.Lack(t, out, "tune once", "halving one setting")
	if n := strings.Count(out, "\n"); n > 13 {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

// The grid on boards other than the paper's is not called the paper's.
func TestGridIsNotSaidToBeThePapers(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"modes", "profile"} {
		help := strings.Join(strings.Fields(jtune(t, command, "--help-all").done(t).out), " ")
		_, grid, found := strings.Cut(help, "--grid")
		if !found || !strings.Contains(grid, "evenly spaced subset") || strings.Contains(grid[:200], "paper") {
			t.Errorf("%s --help: %q", command, grid)
		}
	}
}

func TestRunOfACommandBesideAVirtualBoardNeedsRealTime(t *testing.T) {
	t.Parallel()
	config := write(t, "[workload.mine]\ncommand = [\"true\"]\n")
	jtune(t, append([]string{"run", "mine", "--config", config}, virtualBoard...)...).
		fails(t, exitUsage, "use --speed 1")
}

package train

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/profiles/harness"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/measure"
)

func TestPairShowsBothJobsAgainstTheirLimits(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	d.State.Tasks.Own = pagetest.Pairing(d.Board, false)
	d.Sees("resnet18 + mobilenet-infer", "pair 2",
		"of what it does alone", "60.0 requests/s", "p99 ~190.0", "~ within so far",
		"predicted", "█ training  ▒ inference  · idle", "x stop")
	if d.Press("x"); d.Want() != (page.Stop{}) {
		t.Error("x does not stop it")
	}
	if d.Press("a"); d.Want() != nil {
		t.Error("a mode can be applied while pairs are measured")
	}
	d.State.Tasks.Own = pagetest.Pairing(d.Board, true)
	d.Sees("✓ measured as a pair", "✓ measured within", "leaves the GPU idle", "inference alone")
	d.Press("a")
	if does, ok := d.Want().(page.Apply); !ok || does.AtOnce || does.Mode != d.State.Tasks.Own.Paired.Mode {
		t.Errorf("a asks for %+v", does)
	}
	d.State.Tasks.Own.Stopped = true
	d.Sees("stopped by you", "The best pair until then")
	d.Press("esc")
	d.Sees("Workloads", "runs here")
	if d.Press("enter"); d.Want() == nil {
		t.Error("after the answer no workload can be run")
	}
}

func TestPairThatKeepsNoLimitSaysSo(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Pairing(d.Board, true)
	j.Paired.Feasible, j.Err = false, optimize.ErrInfeasible
	d.State.Tasks.Own = j
	d.Sees("✗ no measured pair meets the limits", "The nearest pair, measured")
	j.Paired.Feasible, j.Err, j.Paired.TrainPerS = true, nil, 0
	d.Sees("✗ trains nothing: no minibatch fits between two batches")
	j.Paired.Feasible, j.Err = false, optimize.ErrInfeasible
	j.Paired, j.Err = nil, errors.New("the board is too hot")
	d.Sees("ended: the board is too hot", "no pair was measured", "apply (no pair was measured)")
	if d.Press("a"); d.Want() != nil {
		t.Error("it applies a mode that nobody measured")
	}
	j.Err = errors.New(strings.Repeat("a long text, ", 10) + "and what to do: reboot")
	for _, w := range []int{80, 120} {
		d.Size(w, 24)
		d.Sees("reboot")
	}
}

// The strip has a glyph for each turn and one for a longer pause before it, newest at the end.
func TestStripShowsTheNewestTurns(t *testing.T) {
	t.Parallel()
	train := measure.PairTurn{Job: harness.JobTrain, MS: 50}
	late := measure.PairTurn{Job: harness.JobTrain, MS: 50, Late: true}
	serve := measure.PairTurn{Job: harness.JobInfer, MS: 20, GapMS: 10}
	turns := []measure.PairTurn{train, train, serve, train, late}
	must.Equal(t, strings.TrimSpace(ansi.Strip(strip(turns, 40, false))), "GPU ██·▒█▓")
	must.Equal(t, strings.TrimSpace(ansi.Strip(strip(turns, 9, false))), "GPU ·▒█▓")
	must.Contain(t, strip(turns, 90, true), "▓ late")
}

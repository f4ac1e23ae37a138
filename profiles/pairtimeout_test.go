package profiles

import (
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra/virtual"
)

// A pair whose time passes before its last part has no time or power of both jobs, however much the early part showed.
func TestBenchPairThatIsNotCompleteInItsTimeIsNoMeasurement(t *testing.T) {
	t.Parallel()
	r := newRig(t, "mobilenet-infer", virtual.Options{})
	list := must.Get(workload.Load(""))(t)
	train, _ := workload.Find(list, "resnet18")
	r.bench.Pairing = &Pairing{Policy: "strict"}
	r.bench.Settings.ModeTimeout = 40 * time.Second
	r.bench.NewHarness = workload.Pair{Train: train, Infer: r.bench.Workload}.NewHarness(
		workload.HarnessOptions{Virtual: r.board, Clock: r.board.Clock()},
		turns.Options{Turns: arrivals.Turns{Tau: math.MaxInt}, MaxWait: 100 * time.Millisecond,
			Load: arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 10}})
	row, err := r.bench.Measure(t.Context(), Step{AsFound: true})
	if err != nil || row.Status != record.TimedOut || !strings.HasSuffix(row.Why, " in 40s") ||
		row.Minibatches < fewestClean {
		t.Errorf("%v, status %s, %s, %d minibatches", err, row.Status, row.Why, row.Minibatches)
	}
}

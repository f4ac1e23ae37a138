package run

import (
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/advice"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
)

// A run says of the knobs what jtune ask explain says by the model of its workload, and nothing
// where there is no model.
func TestRunAdvisesAsTheModelDoes(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 1)
	run := func() []string {
		t.Helper()
		var live []string
		res, err := Run(t.Context(), s, measure.RunRequest{Workload: w}, func(e measure.Event) {
			if c, ok := e.(measure.CharacterEvent); ok {
				live = c.Advice
			}
		})
		must.NoError(t, err)
		if len(live) == 0 || live[0] != res.Advice[0] && !strings.HasPrefix(live[0], "The GPU is busy") {
			t.Errorf("while it runs %q, at its end %q", live, res.Advice)
		}
		return res.Advice
	}
	if got := strings.Join(run(), "\n"); !strings.Contains(got, "is unknown: jtune tune lstm measures it.") ||
		strings.Contains(got, "Half of") || strings.Contains(got, "go down") {
		t.Errorf("nothing was measured of any other mode:\n%s", got)
	}
	res, err := measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w},
		Choose: 12}, nil)
	if err != nil || res.Kept == "" {
		t.Fatalf("no model was kept: %v", err)
	}
	got := run()
	m := must.Get(models.Load(s.Options, models.NameFor(w, s.DeviceHeader())))(t)
	lines := advice.Knobs(m, s.Setup().Mode.V)
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "halving one setting of ") {
		t.Errorf("the model says %q", lines)
	}
	said := advice.Of(m, advice.Situation{Mode: s.Setup().Mode.V})
	for _, line := range lines {
		if !slices.Contains(got, sentence(line)) || !slices.Contains(said, line) {
			t.Errorf("%q: the run says %q, advice %q", line, got, said)
		}
	}
}

// A run in a batch size that was not measured alone has the model over batch sizes, where these span it.
func TestAdviserUsesTheModelOverBatchSizes(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 1)
	sizes := []int{w.Batch / 2, w.Batch, 2 * w.Batch}
	res, err := measure.Profile(t.Context(), s, measure.ProfileRequest{
		Measuring: measure.Measuring{Workload: w, Batches: sizes}, Choose: 14}, nil)
	if err != nil || res.Kept == "" {
		t.Fatalf("no model was kept: %v", err)
	}
	for size, known := range map[int]bool{sizes[0]: true, sizes[1]: true, sizes[2]: true, 4 * w.Batch: false} {
		says := strings.Join(newAdviser(s, w.AtBatch(size)).knobs, "\n")
		must.Equal(t, strings.Contains(says, "Halving one setting of "), known, size)
	}
}

func TestRunWithoutAMinibatchHasNoEnergy(t *testing.T) {
	t.Parallel()
	c := &collector{meter: &meter{settle: profiles.NewSettle(workload.Workload{})}}
	if out := c.result(record.Character{}, tegra.Some(44.0)); out.EnergyJ.OK || !out.PowerW.OK {
		t.Errorf("power %v, energy of a minibatch %v", out.PowerW, out.EnergyJ)
	}
}

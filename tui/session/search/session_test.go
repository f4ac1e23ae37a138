package search

import (
	"context"
	"errors"
	"os"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestTuneTellsItsProbesAndRecordsThem(t *testing.T) {
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "lstm"))(t)
	probes, rows, gates := 0, 0, 0
	var last profiles.Phase
	res, err := Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w,
		Gate: func(_ context.Context) error {
			gates++
			return nil
		}},
		Questions: metric.Question{Limit: metric.Watts(25)}.List(),
		Asked:     record.Asked{Probes: 10}}, func(e measure.Event) {
		switch e := e.(type) {
		case measure.ProbeEvent:
			probes++
		case measure.ProgressEvent:
			if last = e.Progress.Phase; e.Progress.Row != nil {
				rows++
			}
		}
	})
	must.NoError(t, err)
	if last != profiles.Restoring { // the board is restored before the model is fitted
		t.Errorf("the last phase was %s", last)
	}
	if probes != len(res.Probes) || rows != probes || gates != probes+1 || probes > 10 {
		t.Errorf("reported %d probes and %d rows, asked the gate %d times, for %d measurements", probes, rows, gates,
			len(res.Probes))
	}
	if head, kept, err := record.Read(res.Dir); err != nil || len(kept) != probes || head.Plan.Kind != "tune" ||
		!head.Device.Virtual {
		t.Errorf("record: %d rows, plan %q, virtual %v, %v", len(kept), head.Plan.Kind, head.Device.Virtual, err)
	}
	if v := res.Answers[0].Versus; res.Fitted == nil || v.MaxN == nil || v.Present == nil || len(v.Presets) == 0 {
		t.Errorf("the result lacks its model or its comparisons: %+v", v)
	}
	_, err = models.Save(s, "lstm-25w", res.Fitted)
	must.NoError(t, err)
	m := must.Get(models.Load(s.Options, "lstm-25w"))(t)
	must.Equal(t, m.Provenance.Workload, "lstm")
}

func TestGateThatRefusesEndsTheJob(t *testing.T) {
	s := sessiontest.Fast(t)
	w, _ := workloads.Find(s, "lstm")
	stop := errors.New("stop")
	calls := 0
	gate := func(context.Context) error {
		if calls++; calls > 2 {
			return stop
		}
		return nil
	}
	res, err := Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w, Gate: gate},
		Questions: metric.Question{Limit: metric.LeastEnergy}.List()}, nil)
	if !errors.Is(err, stop) {
		t.Errorf("tune: got %v, want the gate's error", err)
	}
	if kept := len(res.Probes); kept < 2 || kept > 3 {
		t.Errorf("tune: %d probes, want the two that were let through", kept)
	}
	calls = 0
	got, err := measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w,
		Gate: gate}, Sample: 9}, nil)
	if !errors.Is(err, stop) || len(got.Rows) != 2 {
		t.Errorf("profile: got %d rows and %v, want 2 and the gate's error", len(got.Rows), err)
	}
}

func TestSearchThatBreaksWasNotCancelled(t *testing.T) {
	broken := errors.New("the job is broken")
	for _, c := range []struct {
		name   string
		cancel bool
		want   optimize.Ended
	}{{"broken", false, optimize.Failing}, {"interrupted", true, optimize.Cancelled}} {
		s := sessiontest.Fast(t)
		w := must.Get(workloads.Find(s, "resnet"))(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		modes := 0
		gate := func(context.Context) error {
			if modes++; modes <= 2 {
				return nil
			}
			if c.cancel {
				cancel()
				return ctx.Err()
			}
			return broken
		}
		res, err := Tune(ctx, s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w, Gate: gate},
			Questions: metric.Question{Limit: metric.LeastEnergy}.List()}, nil)
		if res.Ended != c.want || len(res.Probes) != 2 || errors.Is(err, broken) == c.cancel {
			t.Errorf("%s: ended %q after %d measurements with %v, want %q after 2", c.name, res.Ended, len(res.Probes),
				err, c.want)
		}
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) {
	testhome.Together(4)
	os.Exit(testhome.Run(m.Run))
}

func TestSessionHotBoardEndsACampaignAfterTheModeInProgress(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.HotSession(t)
	res, err := measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w},
		Sample: 4}, nil)
	var hot *profiles.HotError
	if !errors.As(err, &hot) || len(res.Rows) != 1 || res.Rows[0].Status.Usable() {
		t.Errorf("%d rows, %v", len(res.Rows), err)
	}
	for _, r := range []measure.TuneRequest{{}, {Asked: record.Asked{Coverage: campaigns.CoverFront}},
		{Asked: record.Asked{Strategy: optimize.Binary}}} {
		r.Workload, r.Limits = w, []metric.Goal{metric.Watts(30)}
		found, err := Tune(t.Context(), s, r, nil)
		if !errors.As(err, &hot) || found.Answers[0].Feasible || found.Fitted != nil {
			t.Errorf("tune %s %s: feasible %v, model %v, %v", r.Coverage, r.Strategy, found.Answers[0].Feasible,
				found.Fitted != nil, err)
		}
	}
}

// A row that was ended over its limit reaches the search with its watts, and what a step may draw reaches the bench; of
// jobs whose power goes up and down nothing is ended.
func TestSearchPlanEndsModesOverTheLimitAndTellsTheSearch(t *testing.T) {
	t.Parallel()
	first, second := tegra.Setting{Mode: tegra.Mode{Cores: 2}}, tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	for _, ends := range []bool{true, false} {
		var heard tegra.Measured
		find := func(ctx context.Context, m optimize.Measure, o optimize.TuneOptions) (optimize.Result, error) {
			o.Choosing(optimize.Step{Setting: first, MostW: 22})
			var err error
			if heard, err = m(ctx, first); !errors.Is(err, optimize.OverLimit("ended after 2 s: 31 W")) {
				t.Errorf("the search hears %v", err)
			}
			o.Choosing(optimize.Step{Setting: second})
			_, _ = m(ctx, second)
			return optimize.Result{}, nil
		}
		p := newSearchPlan(t.Context(), find, optimize.TuneOptions{})
		p.ends = ends
		step, ok := p.Next(nil)
		if want := map[bool]float64{true: 22, false: 0}[ends]; !ok || step.MostW != want {
			t.Errorf("a step may draw %g W, want %g", step.MostW, want)
		}
		row := record.Row{Measured: tegra.Measured{Setting: first, PowerW: 31}, Status: record.Over,
			Why: "ended after 2 s: 31 W", TookS: 40, SettleS: 2}
		if step, ok = p.Next([]record.Row{row}); !ok || step.Setting != second || step.MostW != 0 {
			t.Errorf("after it: %+v", step)
		}
		must.Equal(t, heard, row.Measured)
		p.End(profiles.Summary{})
	}
}

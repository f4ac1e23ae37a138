package search

import (
	"context"
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// TestTuneOfTheWholeFrontKeepsAModelLikeAnyOther: the same version, date,
// device and reference as a search for one limit gives its model.
func TestTuneOfTheWholeFrontKeepsAModelLikeAnyOther(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	must.NoError(t, s.Clock.Sleep(t.Context(), time.Hour))
	w := must.Get(workloads.Find(s, "mobilenet"))(t)
	front := measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(30)}.List(), Keep: true,
		Asked: record.Asked{Coverage: campaigns.CoverFront, Probes: 12}}
	res, err := Tune(t.Context(), s, front, nil)
	if err != nil || !res.Answers[0].Feasible || !res.Answers[0].Verified ||
		res.Result.Answers[0].Measured.PowerW > 30 || res.Took <= 0 {
		t.Fatalf("answer %+v, error %v; want a verified mode within 30 W", res.Result, err)
	}
	noneBetter(t, res, 30)
	if n := len(res.Probes); n < 13 || n > 12+optimize.DefaultProbes {
		t.Errorf("%d measurements, want 12 modes and those of a search", n)
	}
	kept := must.Get(learn.Load(res.Kept))(t)
	got, now := kept.Provenance, time.Now()
	when := got.When
	got.When = time.Time{}
	if got.Sources == "" {
		t.Error("the model does not know its campaigns")
	}
	got.Sources = ""
	pool, err := models.PoolOf(s, w, nil)
	if err != nil || len(pool.Rows()) != len(res.Probes) {
		t.Fatalf("pool of %d rows, %v; want the %d measurements", len(pool.Rows()), err, len(res.Probes))
	}
	want := learn.Provenance{Device: "AGX Orin", Workload: "mobilenet", Virtual: true, Jtune: session.Version,
		Pool: pool.String(), Campaigns: 1, Readings: len(res.Probes), Batch: w.Batch,
		Software: "JetPack 5.0.2; L4T 35.1; virtual board"}
	want.Presets, want.Found = record.NewFoundHeader(s.Device.Presets(), s.Setup()).Read()
	if !reflect.DeepEqual(got, want) || when.After(now) || now.Sub(when) > time.Hour {
		t.Errorf("model of %+v made %v, want %+v made before %v", got, when, want, now)
	}
	list := must.Get(models.List(s.Options))(t)
	must.Equal(t, len(list), 1)
	must.Equal(t, list[0].Name, "mobilenet@virtual-agx-orin")
}

func TestTuneOfTheWholeFrontTakesTheReferenceItIsGiven(t *testing.T) {
	t.Parallel()
	s := small(t)
	w := must.Get(workloads.Find(s, "lstm"))(t)
	res, err := Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(4)}.List(),
		Asked:     record.Asked{Coverage: campaigns.CoverFront, Probes: 8, Reference: learn.ShippedName}}, nil)
	none, ok := errors.AsType[*optimize.InfeasibleError](err)
	if !ok || !none.Measured || res.Answers[0].Mode != none.Nearest.Mode ||
		res.Result.Answers[0].Measured.PowerW <= 4 || res.Answers[0].Feasible {
		t.Errorf("nearest %+v, error %v; want the measured mode nearest to 4 W", res.Result.Answers[0].Measured, err)
	}
	if res.Fitted == nil || !strings.Contains(strings.Join(res.Fitted.Warnings, "\n"), "reference "+learn.ShippedName) {
		t.Error("the fit of the whole front was given no reference: want it refused by name on a simulated board")
	}
}

func TestTuneOfTheWholeFrontGoesOnWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	s := small(t)
	w := must.Get(workloads.Find(s, "resnet"))(t)
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	r := measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(10)}.List(),
		Asked:     record.Asked{Coverage: campaigns.CoverFront, Probes: 8}}
	first, err := Tune(ctx, s, r, func(e measure.Event) {
		if p, ok := e.(measure.ProgressEvent); ok && p.Progress.Phase == profiles.Finished {
			if rows++; rows == 3 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || len(first.Probes) != 3 || first.Ended != optimize.Cancelled {
		t.Fatalf("interrupted with %d measurements, ended %v, error %v; want 3", len(first.Probes), first.Ended, err)
	}
	res, err := Tune(t.Context(), s, r, nil)
	if err != nil || res.Known != len(first.Probes) || !res.Answers[0].Feasible ||
		math.IsNaN(res.Result.Answers[0].Predicted.TimeMS) {
		t.Errorf("gone on to %+v, error %v; want it to count the 3 that are known", res.Result, err)
	}
}

func TestTuneOfTheWholeFrontRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	for name, r := range map[string]measure.TuneRequest{
		"several batch sizes": {Measuring: measure.Measuring{Batches: []int{8, 16}},
			Asked: record.Asked{Coverage: campaigns.CoverFront}},
		"a strategy of a search": {Asked: record.Asked{Coverage: campaigns.CoverFront, Strategy: optimize.Binary}},
	} {
		if _, err := Tune(t.Context(), s, r, nil); !usage.Is(err) {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
}

// A prediction may come out worse than hoped, and worse than a mode measured before that surely keeps the limit. Other
// tests look at the same of their searches.
func TestTuneOfTheWholeFrontIsNeverWorseThanItsList(t *testing.T) {
	t.Parallel()
	seeds, limits := uint64(1), []float64{11}
	if os.Getenv("JTUNE_LONG") != "" {
		seeds, limits = 12, []float64{9, 11}
	}
	for seed := range seeds {
		s := sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1), Seed: seed,
			Paths: config.Paths{DataDir: t.TempDir()}})
		w := must.Get(workloads.Find(s, "resnet"))(t)
		for _, watts := range limits {
			limit := metric.Watts(watts)
			res, err := Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
				Questions: metric.Question{Limit: limit}.List(),
				Asked:     record.Asked{Coverage: campaigns.CoverFront, Probes: 14}}, nil)
			if err != nil || !res.Answers[0].Feasible {
				t.Fatalf("seed %d: %v", seed, err)
			}
			noneBetter(t, res, watts)
		}
	}
}

// noneBetter checks that no measured mode that surely keeps a power limit is faster than the answer.
func noneBetter(t *testing.T, res measure.TuneResult, watts float64) {
	t.Helper()
	for _, m := range tegra.OncePerSetting(MeasuredOf(res.Probes)) {
		if m.PowerW < 0.97*watts && m.TimeMS < 0.99*res.Result.Answers[0].Measured.TimeMS {
			t.Errorf("%g W: answer %v, measured %v", watts, res.Result.Answers[0].Measured, m)
		}
	}
}

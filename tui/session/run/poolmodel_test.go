package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
)

// A model only ever learns more, whatever the campaigns are like and in whatever order
// they come: searches for a limit, short ones, impossible ones, ones stopped after a
// mode or two, profiles, verifications and runs.
func TestPoolModelNeverForgets(t *testing.T) {
	t.Parallel()
	stopped := func(after int) func(context.Context) error {
		return func(context.Context) error {
			if after--; after < 0 {
				return context.Canceled
			}
			return nil
		}
	}
	tune := func(s *session.Session, w workload.Workload, l metric.Goal, probes int) error {
		_, err := search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
			Questions: metric.Question{Limit: l}.List(), Keep: true,
			Asked: record.Asked{Probes: probes}}, nil)
		return err
	}
	jobs := []struct {
		name string
		do   func(s *session.Session, w workload.Workload) error
	}{
		{"search", func(s *session.Session, w workload.Workload) error {
			return tune(s, w, metric.Watts(28), 6)
		}},
		{"short search", func(s *session.Session, w workload.Workload) error {
			return tune(s, w, metric.LeastEnergy, 2)
		}},
		{"impossible search", func(s *session.Session, w workload.Workload) error {
			if err := tune(s, w, metric.Watts(8), 4); !errors.Is(err, optimize.ErrInfeasible) {
				return fmt.Errorf("8 W: %w", err)
			}
			return nil
		}},
		{"stopped search", func(s *session.Session, w workload.Workload) error {
			_, err := search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w,
				Gate: stopped(1)},
				Questions: metric.Question{Limit: metric.Watts(25)}.List(), Keep: true}, nil)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}},
		{"stopped search over the front", func(s *session.Session, w workload.Workload) error {
			_, err := search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w,
				Gate: stopped(2)},
				Questions: metric.Question{Limit: metric.Watts(25)}.List(), Keep: true,
				Asked: record.Asked{Coverage: campaigns.CoverFront}}, nil)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}},
		{"profile", func(s *session.Session, w workload.Workload) error {
			_, err := measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w},
				Sample: 2}, nil)
			return err
		}},
		{"verification", func(s *session.Session, w workload.Workload) error {
			r := measure.ModeRequest{Workload: w, Mode: s.Device.Space().At(4711)}
			_, err := measure.Verify(t.Context(), s, r, nil)
			return err
		}},
		{"run", func(s *session.Session, w workload.Workload) error {
			_, err := Run(t.Context(), s, measure.RunRequest{Workload: w, Minibatches: 400}, nil)
			return err
		}},
	}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		s, w := sessiontest.InDir(t, t.TempDir(), seed)
		order := rand.New(rand.NewPCG(seed, 1)).Perm(len(jobs))
		var path string
		before := map[tegra.Setting]bool{}
		for _, i := range order {
			if err := jobs[i].do(s, w); err != nil {
				t.Fatalf("%s: %v", jobs[i].name, err)
			}
			list, err := models.List(s.Options)
			if err != nil || len(list) != 1 {
				t.Fatalf("after %s: %d models, %v; want one", jobs[i].name, len(list), err)
			}
			if path != "" && list[0].Path != path {
				t.Errorf("after %s the model is %s, it was %s", jobs[i].name, list[0].Path, path)
			}
			path = list[0].Path
			now := sessiontest.SamplesOf(t, path)
			for at := range before {
				if !now[at] {
					t.Errorf("%s made the model forget %v", jobs[i].name, at.Mode)
				}
			}
			before = now
		}
		pool, err := models.PoolOf(s, w, nil)
		if known := len(tegra.OncePerSetting(pool.Rows())); err != nil || len(before) != known {
			t.Errorf("seed %d: the model knows %d modes, the pool %d, %v", seed, len(before), known, err)
		}
	}
}

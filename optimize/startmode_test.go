package optimize

import (
	"context"
	"testing"

	"jtune/internal/stats"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// Once the present mode was read, the first low mode is one that is measured soon: of a job as slow as this one, most
// of those that it may be are not.
func TestFirstLowModeIsMeasuredSoon(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	const slower = 3
	measure := func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		r, err := b.Measure(ctx, m)
		r.TimeMS *= slower
		return r, err
	}
	first := func(present tegra.Val[tegra.Setting]) float64 {
		var times []float64
		for seed := range uint64(10) {
			s, err := newSearch(t.Context(), optimizetest.OfModes(measure), TuneOptions{Limit: Limit{PowerW: 25},
				Space: b.Space, Seed: seed, Baselines: Baselines{Present: present}})
			if err != nil {
				t.Fatal(err)
			}
			s.closedLoop()
			for _, p := range s.probes {
				if p.Why == Start {
					times = append(times, p.TimeMS)
					break
				}
			}
		}
		return stats.Median(times)
	}
	soon, any := first(tegra.Some(tegra.Setting{Mode: b.Space.Max()})), first(tegra.Val[tegra.Setting]{})
	if soon > 1.2*quickMS || any < 1.5*quickMS {
		t.Errorf("a minibatch of the first low mode takes %.0f ms in the median, want %d; %.0f where nothing is known",
			soon, quickMS, any)
	}
}

// If no mode is low enough, or each low one has failed, the first mode is the nearest to that: by the mean level of
// its knobs and by the excess of the highest one.
func TestStartModeIsTheNearestToLowOnes(t *testing.T) {
	t.Parallel()
	// Values of cores, CPU, GPU and memory by their position in the board's lists of 4, 8, 8 and 3.
	low, lowest, oneTop := [4]int{0, 1, 2, 1}, [4]int{}, [4]int{0, 0, 6, 0}
	middle, slightly := [4]int{1, 3, 3, 1}, [4]int{0, 3, 2, 0}
	for name, c := range map[string]struct {
		only []([4]int)
		want [4]int
	}{
		"a knob at its top is worse than a higher mean": {[][4]int{oneTop, middle}, middle},
		"a mean near the target is better than none":    {[][4]int{lowest, slightly}, slightly},
		"a low one that has failed is none":             {[][4]int{lowest, low, slightly}, slightly},
	} {
		space := optimizetest.New(t).Space
		at := func(rungs [4]int) tegra.Setting {
			return tegra.Setting{Mode: tegra.Mode{Cores: space.Cores[rungs[0]], CPU: space.CPU[rungs[1]],
				GPU: space.GPU[rungs[2]], EMC: space.EMC[rungs[3]]}}
		}
		o := TuneOptions{Limit: Limit{PowerW: 20}}
		for _, rungs := range c.only {
			o.Only = append(o.Only, at(rungs))
		}
		s, _ := searchOn(t, o)
		for i := range s.absent {
			s.failed[i] = true // as a mode that cannot be measured
		}
		s.failed[s.at(at(low))] = true
		if got := s.places.At(s.startMode()); got != at(c.want) {
			t.Errorf("%s: %v, want %v", name, got, at(c.want))
		}
	}
}

// After two drawn first modes that were stopped for their power the one of least predicted power is tried, and the
// search ends if that draws too much as well.
func TestStartModeIsTheCoolestAfterTwoThatDrewTooMuch(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		b := optimizetest.New(t)
		var s *search
		var cooler []int // for each first mode, how many are expected to draw less
		o := TuneOptions{Limit: Limit{PowerW: 10}, Space: b.Space, Seed: seed, Choosing: func(step Step) {
			n := 0
			if i, _ := s.places.Index(step.Setting); s.fit() == nil {
				now := s.believe()
				for k, open := range now.open {
					if open && now.lnPower[k] < now.lnPower[i]-sameValue {
						n++
					}
				}
			}
			cooler = append(cooler, n)
		}}
		measure := func(_ context.Context, m tegra.Mode) (tegra.Measured, error) {
			return tegra.Measured{Setting: tegra.Setting{Mode: m}, PowerW: 12}, OverLimit("stopped")
		}
		var err error
		if s, err = newSearch(t.Context(), optimizetest.OfModes(measure), o); err != nil {
			t.Fatal(err)
		}
		s.closedLoop()
		if len(cooler) != 3 || cooler[0] == 0 || cooler[2] != 0 || s.ended != NoWay {
			t.Errorf("seed %d: of the first modes %v others are cooler, want none of the third; %v", seed, cooler,
				s.ended)
		}
	}
}

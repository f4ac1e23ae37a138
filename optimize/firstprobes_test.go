package optimize

import (
	"errors"
	"slices"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

func TestModesToCompareWithAreMeasuredWhereTheLimitAllows(t *testing.T) {
	t.Parallel()
	toy := optimizetest.New(t)
	top := toy.Space.Max()
	topW := toy.Answer(top).PowerW
	low := toy.Space.At(0)
	for _, c := range []struct {
		name      string
		limit     Limit
		probes    int
		compare   []tegra.Mode
		known     []tegra.Measured
		broken    bool
		at, among int // the mode is one of these probes, from 1; 0: of none
	}{
		{"without a power limit it is the start", Limit{TimeMS: 90}, 0, []tegra.Mode{top}, nil, false, 1, 1},
		{"of least energy too", Limit{Energy: true}, 0, []tegra.Mode{top}, nil, false, 1, 1},
		{"two of them", Limit{TimeMS: 90}, 0, []tegra.Mode{low, top}, nil, false, 2, 2},
		{"within a wide power limit it is early", Limit{PowerW: 1.2 * topW}, 0, []tegra.Mode{top}, nil, false,
			2, 8},
		{"over a power limit it is left out", Limit{PowerW: 0.6 * topW}, 0, []tegra.Mode{top}, nil, false, 0, 0},
		{"few probes leave none for it", Limit{TimeMS: 90}, 3, []tegra.Mode{top}, nil, false, 0, 0},
		{"one that is known is not measured for it", Limit{TimeMS: 90}, 0, []tegra.Mode{top},
			[]tegra.Measured{toy.Answer(top), toy.Answer(low)}, false, 0, 0},
		{"a mode that this board lacks", Limit{TimeMS: 90}, 0, []tegra.Mode{{Cores: 99}}, nil, false, 0, 0},
		{"one that cannot be measured", Limit{TimeMS: 90}, 0, []tegra.Mode{top}, nil, true, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := optimizetest.New(t)
			b.Broken = func(m tegra.Mode) error {
				if c.broken && m == top {
					return errors.New("broken")
				}
				return nil
			}
			res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: c.limit, Space: b.Space, Probes: c.probes,
				Compare: c.compare, Known: c.known})
			if err != nil || !c.limit.Met(res.Measured) {
				t.Fatalf("answer %v: %v", res.Measured, err)
			}
			at := 1 + slices.IndexFunc(res.Probes, func(p Probe) bool {
				return p.Mode == c.compare[len(c.compare)-1] && p.Why == Start
			})
			if at < c.at || at > c.among {
				t.Errorf("it was probe %d, want %d to %d of %v", at, c.at, c.among, b.Probed)
			}
			if c.broken && slices.Index(b.Probed[1:], top) >= 0 {
				t.Errorf("it was tried again: %v", b.Probed)
			}
		})
	}
}

// After one reading power is uncertain: the second setting draws less than most trusted ones.
func TestSecondSettingIsCool(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		b := optimizetest.New(t)
		var s *search
		o := TuneOptions{Space: b.Space, Batches: optimizetest.Sizes, Limit: Limit{PowerW: 25}, Seed: seed, Probes: 8}
		o.Choosing = func(step Step) {
			if len(s.order) != 1 {
				return
			}
			l, belief := &loop{search: s}, s.believe()
			i, _ := s.places.Index(step.Setting)
			trusted := belief.openModes(func(k int) bool { return belief.trusted(s.limit, k, l.caution()) })
			cooler := 0
			for _, k := range trusted {
				if belief.lnPower[k] < belief.lnPower[i] {
					cooler++
				}
			}
			if 3*cooler > len(trusted) {
				t.Errorf("seed %d: %v, %d of %d trusted ones are cooler", seed, step.Setting, cooler, len(trusted))
			}
		}
		var err error
		if s, err = newSearch(t.Context(), b.Serve, o); err != nil {
			t.Fatal(err)
		}
		s.closedLoop()
	}
}

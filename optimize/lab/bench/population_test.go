package bench

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"jtune/learn"
	jobs "jtune/optimize/lab/population"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual/physics"
)

// A population of simulated workloads judges every rule that guards hardware: the three networks that the AGX Orin's
// profile was learned from have the same loader, batch size and authors, and a rule that suits them need suit no other.
// No number here is a measurement. The populations, their limits and their
// noise are fixed.
const (
	populationSize     = 40
	populationNoise    = 0.012 // standard deviation of ln time and ln power of a reading
	populationProfiles = 12    // of three workloads each
	populationFrom     = 17.0  // W, the least limit
	populationStep     = 3.0
	populationSeed     = 1
	secondSeed         = 2
	thirdSeed          = 3
	fourthSeed         = 4
	fifthSeed          = 5
)

// population is random workloads in the modes in which LSTM was measured.
type population struct {
	seed      uint64
	space     *tegra.Space
	modes     []tegra.Mode
	workloads []simulated
	profiles  map[int]*learn.Reference
}

// simulated is a workload with the true values of each mode.
type simulated struct {
	physics.Workload
	truth map[tegra.Mode]tegra.Measured
}

func newPopulation(t testing.TB, seed uint64, size int) *population {
	t.Helper()
	s := optimizetest.Load(t, sweeptest.LSTM)
	p := &population{seed: seed, space: s.Space, modes: s.Space.Modes(), profiles: map[int]*learn.Reference{}}
	chip, rng := physics.On("agx-orin"), rand.New(rand.NewPCG(seed, 0x756e7365656e))
	for k := range size {
		w := simulated{Workload: jobs.OwnWorkload(rng), truth: map[tegra.Mode]tegra.Measured{}}
		w.Name = fmt.Sprintf("random %d", k)
		for _, m := range p.modes {
			steps := w.Steady(chip, physics.At(m))
			w.truth[m] = tegra.Measured{
				Setting: tegra.Setting{Mode: m},
				TimeMS:  steps.TimeMS,
				PowerW:  steps.Power.Total(),
			}
		}
		p.workloads = append(p.workloads, w)
	}
	return p
}

// reading returns the n-th reading of a mode: the same in every search, in any order.
func (p *population) reading(k, n int, m tegra.Mode) tegra.Measured {
	h := fnv.New64a()
	fmt.Fprint(h, p.seed, k, n, m)
	rng := rand.New(rand.NewPCG(h.Sum64(), p.seed))
	r := p.workloads[k].truth[m]
	r.TimeMS *= math.Exp(populationNoise * rng.NormFloat64())
	r.PowerW *= math.Exp(populationNoise * rng.NormFloat64())
	return r
}

// limits are those that some mode keeps, up to the most power that a workload draws.
func (p *population) limits(k int) []metric.Goal {
	least, most := math.Inf(1), 0.0
	for _, r := range p.workloads[k].truth {
		least, most = min(least, r.PowerW), max(most, r.PowerW)
	}
	var out []metric.Goal
	for w := populationFrom; w <= most; w += populationStep {
		if least <= w {
			out = append(out, metric.Watts(w))
		}
	}
	return out
}

// best is the shortest true time within a limit.
func (p *population) best(k int, l metric.Goal) float64 {
	best := math.Inf(1)
	for _, r := range p.workloads[k].truth {
		if r.PowerW <= l.Of(metric.Power) {
			best = min(best, r.TimeMS)
		}
	}
	return best
}

// profileOf is a profile made of three other workloads.
func (p *population) profileOf(t testing.TB, k int) *learn.Reference {
	t.Helper()
	n := k % populationProfiles
	if p.profiles[n] != nil {
		return p.profiles[n]
	}
	shipped := learn.ProfileReference("agx-orin").Profile
	var sweeps []learn.ProfileSweep
	for j := range 3 { // n+1, n+2 and n+3: never one that is searched with this profile
		w := (n + 1 + j) % len(p.workloads)
		s := learn.ProfileSweep{Network: p.workloads[w].Name, Workload: p.workloads[w].Name}
		for _, m := range p.modes {
			s.Measured = append(s.Measured, p.reading(w, 0, m))
		}
		sweeps = append(sweeps, s)
	}
	note := shipped.ReferenceNote
	note.Name = fmt.Sprintf("three of the population %d", n)
	made, err := learn.NewProfile(note, shipped.Carries, shipped.Priors, sweeps)
	if err != nil {
		t.Fatal(err)
	}
	p.profiles[n] = made.Reference("")
	return p.profiles[n]
}

package nn

import (
	"context"
	"sync"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Pair holds the two networks of one workload.
type Pair struct {
	Time  *Net // ms per minibatch
	Power *Net // W of the module; nil if power was not measured
}

// Sample is the measurement of one mode.
type Sample struct {
	Mode    tegra.Mode
	TimesMS []float64 // individual minibatches, or one median
	PowersW []float64 // readings during these, or one median; none: not measured
}

// First returns the sample of a shorter measurement: the first n minibatches, and the same share of the power readings,
// at least one.
func (s Sample) First(n int) Sample {
	if n >= len(s.TimesMS) {
		return s
	}
	readings := (len(s.PowersW)*n + len(s.TimesMS) - 1) / len(s.TimesMS)
	s.TimesMS, s.PowersW = s.TimesMS[:n], s.PowersW[:readings]
	return s
}

// Median returns the sample's medians.
func (s Sample) Median() tegra.Measured {
	return tegra.Measured{Setting: tegra.Setting{Mode: s.Mode}, TimeMS: stats.Median(s.TimesMS),
		PowerW: stats.Median(s.PowersW)}
}

// Medians returns samples of modes with only medians, as in the published sweeps.
func Medians(modes []tegra.Measured) []Sample {
	out := make([]Sample, len(modes))
	for i, m := range modes {
		out[i] = Sample{Mode: m.Mode, TimesMS: []float64{m.TimeMS}}
		if m.HasPower() {
			out[i].PowersW = []float64{m.PowerW}
		}
	}
	return out
}

// powerSeed gives the two networks of a pair different random streams.
const powerSeed = 0x9e3779b97f4a7c15

// Features returns a mode's network inputs: cores, then CPU, GPU and memory frequency in MHz.
func Features(m tegra.Mode) [inputs]float64 {
	return [inputs]float64{float64(m.Cores), m.CPU.MHz(), m.GPU.MHz(), m.EMC.MHz()}
}

// Inputs returns the Features of modes.
func Inputs(modes []tegra.Mode) [][inputs]float64 {
	x := make([][inputs]float64, len(modes))
	for i, m := range modes {
		x[i] = Features(m)
	}
	return x
}

// TrainPair trains both networks from scratch, each on its own goroutine.
func TrainPair(ctx context.Context, samples []Sample, c Config) (Pair, error) {
	return both(ctx, samples, c, Train, Train)
}

// Transfer transfers both networks to a new workload, each on its own goroutine.
func (p Pair) Transfer(ctx context.Context, samples []Sample, c Config) (Pair, error) {
	return both(ctx, samples, c, p.Time.Transfer, p.Power.Transfer)
}

// Transfers reports whether the networks are suitable to transfer from. With plain targets (Config.RawTarget) the
// hidden layers are scaled to milliseconds and watts, which doubles the error of a transfer whose last layer fits
// standardised targets. In that case train others from the same samples with the zero Config.
func (p Pair) Transfers() bool {
	return !p.Time.Config.RawTarget && (p.Power == nil || !p.Power.Config.RawTarget)
}

type trainer func(ctx context.Context, x [][inputs]float64, y []float64, c Config) (*Net, error)

func both(ctx context.Context, samples []Sample, c Config, time, power trainer) (Pair, error) {
	modes := make([][inputs]float64, len(samples))
	times, powers := make([][]float64, len(samples)), make([][]float64, len(samples))
	for i, s := range samples {
		modes[i], times[i], powers[i] = Features(s.Mode), s.TimesMS, s.PowersW
	}
	var p Pair
	var timeErr, powerErr error
	var wait sync.WaitGroup
	wait.Go(func() {
		x, ms := Entries(modes, times)
		p.Time, timeErr = time(ctx, x, ms, c)
	})
	if x, watt := Entries(modes, powers); len(x) > 0 {
		other := c
		other.Seed ^= powerSeed
		p.Power, powerErr = power(ctx, x, watt, other)
	}
	wait.Wait()
	if timeErr != nil {
		return Pair{}, timeErr
	}
	if powerErr != nil {
		return Pair{}, powerErr
	}
	return p, nil
}

// Predict returns the time [ms per minibatch] and module power [W] of modes; power is nil without a power network.
func (p Pair) Predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	x := Inputs(modes)
	var wait sync.WaitGroup
	wait.Go(func() { timeMS = p.Time.Predict(x) })
	if p.Power != nil {
		powerW = p.Power.Predict(x)
	}
	wait.Wait()
	return timeMS, powerW
}

package nn

import (
	"context"
	"sync"

	"jtune/tegra"
)

// Pair is the two networks of one workload.
type Pair struct {
	Time  *Net // ms per minibatch
	Power *Net // W of the module
}

// powerSeed keeps the two networks of a pair on different random streams.
const powerSeed = 0x9e3779b97f4a7c15

// Features are a mode's inputs to a network: cores, then CPU, GPU and memory
// frequency in MHz.
func Features(m tegra.Mode) [inputs]float64 {
	return [inputs]float64{float64(m.Cores), m.CPU.MHz(), m.GPU.MHz(), m.EMC.MHz()}
}

// TrainPair trains both networks from scratch, each on its own goroutine.
func TrainPair(ctx context.Context, samples []tegra.Measured, c Config) (Pair, error) {
	return both(ctx, samples, c, Train, Train)
}

// Transfer carries both networks over to a new workload, each on its own
// goroutine.
func (p Pair) Transfer(ctx context.Context, samples []tegra.Measured, c Config) (Pair, error) {
	return both(ctx, samples, c, p.Time.Transfer, p.Power.Transfer)
}

type trainer func(ctx context.Context, x [][inputs]float64, y []float64, c Config) (*Net, error)

func both(ctx context.Context, samples []tegra.Measured, c Config, time, power trainer) (Pair, error) {
	x := make([][inputs]float64, len(samples))
	ms, watt := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		x[i], ms[i], watt[i] = Features(s.Mode), s.TimeMS, s.PowerW
	}
	var p Pair
	var timeErr, powerErr error
	var wait sync.WaitGroup
	wait.Go(func() { p.Time, timeErr = time(ctx, x, ms, c) })
	other := c
	other.Seed ^= powerSeed
	p.Power, powerErr = power(ctx, x, watt, other)
	wait.Wait()
	if timeErr != nil {
		return Pair{}, timeErr
	}
	if powerErr != nil {
		return Pair{}, powerErr
	}
	return p, nil
}

// Predict gives the time [ms per minibatch] and module power [W] of modes.
func (p Pair) Predict(modes []tegra.Mode) (timeMS, powerW []float64) {
	x := make([][inputs]float64, len(modes))
	for i, m := range modes {
		x[i] = Features(m)
	}
	var wait sync.WaitGroup
	wait.Go(func() { timeMS = p.Time.Predict(x) })
	powerW = p.Power.Predict(x)
	wait.Wait()
	return timeMS, powerW
}

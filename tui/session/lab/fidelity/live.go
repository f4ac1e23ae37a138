package fidelity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/stats"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/rig"
)

// usualNoise runs a board with its usual noise, for figures that depend on noise.
const usualNoise = 1

// campaignStride is the step between the modes profiled by PowerTrain that a campaign's cost is computed from. It
// shares no factor with the number of values of any knob, so that all values occur equally often: a mode's cost differs
// more from the mean than the settling of power differs between seeds.
const campaignStride = 71

// campaignCost is the cost of profiling with this program.
type campaignCost struct {
	perMode float64   // mean, s
	settle  []float64 // of each mode: from applying it to steady power, s
}

// campaign measures some of the modes that PowerTrain profiled.
func (b *bench) campaign(j evidence.Job) (out campaignCost, err error) {
	if found, ok := b.costs[j.Workload]; ok {
		return found, nil
	}
	board, err := b.fresh(unit{board: j.Board}, usualNoise)
	if err != nil {
		return out, err
	}
	measuring, err := rig.Measuring(board, j.Workload)
	if err != nil {
		return out, err
	}
	defer measuring.Done()
	began, grid := board.Clock().Now(), measuring.Device.Space().Grid()
	for i := campaignStride / 2; i < grid.Len(); i += campaignStride {
		row, err := measuring.Measure(context.Background(), profiles.Step{Setting: tegra.Setting{Mode: grid.At(i)}})
		if err != nil {
			return out, err
		}
		out.settle = append(out.settle, row.SettleS)
	}
	out.perMode = (board.Clock().Now() - began).Seconds() / float64(len(out.settle))
	b.costs[j.Workload] = out
	return out, nil
}

// campaigns returns the duration of a full campaign, settling and first minibatches included; or how long power
// settles.
func campaigns(b *bench, f Figure) (out []float64, err error) {
	for _, j := range f.Jobs {
		cost, err := b.campaign(j)
		if err != nil {
			return nil, err
		}
		if f.of == "settle_s" {
			out = append(out, groupedMedian(cost.settle, 1))
		} else {
			out = append(out, f.at[0].modes*cost.perMode/60)
		}
	}
	return out, nil
}

// groupedMedian returns the median of values that are known only to an interval, each given by its upper end. It
// interpolates within the interval that contains the median, because a median of whole seconds would jump.
func groupedMedian(values []float64, width float64) float64 {
	median := stats.Quantile(values, 0.5)
	top := math.Ceil(median/width-1e-9) * width
	below, within := 0.0, 0.0
	for _, v := range values {
		switch {
		case v <= top-width:
			below++
		case v <= top:
			within++
		}
	}
	return top - width + width*(float64(len(values))/2-below)/within
}

// epochsWatched is the number of observed epochs in a long run; units is the number of boards of a kind.
const (
	epochsWatched = 6
	units         = 5
)

// scatter returns the largest deviation of an epoch from the median, in percent.
func scatter(b *bench, f Figure) ([]float64, error) {
	r, err := b.run(f.Jobs[0], f.at[0])
	if err != nil {
		return nil, err
	}
	board, err := r.start(usualNoise)
	if err != nil {
		return nil, err
	}
	var epochs []float64
	for range epochsWatched {
		ms, err := minibatches(board, r.job.Minibatches(r.job.Batch))
		if err != nil {
			return nil, err
		}
		epochs = append(epochs, ms)
	}
	return []float64{farthestOff(epochs[1:])}, nil // the first epoch starts the job
}

// farthestOff returns the largest deviation from the median, in percent.
func farthestOff(values []float64) (pct float64) {
	median := stats.Median(slices.Clone(values))
	for _, v := range values {
		pct = max(pct, math.Abs(change(v, median)))
	}
	return pct
}

// instances returns the spread between units of a board.
func instances(b *bench, f Figure) ([]float64, error) {
	r, err := b.run(f.Jobs[0], f.at[0])
	if err != nil {
		return nil, err
	}
	var values []float64
	for i := range units {
		board, err := b.board(unit{r.unit.board, r.unit.medium, i + 1})
		if err != nil {
			return nil, err
		}
		if r.observed, err = locked(board, r.job, r.mode, false); err != nil {
			return nil, err
		}
		v, err := quantities[f.of](r)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return []float64{farthestOff(values)}, nil
}

// sampling measures the program's sampler on a board.
func sampling(b *bench, f Figure) ([]float64, error) {
	board, err := b.fresh(unit{board: f.Jobs[0].Board}, usualNoise)
	if err != nil {
		return nil, err
	}
	device, err := board.Open()
	if err != nil {
		return nil, err
	}
	var at []float64
	cancel := telemetry.NewSampler(device, board.Clock()).Subscribe(time.Second, func(s telemetry.Sample) {
		at = append(at, s.T.Seconds())
	})
	err = board.Clock().Sleep(context.Background(), time.Minute)
	cancel()
	if err != nil || len(at) < 2 {
		return nil, fmt.Errorf("%d samples within a minute: %w", len(at), err)
	}
	mean := (at[len(at)-1] - at[0]) / float64(len(at)-1)
	if f.of == "period_s" {
		return []float64{mean}, nil
	}
	worst := 0.0
	for i, t := range at[1:] {
		worst = max(worst, math.Abs(t-at[i]-mean))
	}
	return []float64{1000 * worst}, nil
}

// steps counts the clocks that a board lists.
func steps(b *bench, f Figure) ([]float64, error) {
	k, err := b.kind(f.Jobs[0].Board)
	if err != nil {
		return nil, err
	}
	n := map[string]int{"cpu": len(k.space.CPU), "gpu": len(k.space.GPU)}[f.of]
	return []float64{float64(n)}, nil
}

// reruns returns the largest deviation of energy, in percent, when a short run is repeated with other noise.
func reruns(b *bench, f Figure) (out []float64, err error) {
	for _, j := range f.Jobs {
		var energies []float64
		for run := range uint64(10) {
			r, err := b.again(run).run(evidence.Job{Board: j.Board, Workload: "lenet5"}, setup{})
			if err != nil {
				return nil, err
			}
			joule, err := r.measured()
			if err != nil {
				return nil, err
			}
			energies = append(energies, joule)
		}
		out = append(out, farthestOff(energies))
	}
	return out, nil
}

// measured returns the mean energy of a minibatch in J, read from the rails.
func (r *run) measured() (float64, error) {
	board, err := r.start(usualNoise)
	if err != nil {
		return 0, err
	}
	device, err := board.Open()
	if err != nil {
		return 0, err
	}
	if _, err := minibatches(board, 500); err != nil {
		return 0, err
	}
	var ms, power float64
	const rounds = 20
	for range rounds {
		more, err := minibatches(board, 50)
		if err != nil {
			return 0, err
		}
		reading, err := device.Read()
		if err != nil {
			return 0, err
		}
		ms, power = ms+more/50, power+reading.TotalW.V
	}
	return ms / rounds * power / rounds / 1000, nil
}

// hardlyAny is almost no noise: on a board without any, reading costs nothing.
const hardlyAny = 0.001

// steadyMS returns the mean time of a minibatch with free clocks, after prepare has prepared the board.
func (r *run) steadyMS(prepare func(*virtual.Board) (done func(), err error)) (ms float64, err error) {
	board, err := r.start(hardlyAny)
	if err != nil {
		return 0, err
	}
	done, err := prepare(board)
	if err != nil {
		return 0, err
	}
	defer done()
	const n = 200
	if _, err = minibatches(board, n); err == nil {
		ms, err = minibatches(board, n)
	}
	return ms / n, err
}

// untouched prepares nothing.
func untouched(*virtual.Board) (done func(), err error) { return func() {}, nil }

// polling returns what reading a board's rails costs a job, in percent of its time.
func polling(b *bench, f Figure) (out []float64, err error) {
	every, err := time.ParseDuration(f.of)
	if err != nil {
		return nil, err
	}
	for _, j := range f.Jobs {
		r, err := b.run(evidence.Job{Board: j.Board, Workload: "lenet5"}, setup{})
		if err != nil {
			return nil, err
		}
		alone, err := r.steadyMS(untouched)
		if err != nil {
			return nil, err
		}
		read, err := r.steadyMS(func(board *virtual.Board) (done func(), err error) {
			device, err := board.Open()
			if err != nil {
				return nil, err
			}
			return telemetry.NewSampler(device, board.Clock()).Subscribe(every, func(telemetry.Sample) {}), nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, change(read, alone))
	}
	return out, nil
}

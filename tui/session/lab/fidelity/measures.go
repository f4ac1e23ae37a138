package fidelity

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual"
)

// perEpoch converts ms per minibatch to s per epoch.
func (r *run) perEpoch(ms float64) float64 {
	return ms * float64(r.job.Minibatches(r.job.Batch)) / 1000
}

// quantities are the quantities of a run that figures describe.
var quantities = map[string]func(run) (float64, error){
	"stall_ms":          exact(func(r run) float64 { return r.StallMS }),
	"stall_s":           exact(func(r run) float64 { return r.perEpoch(r.StallMS) }),
	"stall_pct":         exact(func(r run) float64 { return 100 * r.StallMS / r.TimeMS }),
	"stall_compute_pct": exact(func(r run) float64 { return 100 * (r.StallMS + r.ComputeMS) / r.TimeMS }),
	"fetch_s":           exact(func(r run) float64 { return r.perEpoch(r.FetchMS) }),
	"compute_ms":        exact(func(r run) float64 { return r.ComputeMS }),
	"compute_s":         exact(func(r run) float64 { return r.perEpoch(r.ComputeMS) }),
	"minibatch_ms":      exact(func(r run) float64 { return r.TimeMS }),
	"sample_ms":         exact(func(r run) float64 { return r.TimeMS / float64(r.job.Batch) }),
	"minibatch_mb": exact(func(r run) float64 {
		return r.job.DatasetMB * float64(r.job.Batch) / float64(r.job.Samples)
	}),
	"epoch_s":       exact(run.epochS),
	"epoch_min":     exact(func(r run) float64 { return r.epochS() / 60 }),
	"epoch_h":       exact(func(r run) float64 { return r.epochS() / 3600 * max(1, r.setup.epochs) }),
	"epochs_15h":    exact(func(r run) float64 { return 15 * 3600 / r.epochS() }),
	"power_w":       exact(func(r run) float64 { return r.Power.Total() }),
	"energy_wh":     exact(func(r run) float64 { return r.epochS() * r.Power.Total() / 3600 }),
	"gpu_load_pct":  exact(func(r run) float64 { return 100 * r.gpuLoad }),
	"cpu_load_pct":  exact(func(r run) float64 { return 100 * r.cpuLoad }),
	"gpu_mhz":       exact(func(r run) float64 { return r.gpuMHz }),
	"cpu_mhz":       exact(func(r run) float64 { return r.cpuMHz }),
	"cpu_top_pct":   exact(func(r run) float64 { return 100 * r.cpuMost }),
	"cpu_below_pct": exact(func(r run) float64 { return 100 * r.cpuBelow }),
	"emc_below_pct": exact(func(r run) float64 { return 100 * r.emcBelow }),
	"base_pct": func(r run) (float64, error) {
		board, err := r.bench.board(r.unit)
		if err != nil {
			return 0, err
		}
		return 100 * board.IdleW(r.mode) / r.Power.Total(), nil
	},
	"cached_pct": func(r run) (float64, error) {
		share, _, err := r.reads()
		return 100 * share, err
	},
	"read_iops": func(r run) (float64, error) {
		_, iops, err := r.reads()
		return iops, err
	},
}

// exact makes a quantity that cannot fail.
func exact(of func(run) float64) func(run) (float64, error) {
	return func(r run) (float64, error) { return of(r), nil }
}

func (r run) epochS() float64 { return r.perEpoch(r.TimeMS) }

// start starts the run's job on a new board.
func (r run) start(noise float64) (*virtual.Board, error) {
	board, err := r.bench.fresh(r.unit, noise)
	if err != nil {
		return nil, err
	}
	return board, board.Start(virtual.Job{Workload: r.job.Name, Batch: r.job.Batch, Workers: &r.job.Workers})
}

// minibatches runs a board and returns the time of n minibatches in ms.
func minibatches(board *virtual.Board, n int) (ms float64, err error) {
	for range n {
		m, err := board.NextMinibatch(context.Background())
		if err != nil {
			return 0, err
		}
		ms += m.TimeMS
	}
	return ms, nil
}

// reads runs two epochs and returns the cached share of the data after the first, and the files read per second in the
// second.
func (r *run) reads() (cached, iops float64, err error) {
	board, err := r.start(0)
	if err != nil {
		return 0, 0, err
	}
	n := r.job.Minibatches(r.job.Batch)
	if _, err := minibatches(board, n); err != nil {
		return 0, 0, err
	}
	cached = board.Cached(r.job.Name).V
	before, err := sectors(board)
	if err != nil {
		return 0, 0, err
	}
	ms, err := minibatches(board, n)
	if err != nil {
		return 0, 0, err
	}
	after, err := sectors(board)
	perFile := r.job.DatasetMB * 1e6 / float64(r.job.Samples) / 512
	return cached, (after - before) / perFile / (ms / 1000), err
}

// sectors returns the number of 512-byte sectors that a board's drive has read, according to its kernel.
func sectors(board *virtual.Board) (float64, error) {
	text, err := board.FS().ReadFile("/proc/diskstats")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 6 {
		return 0, fmt.Errorf("/proc/diskstats: %q", text)
	}
	return strconv.ParseFloat(fields[5], 64)
}

// Duration of a run with free clocks, after the governors have settled.
const (
	settled = 20 * time.Second
	watched = 60 * time.Second
	looked  = 100 * time.Millisecond // between two readings
)

// watch runs a job with free clocks, as on a booted board, and reads the board's files.
func (b *bench) watch(r run) (o observed, err error) {
	key := fmt.Sprint(r.unit, r.job.Name, r.job.Batch, r.job.Workers)
	if found, ok := b.live[key]; ok {
		return found, nil
	}
	board, err := r.start(0)
	if err != nil {
		return o, err
	}
	device, err := board.Open()
	if err != nil {
		return o, err
	}
	k, err := b.kind(r.unit.board)
	if err != nil {
		return o, err
	}
	for board.Clock().Now() < settled {
		if _, err := minibatches(board, 1); err != nil {
			return o, err
		}
	}
	before, began := device.ClockTimes(), board.Clock().Now()
	var n, readings, power, gpu, cpu, clock, top, slowEMC float64
	next := began
	for board.Clock().Now() < began+watched {
		m, err := board.NextMinibatch(context.Background())
		if err != nil {
			return o, err
		}
		n++
		o.TimeMS += m.TimeMS
		o.StallMS += m.StallMS
		o.ComputeMS += m.ComputeMS
		o.FetchMS += m.FetchMS
		if board.Clock().Now() < next {
			continue
		}
		next += looked
		reading, err := device.Read()
		if err != nil {
			return o, err
		}
		readings++
		power += reading.TotalW.V
		gpu += reading.GPU.LoadPct.V / 100
		clock += reading.GPU.Actual.V.GHz() * 1000
		top += reading.CPU.Actual.V.GHz() * 1000
		if reading.EMC.Actual.V < k.fastest.EMC {
			slowEMC++
		}
		load := 0.0
		for _, c := range reading.Cores {
			load += c.LoadPct.V / 100
		}
		cpu += load / float64(max(1, reading.Online()))
	}
	for _, ms := range []*float64{&o.TimeMS, &o.StallMS, &o.ComputeMS, &o.FetchMS} {
		*ms /= n
	}
	o.Power.GPU = power / readings // only the total is used
	o.gpuLoad, o.cpuLoad, o.gpuMHz, o.cpuMHz = gpu/readings, cpu/readings, clock/readings, top/readings
	o.emcBelow = slowEMC / readings
	after := device.ClockTimes()
	var all, atTop time.Duration
	var highest tegra.Freq
	for f, t := range after.CPU {
		if spent := t - before.CPU[f]; spent > 0 {
			all += spent
			highest = max(highest, f)
		}
		if f == k.fastest.CPU {
			atTop = t - before.CPU[f]
		}
	}
	if all > 0 {
		o.cpuBelow, o.cpuMost = 1-float64(atTop)/float64(all), highest.GHz()/k.fastest.CPU.GHz()
	}
	b.live[key] = o
	return o, nil
}

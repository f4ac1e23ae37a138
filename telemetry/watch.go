package telemetry

import (
	"context"
	"time"

	"jtune/internal/latest"
	"jtune/tegra"
)

const (
	watchEvery = time.Second     // between samples
	gpuEvery   = 5 * time.Second // between queries to the driver for the processes on the GPU

	// MaxReadings is how many samples a Watch keeps until the next call of Next: two minutes, with room for a late
	// sampler.
	MaxReadings = 130
)

// Readings are what a Watch has collected since the last call of Next.
type Readings struct {
	Last    Sample
	Samples []Sample // oldest first, ending with Last
	EnergyJ float64  // the module's since the Watch began
	Cost    Cost     // this program's own
	Disk    DiskRates
	GPU     GPUUse
}

// GPUUse lists the processes on the GPU.
type GPUUse struct {
	Processes []tegra.GPUProcess
	Why       string // why they are unknown; "" when they are known
	Asked     bool   // false: not queried yet
}

// WatchOptions are the sources of a Watch.
type WatchOptions struct {
	Sampler      *Sampler
	Files        tegra.FS                                     // the device's, for its disks; nil: not read
	GPUProcesses func() (list []tegra.GPUProcess, why string) // nil: unknown
	Written      func() int64                                 // bytes written to the terminal so far
}

// Watch collects the readings of a device between calls of Next.
type Watch struct {
	o       WatchOptions
	updates *latest.Value[Readings]
	energy  Energy
	cost    *CostMeter
	disk    *Disk // nil: not read
	gpu     GPUUse
	askedAt time.Time
	stop    func()
}

// NewWatch starts to collect; Stop ends it.
func NewWatch(o WatchOptions) *Watch {
	w := &Watch{o: o, updates: latest.New[Readings](), cost: NewCostMeter(o.Written)}
	if o.Files != nil {
		w.disk = NewDisk(o.Files)
	}
	w.stop = o.Sampler.Subscribe(watchEvery, w.take)
	return w
}

// Stop ends the sampling.
func (w *Watch) Stop() { w.stop() }

func (w *Watch) take(s Sample) {
	if p := s.PowerW(); p.OK {
		w.energy.Add(s.T, p.V)
	}
	joules := w.energy.Joules()
	w.updates.Put(func(r *Readings) {
		r.Last, r.EnergyJ = s, joules
		r.Samples = append(r.Samples, s)
		r.Samples = r.Samples[max(0, len(r.Samples)-MaxReadings):]
	})
}

// Next waits for new readings, at least every after the last ones; ok is false when ctx has ended. Only one goroutine
// at a time may call it. It also reads what takes longer than a sample: the driver and the disks.
func (w *Watch) Next(ctx context.Context, every time.Duration) (r Readings, ok bool) {
	if r, ok = w.updates.Next(ctx, every); !ok {
		return r, false
	}
	now := time.Now()
	if w.o.GPUProcesses != nil && (!w.gpu.Asked || now.Sub(w.askedAt) >= gpuEvery) {
		w.gpu.Processes, w.gpu.Why = w.o.GPUProcesses()
		w.gpu.Asked, w.askedAt = true, now
	}
	r.Cost, r.GPU = w.cost.Read(now), w.gpu
	if w.disk != nil {
		r.Disk = w.disk.rates(r.Last.T)
	}
	return r, true
}

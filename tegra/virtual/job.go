package virtual

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// How a job may end or refuse.
var (
	// ErrDied is how Faults.DieAfter ends a workload.
	ErrDied = errors.New("workload died (injected fault)")
	// ErrSilent ends a workload that Faults.HangAfter silenced and that was not cancelled within a day.
	ErrSilent = errors.New("workload fell silent (injected fault)")
	// ErrStopped is returned for a minibatch if no workload runs, or if it stops during the wait.
	ErrStopped = errors.New("no workload runs on the virtual board")
)

// Minibatch is one step of training, timed as PowerTrain does (docs/method.md, "Energy and power").
type Minibatch struct {
	Epoch, Index int           // from 0
	TimeMS       float64       // end to end: stall + compute + overhead
	Parts        bool          // false in a replay: its table has only TimeMS, and the parts below are 0
	FetchMS      float64       // work of fetching and preprocessing, hidden or not
	StallMS      float64       // part of the fetch that compute does not hide
	PrepareMS    float64       // part of the fetch: preprocessing
	CopyMS       float64       // to the GPU's memory
	LaunchMS     float64       // of kernels, most of it during their execution
	ComputeMS    float64       // kernel launch and execution on the GPU
	OverheadMS   float64       // framework between steps
	T            time.Duration // completion time on the board's clock
}

// job is the running workload.
type job struct {
	label     string
	workload  physics.Workload
	perEpoch  int
	count     int                // minibatches done
	ended     time.Duration      // completion of the last one
	last      physics.Conditions // its conditions
	coldShare float64            // share of the data not cached when this epoch began
}

// Cost of a job's first minibatches, and of reading uncached data.
const (
	firstFactor   = 5.0 // kernel selection: compute of the very first
	changedFactor = 1.8 // first after a change of clocks
	hangLimit     = 24 * time.Hour
)

// Job is a workload to start.
type Job struct {
	Workload string
	Batch    int  // 0: the workload's default
	Workers  *int // loader processes; nil: the workload's default
}

// StartWorkload starts a workload, which then determines power, load and heat. batch 0 means the workload's default. A
// replay accepts any name as a label.
func (b *Board) StartWorkload(name string, batch int) error {
	return b.Start(Job{Workload: name, Batch: batch})
}

// Start is StartWorkload with a number of loader processes.
func (b *Board) Start(j Job) error {
	w, known := physics.Find(j.Workload)
	if !known {
		if b.table == nil {
			return unknown(j.Workload)
		}
		w = physics.Workloads()[0] // for its shares of load and power
	}
	if j.Batch < 0 || j.Batch > 1024 {
		return fmt.Errorf("batch size %d: want 1 to 1024, or 0 for the workload's own", j.Batch)
	}
	if err := b.Fits(j.Workload, j.Batch); err != nil {
		return err
	}
	w = w.On(b.chip).Sized(j.Batch)
	if b.table != nil {
		if _, ok := b.table.of(w.Batch); !ok {
			return fmt.Errorf("%s does not hold batch size %d, only %v", b.table.name, w.Batch,
				slices.Sorted(maps.Keys(b.table.sizes)))
		}
	}
	if j.Workers != nil && b.table == nil && !w.Infers() { // a table was measured with its own number
		if *j.Workers < 0 || *j.Workers > 64 {
			return fmt.Errorf("%d loader processes: want 0 to 64", *j.Workers)
		}
		w.Workers = *j.Workers
	}
	defer b.enter()()
	if w.InMemory && b.table == nil { // read before the first minibatch
		b.readMB += (1 - b.cached[w.Name]) * w.DatasetMB
		b.cached[w.Name] = b.cacheable(w)
	}
	perEpoch := w.Minibatches(w.Batch)
	if w.Infers() {
		perEpoch = math.MaxInt
	}
	b.job, b.pair = &job{label: j.Workload, workload: w, perEpoch: perEpoch, ended: b.at, coldShare: b.cold(w)}, nil
	b.lost = 0
	b.retarget()
	return nil
}

// Resize changes the batch size of the running inference job.
func (b *Board) Resize(batch int) {
	defer b.enter()()
	if j := b.job; j != nil && j.workload.Infers() && b.table == nil && batch > 0 && batch != j.workload.Batch {
		j.workload = j.workload.Sized(batch)
		b.retarget()
	}
}

// Cached returns the share, 0 to 1, of a workload's data in the page cache; absent in a replay, whose table lacks it.
func (b *Board) Cached(workload string) tegra.Val[float64] {
	defer b.enter()()
	if b.table != nil {
		return tegra.Val[float64]{}
	}
	return tegra.Some(b.cached[workload])
}

// SetCached loads a workload's data into the page cache up to that share, or as far as memory allows; 0 drops them.
func (b *Board) SetCached(workload string, share float64) {
	defer b.enter()()
	most := 1.0
	if w, known := physics.Find(workload); known && b.table == nil {
		most = b.cacheable(w)
	}
	b.cached[workload] = max(0, min(most, share))
	if b.job != nil && b.job.workload.Name == workload {
		b.job.coldShare = b.cold(b.job.workload)
	}
}

func unknown(workload string) error {
	return fmt.Errorf("workload %q cannot be simulated, a virtual board runs no commands: try it on a Jetson, "+
		"or take one of %s", workload, strings.Join(Workloads(), " "))
}

// StopWorkload stops the workload, if one runs.
func (b *Board) StopWorkload() {
	defer b.enter()()
	b.job, b.pair = nil, nil
	b.retarget()
}

// NextMinibatch advances the clock by one minibatch of the running workload under the current knobs, and returns it.
func (b *Board) NextMinibatch(ctx context.Context) (Minibatch, error) {
	j, m, wait, err := b.begin()
	if err != nil {
		if errors.Is(err, ErrSilent) {
			return Minibatch{}, b.hang(ctx, err)
		}
		return Minibatch{}, err
	}
	if wait > 0 && b.follows() {
		wait = max(wait, lump)
	}
	if err := b.clock.Sleep(ctx, wait); err != nil {
		return Minibatch{}, err
	}
	return b.end(j, m)
}

// lump is the shortest sleep of a minibatch's reader while the clock follows the machine's: minibatches completed in
// that time are returned together, each with its own time. Waking up for each costs more than simulating it.
const lump = 250 * time.Millisecond

// follows reports whether the clock follows the machine's.
func (b *Board) follows() bool { return !math.IsInf(b.clock.Speed(), 1) }

// begin computes the minibatch that starts now and its remaining time.
func (b *Board) begin() (*job, Minibatch, time.Duration, error) {
	defer b.enter()()
	j := b.job
	switch f := b.faults; {
	case j == nil:
		return nil, Minibatch{}, 0, ErrStopped
	case f.DieAfter > 0 && j.count >= f.DieAfter:
		b.job = nil
		b.retarget()
		return nil, Minibatch{}, 0, fmt.Errorf("after %d minibatches: %w", j.count, ErrDied)
	case f.HangAfter > 0 && j.count >= f.HangAfter:
		return nil, Minibatch{}, 0, fmt.Errorf("after %d minibatches: %w", j.count, ErrSilent)
	}
	if b.at-j.ended > b.slack() {
		j.ended = b.at // the reader was late; the job waited at its full pipe
		b.lost = 0
	}
	m := b.minibatch(j)
	m.T = j.ended + time.Duration(math.Round(m.TimeMS*float64(time.Millisecond)))
	return j, m, m.T - b.at, nil
}

// slack is how late a reader may be without stalling the job: a lump and a tick of the machine, none at full speed.
func (b *Board) slack() time.Duration {
	if !b.follows() {
		return 0
	}
	return lump + time.Duration(b.clock.Speed()*float64(50*time.Millisecond))
}

// end counts a completed minibatch.
func (b *Board) end(j *job, m Minibatch) (Minibatch, error) {
	defer b.enter()()
	if b.job != j {
		return Minibatch{}, ErrStopped
	}
	j.count++
	j.ended, j.last = m.T, b.steady.conditions
	name := j.workload.Name
	if b.table == nil {
		b.readMB += j.coldShare * j.workload.DatasetMB / float64(j.perEpoch)
	}
	if now := b.cached[name]; now < b.cacheable(j.workload) {
		b.cached[name] = min(b.cacheable(j.workload), now+1/float64(j.perEpoch))
	}
	if j.count%j.perEpoch == 0 {
		j.coldShare = b.cold(j.workload)
	}
	return m, nil
}

// minibatch returns the next minibatch: the steady one with its individual variations.
func (b *Board) minibatch(j *job) Minibatch {
	s := b.steady.steps
	if later := b.coldLater(j.workload); math.Abs(j.coldShare-later) > 1e-9 {
		usual := j.workload.Run(b.chip, b.steady.conditions, b.reading(j.workload, later))
		now := j.workload.Run(b.chip, b.steady.conditions, b.reading(j.workload, j.coldShare))
		s.FetchMS += now.FetchMS - usual.FetchMS
		s.StallMS += now.StallMS - usual.StallMS
	}
	if j.count == 0 {
		s.ComputeMS = s.ComputeMS*firstFactor + b.model.firstMS
	} else if j.last != b.steady.conditions {
		s.ComputeMS *= changedFactor
	}
	m := Minibatch{Epoch: j.count / j.perEpoch, Index: j.count % j.perEpoch, Parts: b.table == nil,
		FetchMS: s.FetchMS, PrepareMS: s.PrepareMS, CopyMS: s.CopyMS, LaunchMS: s.LaunchMS, StallMS: s.StallMS,
		ComputeMS: s.ComputeMS, OverheadMS: s.OverheadMS}
	b.disturb(j, &m)
	if b.table == nil && b.scatter() > 0 {
		m.OverheadMS += float64(b.lost) / float64(time.Millisecond)
	}
	b.lost = 0
	m.TimeMS = m.StallMS + m.ComputeMS + m.OverheadMS
	if row := b.steady; b.table != nil && b.scatter() == 0 && j.count > 0 && j.last == row.conditions {
		m.TimeMS = b.table.row(row.mode, j.workload.Batch).TimeMS // exact
	}
	if !m.Parts {
		m.FetchMS, m.PrepareMS, m.CopyMS, m.LaunchMS, m.StallMS, m.ComputeMS, m.OverheadMS = 0, 0, 0, 0, 0, 0, 0
	}
	return m
}

// disturb adds noise to a minibatch's parts, and occasionally a system disturbance. Both have a median of 1.
func (b *Board) disturb(j *job, m *Minibatch) {
	noise := b.scatter()
	if noise == 0 {
		return
	}
	key := []uint64{b.seed, hashOf(j.label), uint64(j.count), uint64(b.at / time.Microsecond)}
	factor := func(part uint64) float64 {
		return math.Exp(noise * minibatchSD * clamp(normal(append(key, part)...), 4))
	}
	load, compute := factor(1), factor(2)
	epoch := 1 + noise*b.model.drift*clamp(normal(b.seed, hashOf(j.label), uint64(b.nth), uint64(m.Epoch), 5), 2.3)
	load, compute = load*epoch, compute*epoch
	if noise >= 0.05 && uniform(append(key, 3)...) < hiccupShare {
		compute *= 1.3 + 0.7*uniform(append(key, 4)...)
	}
	for _, ms := range []*float64{&m.FetchMS, &m.PrepareMS, &m.CopyMS, &m.StallMS} {
		*ms *= load
	}
	for _, ms := range []*float64{&m.LaunchMS, &m.ComputeMS, &m.OverheadMS} {
		*ms *= compute
	}
}

// hang blocks like a silent job's reader until ctx ends.
func (b *Board) hang(ctx context.Context, silent error) error {
	for end := b.clock.Now() + hangLimit; b.clock.Now() < end; {
		if err := b.clock.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return silent
}

// Package virtual is a Jetson in memory: the sysfs files of a board whose read
// values follow from the knobs that were written, the workload that runs, and
// a clock that can run fast. It answers from physics or from a measured table.
//
//	Options ──► Board ──► FS ──► tegra.Open, guard (the code of a real board)
//	            │    └──► Clock
//	knobs, workload, heat ──► NextMinibatch ──► profiles/harness
//
// Whatever it answers is a simulation or a replay and is marked as such.
package virtual

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"jtune/tegra"
	"jtune/tegra/boards"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual/heat"
	"jtune/tegra/virtual/physics"
)

// AGXOrin is the name of the default board.
const AGXOrin = "agx-orin"

// Simulates reports whether the physics knows a workload, of training or of inference.
func Simulates(workload string) bool {
	_, known := physics.Find(workload)
	return known
}

// InferenceJobs lists the inference jobs that the physics knows.
func InferenceJobs() []string { return physics.InferenceJobs() }

// Workloads lists the training jobs that the physics knows.
func Workloads() []string {
	var names []string
	for _, w := range physics.Workloads() {
		names = append(names, w.Name)
	}
	return names
}

// Estimated reports whether no measurement on this kind of board is behind a
// workload's simulation.
func (b *Board) Estimated(workload string) bool {
	w, _ := physics.Find(workload)
	return !slices.Contains(w.Boards, b.model.name)
}

// Options describe the board to build. Only Name is required.
type Options struct {
	Name   string       // see Names; may be empty with Replay
	Replay *sweep.Table // answers from this table instead of physics
	Speed  float64      // clock seconds per second; 0 means 1, +Inf never sleeps
	Seed   uint64
	Medium string // what the data lie on: ssd, emmc, sd or hdd; "": the board's usual one
	// Instance numbers units of a board, which differ a little; 0 is the mean of all.
	Instance int
	// Quirks shows the vendor's known fault: on L4T 32 power reads 15 % too low after 16 h of reading.
	Quirks bool
	// Noise scales the scatter of times and sensor readings. nil: 1; for a
	// replay less, and 0 at full speed, which returns exactly the table's numbers.
	Noise  *float64
	Faults Faults
	Chip   *physics.Chip // other constants than the board's own, to try what follows from them; nil: its own
}

// Board is a virtual Jetson. It is safe for use by several goroutines; with
// one driver equal seeds give equal runs.
type Board struct {
	clock *Clock
	noise tegra.Val[float64]
	seed  uint64
	model model
	facts boards.Facts
	chip  physics.Chip
	rails []rail
	drive medium
	on    string     // the name of drive
	unit  [2]float64 // this instance's time and power, as factors
	nth   int        // this instance
	lists lists
	table *replay // nil: physics
	root  *node

	mu      sync.Mutex
	at      time.Duration // up to which the state below is worked out
	knobs   knobs
	job     *job     // nil: nothing runs
	pair    *pairing // of two jobs that share the board, job the first of them; nil: one runs
	cached  map[string]float64
	steady  steady // what the board tends to under the knobs and the job
	from    physics.Power
	since   time.Duration             // when it began to tend there, coming from from
	splits  map[int64][summed]measure // exact rails by µW
	heat    heat.State
	cooling heat.Cooling
	cpu     []jiffies
	spent   clockTimes // at each clock since boot
	readMB  float64    // from the drive since boot
	faults  Faults
	used    map[int]int // uses of Faults.Files by index

	quirky    bool          // see Options.Quirks
	readSince time.Duration // when a rail was read first; 0: never
	lost      time.Duration // by the job to the rails being read, since its last minibatch
}

// New builds a board at its state after boot: clocks free, nothing
// running. An unknown name is a tegra.ErrNoDevice.
func New(o Options) (*Board, error) {
	if o.Name == "" && o.Replay != nil {
		o.Name = AGXOrin
	}
	m, known := modelNamed(o.Name)
	if !known {
		return nil, fmt.Errorf("%w: virtual:%s; there are virtual:%s", tegra.ErrNoDevice, o.Name,
			strings.Join(Names(), ", virtual:"))
	}
	if o.Chip == nil {
		chip := physics.On(m.name)
		o.Chip = &chip
	}
	return newBoard(m, o)
}

// newBoard is New of a kind of board, whose chip is given.
func newBoard(m model, o Options) (*Board, error) {
	if o.Noise != nil && !(*o.Noise >= 0 && *o.Noise <= 100) {
		return nil, fmt.Errorf("noise of %g: want 0 to 100, 1 is usual", *o.Noise)
	}
	b := &Board{clock: newClock(o.Speed), seed: o.Seed, model: m, facts: boards.Of(m.facts), chip: *o.Chip,
		cached: map[string]float64{}, used: map[int]int{}, splits: map[int64][summed]measure{}}
	b.lists, b.cooling = m.lists(b.facts), m.cooling
	if m.cooling == (heat.Cooling{}) {
		b.cooling = heat.Of(m.name)
	}
	if o.Medium == "" {
		o.Medium = m.media[0]
	}
	if err := b.setMedium(o.Medium); err != nil {
		return nil, err
	}
	b.quirky = o.Quirks && strings.HasPrefix(b.facts.L4T, "32.")
	if o.Instance < 0 {
		return nil, fmt.Errorf("instance %d: want a number from 1 on, 0 is the mean of all units", o.Instance)
	}
	b.setInstance(o.Instance)
	if o.Noise != nil {
		b.noise = tegra.Some(*o.Noise)
	}
	if o.Replay != nil {
		var err error
		if b.table, err = newReplay(o.Replay, b.lists); err != nil {
			return nil, err
		}
		b.lists = b.table.lists
		widen(&b.facts, b.lists.cores)
	}
	presets := b.presets()
	start := presets[0]
	if i := slices.IndexFunc(presets, func(p preset) bool { return p.id == m.boot }); i > 0 {
		start = presets[i]
	}
	b.knobs = newKnobs(b.lists, b.facts.CPU.Leaders, clocks(b.facts.CPU.Low, tegra.KHz)[0], len(m.idle), start,
		b.configuration(presets))
	if recorded := clocks(b.facts.Memory.Now, tegra.Hz); recorded != nil {
		b.knobs.emcIdle = recorded[0]
	}
	b.cpu = make([]jiffies, b.lists.cores)
	b.spent = newClockTimes(len(b.knobs.policy))
	b.faults = o.Faults.clone()
	b.holdClocks()
	b.retarget()
	b.from = b.steady.steps.Power // at rest since long
	b.heat = b.cooling.At(warms(b.from), b.air(), b.faults.FanStuck)
	b.root = &node{kids: map[string]*node{}}
	b.build()
	return b, nil
}

// FS is the board's file tree, seen with root's rights.
func (b *Board) FS() tegra.FS { return files{b} }

// Clock is the board's clock.
func (b *Board) Clock() *Clock { return b.clock }

// Open finds the board through its files as on a real Jetson. The result is
// marked virtual; the space of a replay is just the table's modes.
func (b *Board) Open() (*tegra.Sysfs, error) {
	s, err := tegra.Open(b.FS(), b.clock)
	if err != nil {
		return nil, fmt.Errorf("virtual board: %w", err)
	}
	if b.table == nil {
		s.MarkVirtual("")
		return s, nil
	}
	s.MarkVirtual(b.table.name)
	if b.table.foreign {
		s.Rename("Replayed board")
	}
	s.SetSpace(b.table.space)
	return s, nil
}

// Inject replaces the faults in force.
func (b *Board) Inject(f Faults) {
	defer b.enter()()
	b.faults, b.used = f.clone(), map[int]int{}
	b.holdClocks()
	b.retarget()
}

// replayScatter is a replay's scale of noise at other than full speed.
const replayScatter = 0.4

// scatter is the scale of all noise just now.
func (b *Board) scatter() float64 {
	switch {
	case b.noise.OK:
		return b.noise.V
	case b.table == nil:
		return 1
	case math.IsInf(b.clock.Speed(), 1):
		return 0
	}
	return replayScatter
}

// enter locks the board and brings its state up to now. Its result unlocks.
func (b *Board) enter() (leave func()) {
	b.mu.Lock()
	b.advance(b.clock.Now())
	return b.mu.Unlock
}

// changed runs f, which writes a knob, and lets the board tend to what follows.
func (b *Board) changed(f func() error) error {
	err := f()
	b.retarget()
	return err
}

// longestStep of the state's bookkeeping, and how many steps at most: a clock
// that leaps far is worked out more coarsely.
const (
	longestStep = 2 * time.Second
	mostSteps   = 300
)

// advance works out heat, throttling and CPU times from b.at to now.
func (b *Board) advance(now time.Duration) {
	step := max(longestStep, (now-b.at)/mostSteps)
	for b.at < now {
		dt := min(step, now-b.at)
		b.at += dt
		left, turned := b.warm(dt)
		b.at, dt = b.at-left, dt-left
		for i := range b.cpu {
			b.cpu[i].add(dt, b.steady.coreBusy[i])
		}
		b.countClocks(dt)
		if turned {
			b.retarget()
		}
	}
}

// settling is how power goes to its new level after a change: published as 2
// to 3 s. It ends for good, so that what is measured afterwards is exact.
const (
	settleTau = 450 * time.Millisecond
	settleEnd = 2 * time.Second
)

// powers returns the power at a time.
func (b *Board) powers(at time.Duration) physics.Power {
	return b.steady.steps.Power.Toward(b.from, remaining(at-b.since))
}

// remaining is the share of a change that is still to come after d: 1 at 0,
// and exactly 0 from settleEnd on.
func remaining(d time.Duration) float64 {
	if d >= settleEnd {
		return 0
	}
	end := math.Exp(-float64(settleEnd) / float64(settleTau))
	return (math.Exp(-float64(max(d, 0))/float64(settleTau)) - end) / (1 - end)
}

// retarget works out what the board tends to now. Nothing happens when that
// is what it tends to already.
func (b *Board) retarget() {
	next := b.tendency()
	if next.steps.Power != b.steady.steps.Power {
		b.from, b.since = b.powers(b.at), b.at
	}
	b.steady = next
}

// Package virtual is a Jetson in memory: sysfs files whose values follow from the written knobs, the running workload,
// and a clock that can run fast. It answers from a physics model or from a measured table.
//
//	Options ──► Board ──► FS ──► tegra.Open, guard (the code of a real board)
//	            │    └──► Clock
//	knobs, workload, heat ──► NextMinibatch ──► profiles/harness
//
// All its answers are simulated or replayed, and marked as such.
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

// Simulates reports whether the physics model has a workload, for training or inference.
func Simulates(workload string) bool {
	_, known := physics.Find(workload)
	return known
}

// InferenceJobs lists the inference jobs of the physics model.
func InferenceJobs() []string { return physics.InferenceJobs() }

// Workloads lists the training jobs of the physics model.
func Workloads() []string {
	var names []string
	for _, w := range physics.Workloads() {
		names = append(names, w.Name)
	}
	return names
}

// Estimated reports whether a workload's simulation lacks measurements on this kind of board.
func (b *Board) Estimated(workload string) bool {
	w, _ := physics.Find(workload)
	return !slices.Contains(w.Boards, b.model.name)
}

// Options describe the board to build. Only Name is required.
type Options struct {
	Name   string       // see Names; may be empty with Replay
	Replay *sweep.Table // answers from this table instead of the physics model
	Speed  float64      // clock seconds per second; 0 means 1, +Inf never sleeps
	Seed   uint64
	Medium string // drive of the data: ssd, emmc, sd or hdd; "": the board's default
	// Instance is the number of the unit; units differ slightly, and 0 is the mean of all.
	Instance int
	// Quirks enables NVIDIA's known fault: on L4T 32 power reads 15 % too low after 16 h of reading.
	Quirks bool
	// Noise scales the noise of times and sensor readings. nil: 1; in a replay less, and 0 at full speed, which returns
	// exactly the table's numbers.
	Noise  *float64
	Faults Faults
	Chip   *physics.Chip // other constants, to study their effect; nil: the board's
}

// Board is a virtual Jetson. It is safe for concurrent use; with one driver equal seeds give equal runs.
type Board struct {
	clock *Clock
	noise tegra.Val[float64]
	seed  uint64
	model model
	facts boards.Facts
	chip  physics.Chip
	rails []rail
	drive medium
	on    string     // name of drive
	unit  [2]float64 // time and power factors of this instance
	nth   int        // number of this instance
	lists lists
	table *replay // nil: physics
	files *tegra.Nodes

	mu      sync.Mutex
	at      time.Duration // time of the state below
	knobs   knobs
	job     *job     // nil: nothing runs
	pair    *pairing // two jobs that share the board; job is the first. nil: at most one runs
	cached  map[string]float64
	steady  steady // steady state under the knobs and the job
	from    physics.Power
	since   time.Duration             // start of the transition to it from from
	splits  map[int64][summed]measure // exact rails by µW
	heat    heat.State
	cooling heat.Cooling
	cpu     []jiffies
	spent   clockTimes // at each clock since boot
	readMB  float64    // from the drive since boot
	faults  Faults
	used    map[int]int // uses of Faults.Files by index

	quirky    bool          // see Options.Quirks
	readSince time.Duration // first reading of a rail; 0: none
	lost      time.Duration // time that reading rails has cost the job since its last minibatch
}

// New builds a board in its state after boot: clocks free, nothing running. An unknown name is a tegra.ErrNoDevice.
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

// newBoard is New for a model with a given chip.
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
	b.from = b.steady.steps.Power // settled
	b.heat = b.cooling.At(warms(b.from), b.air(), b.faults.FanStuck)
	b.files = &tegra.Nodes{Enter: b.enter, Edited: b.clock.start, Before: b.faulty}
	b.build()
	return b, nil
}

// FS returns the board's file tree with root's rights.
func (b *Board) FS() tegra.FS { return b.files }

// Clock returns the board's clock.
func (b *Board) Clock() *Clock { return b.clock }

// Open opens the board through its files like a real Jetson. The result is marked virtual; the space of a replay is its
// table's modes.
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

// Inject replaces the current faults.
func (b *Board) Inject(f Faults) {
	defer b.enter()()
	b.faults, b.used = f.clone(), map[int]int{}
	b.holdClocks()
	b.retarget()
}

// replayScatter is the default noise scale of a replay below full speed.
const replayScatter = 0.4

// scatter returns the current noise scale.
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

// enter locks the board and updates its state to now. The result unlocks it.
func (b *Board) enter() (leave func()) {
	b.mu.Lock()
	b.advance(b.clock.Now())
	return b.mu.Unlock
}

// changed runs f, which writes a knob, and starts the transition to the new steady state.
func (b *Board) changed(f func() error) error {
	err := f()
	b.retarget()
	return err
}

// The longest step of the state's update, and the most steps: long intervals are computed more coarsely.
const (
	longestStep = 2 * time.Second
	mostSteps   = 300
)

// advance updates heat, throttling and CPU times from b.at to now.
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

// Transition of power to a new level: published as 2 to 3 s. It ends completely, so that later measurements are exact.
const (
	settleTau = 450 * time.Millisecond
	settleEnd = 2 * time.Second
)

// powers returns the power at a time.
func (b *Board) powers(at time.Duration) physics.Power {
	return b.steady.steps.Power.Toward(b.from, remaining(at-b.since))
}

// remaining returns the share of a transition still to come after d: 1 at 0, and exactly 0 from settleEnd on.
func remaining(d time.Duration) float64 {
	if d >= settleEnd {
		return 0
	}
	end := math.Exp(-float64(settleEnd) / float64(settleTau))
	return (math.Exp(-float64(max(d, 0))/float64(settleTau)) - end) / (1 - end)
}

// retarget computes the steady state. It does nothing if that is unchanged.
func (b *Board) retarget() {
	next := b.tendency()
	if next.steps.Power != b.steady.steps.Power {
		b.from, b.since = b.powers(b.at), b.at
	}
	b.steady = next
}

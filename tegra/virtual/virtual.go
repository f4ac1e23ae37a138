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
	"context"
	"errors"
	"time"

	"jtune/tegra"
	"jtune/tegra/sweep"
)

// ErrDied is how a workload ends that Faults.DieAfter kills.
var ErrDied = errors.New("workload died (injected fault)")

// Options say which board to build. Only Name is needed.
type Options struct {
	Name   string       // "agx-orin"
	Replay *sweep.Table // answers from this table instead of physics
	Speed  float64      // clock seconds per second; 0 means 1, +Inf never sleeps
	Seed   uint64
	// Noise scales the scatter of times and sensor readings. nil: 1, but 0 for
	// a replay at full speed, which then gives exactly the table's numbers.
	Noise  *float64
	Faults Faults
}

// Minibatch is one step of training, timed as method note c.1 says.
type Minibatch struct {
	Epoch, Index int     // from 0
	TimeMS       float64 // end to end: stall + compute + overhead
	FetchMS      float64 // work of fetching and preprocessing, hidden or not
	StallMS      float64 // part of the fetch that compute does not hide
	ComputeMS    float64 // kernel launch and execution on the GPU
	OverheadMS   float64 // framework between steps
	T            time.Duration
}

// Board is a virtual Jetson.
type Board struct{ clock *Clock }

// New builds a board at its state after boot.
func New(o Options) (*Board, error) { panic("not yet") }

// Names lists the boards that New knows.
func Names() []string { return []string{"agx-orin"} }

// Workloads lists the workloads that the physics knows.
func Workloads() []string {
	return []string{"resnet18", "mobilenet", "yolov8n", "bert", "lstm", "lenet5", "vgg11"}
}

// FS is the board's file tree, seen with root's rights.
func (b *Board) FS() tegra.FS { panic("not yet") }

// Clock is the board's clock.
func (b *Board) Clock() *Clock { return b.clock }

// Inject replaces the faults in force.
func (b *Board) Inject(f Faults) { panic("not yet") }

// StartWorkload begins a workload: power, load and heat follow from now on.
// batch 0 means the workload's own. A replay takes any name as a label.
func (b *Board) StartWorkload(name string, batch int) error { panic("not yet") }

// NextMinibatch moves the clock by one minibatch of the running workload under
// the knobs as they are now.
func (b *Board) NextMinibatch(ctx context.Context) (Minibatch, error) { panic("not yet") }

// StopWorkload ends the workload, if one runs.
func (b *Board) StopWorkload() { panic("not yet") }

// Truth gives time per minibatch and module power of a workload in a mode,
// steady and free of noise.
func (b *Board) Truth(workload string, m tegra.Mode) (timeMS, powerW float64, err error) {
	panic("not yet")
}

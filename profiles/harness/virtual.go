package harness

import (
	"jtune/tegra/virtual"
)

// VirtualOptions say what a virtual board trains.
type VirtualOptions struct {
	Workload string
	Batch    int
	PerEpoch int // minibatches; 0: one endless epoch
	Epochs   int // 0: goes on for ever
}

// Virtual is a job on a virtual board: its minibatches are the board's, on
// the board's clock.
func Virtual(b *virtual.Board, o VirtualOptions) Harness { panic("not yet") }

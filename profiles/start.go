package profiles

import (
	"context"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

// HarnessOptions say where a workload runs.
type HarnessOptions struct {
	Virtual *virtual.Board // nil: the workload's own command
	Clock   tegra.Clock
	Log     string        // file for what the command says besides events
	Silence time.Duration // 60 s
	Epochs  int           // 0: goes on until it is stopped
}

// NewHarness gives what a Bench starts the workload with. A workload without
// a command cannot run off a virtual board: the error says what to write where.
func (w Workload) NewHarness(o HarnessOptions) func(context.Context) (harness.Harness, error) {
	panic("not yet")
}

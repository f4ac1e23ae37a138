package profiles

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

// HarnessOptions say where a workload runs.
type HarnessOptions struct {
	Virtual *virtual.Board // nil: the workload's own command
	Clock   tegra.Clock    // stamps events; the machine's when nil
	Log     string         // file for what the command says besides events
	Silence time.Duration  // the workload's own when 0
	Epochs  int            // 0: goes on until it is stopped
}

// NewHarness gives what a Bench starts the workload with. A workload without
// a command runs on a virtual board alone; elsewhere starting it is an error
// that wraps ErrNoCommand.
func (w Workload) NewHarness(o HarnessOptions) func(context.Context) (harness.Harness, error) {
	if o.Silence <= 0 {
		o.Silence = time.Duration(w.SilenceS) * time.Second
	}
	if o.Virtual != nil {
		return func(context.Context) (harness.Harness, error) {
			return harness.Virtual(o.Virtual, harness.VirtualOptions{Workload: w.Name, Batch: w.Batch,
				PerEpoch: w.MinibatchesPerEpoch(), Epochs: o.Epochs, Silence: o.Silence})
		}
	}
	return func(ctx context.Context) (harness.Harness, error) {
		if len(w.Command) == 0 {
			return nil, fmt.Errorf("workload %s: %w: write command = [\"program\", \"argument\"] under [workload.%s] in your workloads file", w.Name, ErrNoCommand, w.Name)
		}
		return harness.Exec(ctx, harness.ExecOptions{Command: w.Command, Dir: w.Dir, Env: w.environment(o.Epochs), Log: o.Log, Silence: o.Silence, Clock: o.Clock})
	}
}

// environment is what a command learns of its settings; see package harness.
func (w Workload) environment(epochs int) map[string]string {
	env := map[string]string{
		"JTUNE_PROTOCOL": "1",
		"JTUNE_WORKLOAD": w.Name,
		"JTUNE_BATCH":    strconv.Itoa(w.Batch),
		"JTUNE_WORKERS":  strconv.Itoa(w.Workers),
		"JTUNE_PREFETCH": strconv.Itoa(w.Prefetch),
		"JTUNE_EPOCHS":   strconv.Itoa(epochs),
	}
	maps.Copy(env, w.Env)
	return env
}

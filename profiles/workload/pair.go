package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/serve"
	"jtune/tegra/virtual"
)

// Pair is a training and an inference workload that share a GPU; or only the inference, with Train the zero value.
type Pair struct{ Train, Infer Workload }

// takesNoTurns returns why a job of the workload cannot take turns; "" if it can.
func (w *Workload) takesNoTurns() string {
	switch {
	case w.Serves():
		return fmt.Sprintf("workload %s is a server: it takes no turns", w.Name)
	case w.Container.Image != "":
		return fmt.Sprintf("workload %s runs in a container, where it takes no turns", w.Name)
	case w.Pattern != "":
		return fmt.Sprintf("workload %s is read by a pattern: a job takes turns by jtune.turn of jtune.py", w.Name)
	}
	return ""
}

// UnpacedFault returns why requests cannot be sent to the workload at a rate; "" if they can: to a server, and to a job
// that takes turns per batch. A script is judged by its text.
func (w *Workload) UnpacedFault() string {
	switch {
	case w.Serves():
		return ""
	case w.Elsewhere != nil:
		return fmt.Sprintf("workload %s was started elsewhere: it takes no turns", w.Name)
	case w.takesNoTurns() == "" && !w.reads(harness.TurnVariable) && !w.reads("jtune.turn"):
		return fmt.Sprintf("workload %s takes no turns: its script calls jtune.turn of jtune.py nowhere", w.Name)
	}
	return w.takesNoTurns()
}

// Fault returns why the two cannot share a GPU; "" if they can.
func (p Pair) Fault() string {
	for _, w := range []Workload{p.Train, p.Infer} {
		if why := w.takesNoTurns(); why != "" {
			return why
		}
	}
	switch {
	case p.Train.Infers():
		return fmt.Sprintf("workload %s answers requests: it is no training", p.Train.Name)
	case !p.Infer.Infers():
		return fmt.Sprintf("workload %s trains: it answers no requests", p.Infer.Name)
	case p.Train.Beside() != p.Infer.Beside():
		return fmt.Sprintf("%s and %s: one of them runs on this machine beside a virtual board, the other one on the "+
			"board", p.Train.Name, p.Infer.Name)
	}
	return ""
}

// besideCommands is the workload of a virtual board whose power is combined with a command of the user.
const besideCommands = "resnet18"

// SimulatedName is the name under which a virtual board knows the workload's network; "" where it has none.
func (w *Workload) SimulatedName() string {
	if w.OnHost {
		return besideCommands
	}
	if w.Torch.Net == "" || !w.Infers() {
		return w.Torch.Net
	}
	return w.Torch.Net + "-infer"
}

// NewHarness returns the function with which a Bench starts both at a batch size of the inference.
func (p Pair) NewHarness(o HarnessOptions,
	how turns.Options) func(context.Context, int) (harness.Harness, error) {
	return func(ctx context.Context, batch int) (harness.Harness, error) {
		how := how
		jobs := [2]Workload{p.Train, p.Infer.AtBatch(batch)}
		how.Clock, how.Board, how.Batch = o.Clock, o.Virtual, jobs[1].Batch
		really := o.Virtual == nil || p.Infer.Beside()
		if really {
			how.Jobs = make([]harness.ExecOptions, len(jobs))
		}
		for i, w := range jobs {
			if w.Name == "" {
				continue
			}
			how.Names[i] = w.Name
			how.First[i], _ = w.silence(o)
			how.Simulated[i] = w.simulated()
			if !really {
				continue
			}
			var err error
			if how.Jobs[i], err = w.job(o); err != nil {
				return nil, fmt.Errorf("workload %s: %w", w.Name, err)
			}
		}
		h, err := turns.Start(ctx, how)
		if err != nil {
			return nil, err
		}
		return h, nil
	}
}

// simulated returns the virtual board's job for the workload, even if only its power is used with a real job.
func (w Workload) simulated() virtual.Job {
	job := virtual.Job{Workload: w.Name, Batch: w.Batch}
	if w.Beside() {
		job.Workload = w.SimulatedName()
	}
	if !w.Infers() {
		job.Workers = &w.Workers
	}
	return job
}

// pacedWarmUp is how many batches go before the requests arrive: the first ones load kernels.
const pacedWarmUp = 20

// paced returns the function with which a Bench starts an inference job whose requests arrive at the rate of the
// workload's load.
func (w *Workload) paced(o HarnessOptions) func(context.Context, int) (harness.Harness, error) {
	if why := w.UnpacedFault(); why != "" {
		return func(context.Context, int) (harness.Harness, error) { return nil, errors.New(why) }
	}
	return Pair{Infer: *w}.NewHarness(o, turns.Options{Load: w.Load.arrivals(0), WarmUp: pacedWarmUp,
		MaxWait: time.Duration(w.Load.MaxWaitMS * float64(time.Millisecond)), Seed: serve.LoadSeed})
}

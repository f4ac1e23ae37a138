package workload

import (
	"context"
	"fmt"

	"jtune/profiles/harness"
	"jtune/tegra/virtual"
)

// Pair is a training and an inference workload that share a GPU.
type Pair struct{ Train, Infer Workload }

// Fault is why the two cannot share a GPU, "" where they can.
func (p Pair) Fault() string {
	for _, w := range []Workload{p.Train, p.Infer} {
		switch {
		case w.Serves():
			return fmt.Sprintf("workload %s is a server: it takes no turns", w.Name)
		case w.Container.Image != "":
			return fmt.Sprintf("workload %s runs in a container, where it takes no turns", w.Name)
		case w.Pattern != "":
			return fmt.Sprintf("workload %s is read by a pattern: a job takes turns by jtune.turn of jtune.py", w.Name)
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

// NewHarness returns the function with which a Bench starts both at a batch size of the inference.
func (p Pair) NewHarness(o HarnessOptions,
	how harness.PairOptions) func(context.Context, int) (harness.Harness, error) {
	return func(ctx context.Context, batch int) (harness.Harness, error) {
		how, train, infer := how, p.Train, p.Infer.AtBatch(batch)
		how.Names, how.Clock, how.Board, how.Batch = [2]string{train.Name, infer.Name}, o.Clock, o.Virtual, infer.Batch
		how.First[0], _ = train.silence(o)
		how.First[1], _ = infer.silence(o)
		if o.Virtual != nil {
			names := [2]string{train.Name, infer.Name}
			if train.Beside() {
				names = [2]string{train.Torch.Net, infer.Torch.Net + "-infer"}
			}
			workers := train.Workers
			how.Simulated = [2]virtual.Job{{Workload: names[0], Batch: train.Batch, Workers: &workers},
				{Workload: names[1], Batch: infer.Batch}}
		}
		if o.Virtual == nil || train.Beside() {
			for _, w := range []Workload{train, infer} {
				job, err := w.job(o)
				if err != nil {
					return nil, fmt.Errorf("workload %s: %w", w.Name, err)
				}
				how.Jobs = append(how.Jobs, job)
			}
		}
		h, err := harness.StartPair(ctx, how)
		if err != nil {
			return nil, err
		}
		return h, nil
	}
}

package pair

import (
	"errors"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize/mix"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// errPairRate: a pair needs a rate. A closed loop leaves no time to train.
var errPairRate = errors.New("a pair needs a rate, such as 60/s")

// Ask returns what the pair must meet, without a margin because pairs are measured. Errors are usage errors.
func (r Request) Ask(seed uint64) (mix.Ask, error) {
	ask, err := mix.AskOf(r.Question, seed)
	if err == nil && !ask.Load.Open() {
		err = usage.Of(errPairRate)
	}
	ask.Tau, ask.Goal.Margin = r.Tau, metric.NoMargin
	return ask, err
}

// PairSizes returns the default batch sizes of an inference to choose among; nil: it has only one.
func PairSizes(infer workload.Workload) []int {
	if sizes := tegra.Among(tegra.Sizes(infer.Batches...)); sizes != nil || !infer.TakesBatch() {
		return sizes
	}
	return slices.Clone(PairBatches)
}

// PairName formats a pair for the dialog.
func PairName(train, infer string) string { return train + " + " + infer }

// ParsePair parses "A + B", a training and an inference workload from a list, in either order.
func ParsePair(list []workload.Workload, line string) (p workload.Pair, err error) {
	names := strings.Split(line, "+")
	if len(names) != 2 {
		return p, usage.Errorf("want two workloads, such as resnet18 + mobilenet-infer")
	}
	var two [2]workload.Workload
	for i, name := range names {
		if two[i], err = workload.Find(list, name); err != nil {
			return p, usage.Errorf("%q is not a workload", text.Clip(strings.TrimSpace(name)))
		}
	}
	if p = (workload.Pair{Train: two[0], Infer: two[1]}); p.Train.Infers() && !p.Infer.Infers() {
		p.Train, p.Infer = p.Infer, p.Train
	}
	switch why := p.Fault(); {
	case !p.Train.Infers() && !p.Infer.Infers():
		return p, usage.Errorf("two training jobs: one of a pair answers requests")
	case p.Train.Infers() && p.Infer.Infers():
		return p, usage.Errorf("two inference jobs: one of a pair trains")
	case why != "":
		return p, usage.Errorf("%s", why)
	}
	return p, nil
}

// PairPartners returns the workloads in a list that can share a GPU with the given one.
func PairPartners(list []workload.Workload, with workload.Workload) []workload.Workload {
	return slices.DeleteFunc(slices.Clone(list), func(w workload.Workload) bool {
		return w.Infers() == with.Infers() || w.Infers() && (workload.Pair{Train: with, Infer: w}).Fault() != "" ||
			with.Infers() && (workload.Pair{Train: w, Infer: with}).Fault() != ""
	})
}

package pair

import (
	"errors"
	"fmt"
	"slices"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// PairRequest asks for the setting in which a training job and an inference job share one GPU.
type PairRequest struct {
	Train, Infer *learn.Model
	metric.Question
	Policy string // "": the better of strict and fill
	Tau    int    // of strict turns: maximum minibatches between two batches; 0: as many as fit
	Seed   uint64
}

// quantiles returns the predicted latencies of an ask in a setting.
func quantiles(a mix.Ask, at tegra.Setting, infer mix.Phase, train *mix.Phase) (out [3]float64) {
	for i, q := range []float64{0.5, 0.95, 0.99} {
		a.Quantile = q
		o, _ := a.Evaluate(at, infer, train)
		out[i] = o.LatencyMS
	}
	return out
}

// Pair chooses the setting and policy with most training within the limits, from the models of both workloads. If none
// meets them, the error is an *optimize.NoSettingError and the answer the nearest.
func Pair(r PairRequest) (Answer, error) {
	if err := r.check(); err != nil {
		return Answer{}, err
	}
	ask, err := mix.AskOf(r.Question, r.Seed)
	if err != nil {
		return Answer{}, err
	}
	if !ask.Load.Open() {
		return Answer{}, usage.Of(errPairRate)
	}
	ask.Tau, ask.Policy = r.Tau, r.Policy
	infer, settings := serving.Phase(outlook.OutlookOf(r.Infer, tegra.Settings(r.Infer.Space.Modes(), r.Infer.Batches)))
	train := trainingPhase(r.Train)
	of := r.Infer.Provenance
	best := Answer{Train: r.Train.Provenance.Workload, Infer: of.Workload, Device: of.Device, Virtual: of.Virtual}
	list, err := ask.Choose(settings, infer, &train)
	if none, infeasible := errors.AsType[*mix.NoSettingError](err); infeasible {
		list = []mix.Outcome{none.Nearest}
	} else if err != nil {
		return Answer{}, err
	}
	best.Outcome, best.Ask, best.Feasible = list[0], ask, err == nil
	best.Ask.Policy = best.Policy
	best.addAlone(settings, infer, train)
	return best, err
}

// check rejects models that cannot belong to one board.
func (r PairRequest) check() error {
	here, there := r.Train.Provenance, r.Infer.Provenance
	same := func(m tegra.Mode) bool { return r.Infer.Space.Contains(m) }
	switch {
	case !r.Train.HasPower() || !r.Infer.HasPower():
		return errors.New("a pair needs the power of both workloads: one of the models has only times")
	case here.Device != "" && there.Device != "" && here.Device != there.Device,
		!slices.ContainsFunc(r.Train.Space.Modes(), same):
		return fmt.Errorf("the models describe two boards, %s and %s: a pair shares one", here.Device, there.Device)
	case here.Virtual != there.Virtual:
		return errors.New("one of the models describes a virtual board, the other does not")
	case len(r.Train.Batches) > 1:
		return usage.Batch.Errorf("the training's model holds batch sizes %v", r.Train.Batches).
			Advise("a training job keeps one, fit it with %s", usage.Batch.Value())
	}
	return nil
}

// trainingPhase returns a training workload in every mode.
func trainingPhase(m *learn.Model) mix.Phase {
	known := slices.Clone(outlook.OutlookOf(m, tegra.Settings(m.Space.Modes(), nil)).Known)
	for i := range known {
		known[i].Batch = 0
	}
	return mix.NewPhase(known)
}

// addAlone adds what each job does without the other.
func (x *Answer) addAlone(settings []tegra.Setting, infer, train mix.Phase) {
	if t, ok := train.At(x.Setting); ok {
		x.TrainAlonePerS, x.TrainAloneW = 1000/t.TimeMS, t.PowerW
	}
	alone := x.Ask
	alone.Policy, alone.Tau = "", 0
	x.Alone, _ = alone.Evaluate(x.Setting, infer, nil)
	x.Quantiles, x.AloneQuantiles = quantiles(x.Ask, x.Setting, infer, &train), quantiles(alone, x.Setting, infer, nil)
	x.Apart = apart(alone, settings, infer)
}

// apart returns the best setting of the inference on a board of its own; absent if none meets the limits.
func apart(alone mix.Ask, settings []tegra.Setting, infer mix.Phase) (best tegra.Val[mix.Outcome]) {
	if list, err := alone.Choose(settings, infer, nil); err == nil {
		best = tegra.Some(list[0])
	}
	return best
}

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

// quantiles returns the predicted latencies of an ask in a setting.
func quantiles(a mix.Ask, at tegra.Setting, infer, train mix.Phase) (out [3]float64) {
	for i, q := range []float64{0.5, 0.95, 0.99} {
		a.Quantile = q
		o, _ := a.Evaluate(at, infer, train)
		out[i] = o.LatencyMS
	}
	return out
}

// Predict chooses the setting and policy with most training within the limits, from the models of both workloads. If
// none meets them, the error is an *optimize.NoSettingError and the answer the nearest.
func Predict(r Request, trains, infers *learn.Model, seed uint64) (Answer, error) {
	if err := onOneBoard(trains, infers); err != nil {
		return Answer{}, err
	}
	ask, err := r.Ask(seed)
	if err != nil {
		return Answer{}, err
	}
	ask.Policy, ask.Goal.Margin = r.Policy, metric.UsualMargin
	infer, settings := serving.Phase(outlook.OutlookOf(infers, tegra.Settings(infers.Space.Modes(), infers.Batches)))
	train, of := trainingPhase(trains), infers.Provenance
	best := Answer{Train: trains.Provenance.Workload, Infer: of.Workload, Device: of.Device, Virtual: of.Virtual}
	list, err := ask.Choose(settings, infer, train)
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

// onOneBoard rejects models that cannot belong to one board.
func onOneBoard(train, infer *learn.Model) error {
	here, there := train.Provenance, infer.Provenance
	switch {
	case !train.HasPower() || !infer.HasPower():
		return errors.New("a pair needs the power of both workloads: one of the models has only times")
	case here.Device != "" && there.Device != "" && here.Device != there.Device,
		!slices.ContainsFunc(train.Space.Modes(), infer.Space.Contains):
		return fmt.Errorf("the models describe two boards, %s and %s: a pair shares one", here.Device, there.Device)
	case here.Virtual != there.Virtual:
		return errors.New("one of the models describes a virtual board, the other does not")
	case len(train.Batches) > 1:
		return usage.Batch.Errorf("the training's model holds batch sizes %v", train.Batches).
			Advise("a training job keeps one, fit it with %s", usage.Batch.Value())
	}
	return nil
}

// trainingPhase returns a training workload in every mode.
func trainingPhase(m *learn.Model) mix.Phase {
	known := slices.Clone(outlook.OutlookOf(m, tegra.Settings(m.Space.Modes(), tegra.Own)).Known)
	for i := range known {
		known[i].Batch = 0
	}
	return mix.NewPhase(known)
}

// addAlone adds what each job does without the other.
func (x *Answer) addAlone(settings []tegra.Setting, infer, train mix.Phase) {
	if t, ok := train.At(tegra.Setting{Mode: x.Mode}); ok {
		x.TrainAlonePerS, x.TrainAloneW = 1000/t.TimeMS, t.PowerW
	}
	alone := x.Ask
	alone.Policy, alone.Tau = "", 0
	x.Alone, _ = alone.Evaluate(x.Setting, infer, mix.Phase{})
	x.Quantiles = quantiles(x.Ask, x.Setting, infer, train)
	x.AloneQuantiles = quantiles(alone, x.Setting, infer, mix.Phase{})
	x.Apart = apart(alone, settings, infer)
}

// apart returns the best setting of the inference on a board of its own; absent if none meets the limits.
func apart(alone mix.Ask, settings []tegra.Setting, infer mix.Phase) (best tegra.Val[mix.Outcome]) {
	if list, err := alone.Choose(settings, infer, mix.Phase{}); err == nil {
		best = tegra.Some(list[0])
	}
	return best
}

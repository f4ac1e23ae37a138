package serving

import (
	"errors"
	"slices"
	"strings"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// LoadView evaluates the settings of an outlook under a load. Screens and commands call it for the best setting and the
// standing of each. It is not safe for concurrent use.
type LoadView struct {
	mix.Ask
	of       *outlook.Outlook // for all batch sizes that the model knows
	infer    mix.Phase
	settings []tegra.Setting // in index order of of
	place    map[tegra.Setting]int
	curve    *mix.LoadCurve
	done     map[tegra.Setting]mix.Outcome // evaluated settings

	// For the displayed modes (ViewUnder), whose batch size may differ from the answer's:
	Best  mix.Outcome // the answer, or the nearest
	None  error       // no setting meets the ask; nil: Best does
	view  *outlook.Outlook
	list  []mix.Outcome // in index order of the view; latency and energy are interpolated
	first int           // index of the best at the view's batch size
	// fronts at the view's batch size: latency and power, latency and energy
	fronts [2][]int
}

// Outlook returns the outlook that the view describes.
func (v *LoadView) Outlook() *outlook.Outlook { return v.of }

// Under returns the view of an outlook under a load.
func Under(o *outlook.Outlook, a mix.Ask) *LoadView {
	v := &LoadView{of: o, place: map[tegra.Setting]int{}, done: map[tegra.Setting]mix.Outcome{}}
	v.infer, v.settings = Phase(o)
	a = a.Corrected(v.infer)
	v.Ask = a
	for i, at := range v.settings {
		v.place[at] = i
	}
	v.curve = a.NewLoadCurve(v.infer)
	return v
}

// Phase returns the workload of an outlook in every setting, and the settings. A model with one batch size has it in
// its provenance.
func Phase(o *outlook.Outlook) (mix.Phase, []tegra.Setting) {
	known := slices.Clone(o.Known)
	settings := make([]tegra.Setting, len(known))
	for i := range known {
		known[i].Setting = serving(o, i)
		settings[i] = known[i].Setting
	}
	return mix.NewPhase(known), settings
}

// serving returns a setting of the outlook with the batch size used for serving.
func serving(o *outlook.Outlook, i int) tegra.Setting {
	return o.Known[i].WithBatch(o.Model.Provenance.Batch)
}

// asking returns the view under another ask, reusing simulations of the same load.
func (v *LoadView) asking(a mix.Ask) *LoadView {
	next := *v
	a = a.Corrected(v.infer)
	next.Ask, next.curve, next.done = a, v.curve.With(a), map[tegra.Setting]mix.Outcome{}
	return &next
}

// Answer returns the best setting and its index. If none meets the ask, it returns the nearest and an
// *mix.NoSettingError.
func (v *LoadView) Answer() (mix.Outcome, int, error) {
	if v.Found != nil {
		if i, known := v.place[*v.Found]; known {
			return v.At(*v.Found), i, nil
		}
	}
	return v.answerOf(v.settings)
}

// answerOf is Answer for some of the settings.
func (v *LoadView) answerOf(settings []tegra.Setting) (mix.Outcome, int, error) {
	list, err := v.Choose(settings, v.infer, mix.Phase{})
	var none *mix.NoSettingError
	switch {
	case errors.As(err, &none):
		return none.Nearest, v.place[none.Nearest.Setting], err
	case err != nil:
		return mix.Outcome{}, -1, err
	}
	best := v.At(list[0].Setting)
	return best, v.place[best.Setting], nil
}

// At evaluates a setting; its latency is simulated if no formula gives it. A search's measured answer needs no margin.
func (v *LoadView) At(at tegra.Setting) mix.Outcome {
	o, known := v.done[at]
	if !known {
		ask := v.Ask
		if v.Found != nil && at == *v.Found {
			ask.Goal.Margin = metric.NoMargin
		}
		o, _ = ask.Evaluate(at, v.infer, mix.Phase{})
		v.done[at] = o
	}
	return o
}

// Standing compares a setting with the limits.
func (v *LoadView) Standing(at tegra.Setting) standing.Standing {
	i, known := v.place[at]
	switch {
	case !known:
		return standing.Standing{State: standing.Unknown}
	case slices.Contains(v.Failed, at): // as shown by requests
		return standing.Standing{State: standing.Over, N: 1, Limited: true}
	case v.Found != nil && at == *v.Found:
		return standing.Standing{State: standing.Measured, N: 2, Limited: true}
	}
	return v.agreed(v.curve.Stand(at, v.of.Readings()[v.of.Known[i].Setting].N), v.At(at))
}

// agreed adjusts a standing to the evaluated outcome of its setting.
func (v *LoadView) agreed(of standing.Standing, o mix.Outcome) standing.Standing {
	if v.Goal.Margin != metric.UsualMargin {
		return of
	}
	return of.Agrees(o.Meets)
}

// Front returns the Pareto front of latency and power, or energy per request, of the settings that keep up with the
// load, fastest first.
func (v *LoadView) Front(energy bool) []mix.Outcome {
	_, cost := ServedCost(v.Ask, energy)
	var list []mix.Outcome
	for _, o := range v.curve.Front(v.settings, cost) {
		if slices.Contains(v.Failed, o.Setting) {
			continue
		}
		if o = v.At(o.Setting); o.Meets {
			list = append(list, o)
		}
	}
	return mix.Thinned(list, cost)
}

// Title names the latency and the load: "p99 at 30/s, Poisson".
func (v *LoadView) Title() string {
	out := QuantileText(v.Quantile)
	if !v.Load.Open() {
		return out + ", " + v.Load.String()
	}
	name := string(v.Load.Pattern)
	if name == "poisson" {
		name = "Poisson"
	}
	rate, _, _ := strings.Cut(v.Load.String(), " ")
	return out + " at " + rate + ", " + name
}

// ViewUnder evaluates the modes of an outlook under a load. It reuses an earlier result for the same model or load;
// before may be nil.
func ViewUnder(o *outlook.Outlook, a mix.Ask, before *LoadView) (v *LoadView, err error) {
	var old *outlook.Outlook
	if before != nil {
		old = before.of
	}
	if of := o.Whole(old); before != nil && old == of {
		v = before.asking(a)
	} else {
		v = Under(of, a)
	}
	if v.Best, _, err = v.Answer(); err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return nil, err
	}
	v.None = err
	estimated := v.list != nil && v.view == o && before.SameLoad(a) && before.SameOff(v.Ask)
	v.view = o
	if !estimated {
		v.list = make([]mix.Outcome, len(o.Known))
		for i := range v.list {
			v.list[i], _ = v.curve.Estimate(v.setting(i))
		}
	}
	own := make([]tegra.Setting, len(o.Known))
	for i := range own {
		own[i] = v.setting(i)
	}
	v.first = v.bestOf(own)
	if i, known := v.view.Index(v.Best.Mode); known && v.Found != nil && v.Best.Setting == *v.Found &&
		v.setting(i) == *v.Found {
		v.first = i
	}
	for energy := range v.fronts {
		v.fronts[energy] = v.frontOfView(own, energy == 1)
	}
	return v, nil
}

// Of reports whether the view belongs to this outlook.
func (v *LoadView) Of(o *outlook.Outlook) bool { return v != nil && v.view == o }

// setting returns a mode of the view with its batch size.
func (v *LoadView) setting(i int) tegra.Setting { return serving(v.view, i) }

// AnswerAmong returns the best of some modes of an outlook, or the nearest; nil: of all. served is what they do under a
// load; nil: the limit alone decides.
func AnswerAmong(o *outlook.Outlook, l metric.Goal, served *LoadView, among []int) int {
	switch {
	case !served.Of(o):
		return o.AnswerAmong(l, among)
	case among == nil:
		return served.first
	}
	return served.bestOf(served.settingsOf(among))
}

// bestOf returns the view's index of the best of some settings, or of the nearest.
func (v *LoadView) bestOf(settings []tegra.Setting) int {
	o, _, err := v.answerOf(settings)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return 0
	}
	i, _ := v.view.Index(o.Mode)
	return i
}

// AtMode evaluates a mode of the view.
func (v *LoadView) AtMode(i int) mix.Outcome { return v.At(v.setting(i)) }

// UnitsPerRequest returns the number of units in a request.
func (v *LoadView) UnitsPerRequest(u Unit) float64 { return u.PerBatch / float64(v.setting(0).Batch) }

// ModeStanding returns the standing of a mode of the view, interpolated unless the mode was evaluated.
func (v *LoadView) ModeStanding(i int) standing.Standing {
	at := v.setting(i)
	if _, known := v.done[at]; known {
		return v.Standing(at)
	}
	return v.curve.Stand(at, v.view.Readings()[v.view.Known[i].Setting].N)
}

// Rough returns the outcome of a mode of the view, with interpolated latency and energy unless it was evaluated; rough
// reports whether they may be off by some percent.
func (v *LoadView) Rough(i int) (o mix.Outcome, rough bool) {
	if o, known := v.done[v.setting(i)]; known {
		return o, false
	}
	return v.list[i], v.MaxWait > 0 && v.Load.Open()
}

// frontAmong is Front for some modes of the view, by index; nil: of all.
func (v *LoadView) frontAmong(energy bool, among []int) []int {
	switch {
	case among != nil:
		return v.frontOfView(v.settingsOf(among), energy)
	case energy:
		return v.fronts[1]
	}
	return v.fronts[0]
}

// frontOfView returns the interpolated front of some of the view's modes.
func (v *LoadView) frontOfView(settings []tegra.Setting, energy bool) (front []int) {
	_, cost := ServedCost(v.Ask, energy)
	for _, o := range v.curve.Front(settings, cost) {
		i, _ := v.view.Index(o.Mode)
		front = append(front, i)
	}
	return front
}

// settingsOf returns modes of the view with its batch size.
func (v *LoadView) settingsOf(modes []int) []tegra.Setting {
	out := make([]tegra.Setting, len(modes))
	for k, i := range modes {
		out[k] = v.setting(i)
	}
	return out
}

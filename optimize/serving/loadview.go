package serving

import (
	"errors"
	"slices"
	"strings"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/tegra"
)

// LoadView is what the settings of an outlook do under a load. Screens and commands call this to learn which setting
// answers, and where each stands. It belongs to one goroutine at a time.
type LoadView struct {
	mix.Ask
	of       *outlook.Outlook // of all batch sizes that the model knows
	infer    mix.Phase
	settings []tegra.Setting // by index of of
	place    map[tegra.Setting]int
	curve    *mix.LoadCurve
	done     map[tegra.Setting]mix.Outcome // that were evaluated

	// For the modes that a screen shows (ViewUnder), whose answer may have another batch size than they:
	Best  mix.Outcome // the answer, or the nearest
	None  error       // says that none meets the ask; nil: Best does
	view  *outlook.Outlook
	list  []mix.Outcome // by index of the view; latency and energy are interpolated
	first int           // the best of the view's batch size, by its index
	// fronts of the view's batch size: latency and power, latency and energy
	fronts [2][]int
}

// Outlook is the outlook whose modes it describes.
func (v *LoadView) Outlook() *outlook.Outlook { return v.of }

// Under is the outlook under a load.
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

// Phase is the workload of an outlook in every setting, and the settings. A model of one batch size has
// it in its provenance.
func Phase(o *outlook.Outlook) (mix.Phase, []tegra.Setting) {
	known := slices.Clone(o.Known)
	settings := make([]tegra.Setting, len(known))
	for i := range known {
		known[i].Setting = serving(o, i)
		settings[i] = known[i].Setting
	}
	return mix.NewPhase(known), settings
}

// serving is a setting of the outlook with the batch size in which it serves.
func serving(o *outlook.Outlook, i int) tegra.Setting {
	at := o.Known[i].Setting
	if at.Batch == 0 {
		at.Batch = max(1, o.Model.Provenance.Batch)
	}
	return at
}

// asking is the same outlook under another ask, with what was simulated of the same load.
func (v *LoadView) asking(a mix.Ask) *LoadView {
	next := *v
	a = a.Corrected(v.infer)
	next.Ask, next.curve, next.done = a, v.curve.With(a), map[tegra.Setting]mix.Outcome{}
	return &next
}

// Answer is the setting that is wanted, and its index. The error is an *optimize.NoSettingError where
// none meets the ask; the outcome is then the nearest.
func (v *LoadView) Answer() (mix.Outcome, int, error) {
	if v.Found != nil {
		if i, known := v.place[*v.Found]; known {
			return v.At(*v.Found), i, nil
		}
	}
	return v.among(v.settings)
}

// among is Answer among some of the settings.
func (v *LoadView) among(settings []tegra.Setting) (mix.Outcome, int, error) {
	list, err := v.Choose(settings, v.infer, nil)
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

// At is what a setting does: its latency is simulated where no formula has it. A search's answer, which was measured,
// needs no margin.
func (v *LoadView) At(at tegra.Setting) mix.Outcome {
	o, known := v.done[at]
	if !known {
		ask := v.Ask
		if v.Found != nil && at == *v.Found {
			ask.Margin = optimize.NoMargin
		}
		o, _ = ask.Evaluate(at, v.infer, nil)
		v.done[at] = o
	}
	return o
}

// Standing is where a setting stands against the limits.
func (v *LoadView) Standing(at tegra.Setting) optimize.Standing {
	i, known := v.place[at]
	switch {
	case !known:
		return optimize.Standing{State: optimize.Unknown}
	case slices.Contains(v.Failed, at): // as requests have shown
		return optimize.Standing{State: optimize.Over, N: 1, Limited: true}
	case v.Found != nil && at == *v.Found:
		return optimize.Standing{State: optimize.Measured, N: 2, Limited: true}
	}
	return v.agreed(v.curve.Stand(at, v.of.Readings()[v.of.Known[i].Setting].N), v.At(at))
}

// agreed is a standing that is on the side of what was worked out of its setting.
func (v *LoadView) agreed(of optimize.Standing, o mix.Outcome) optimize.Standing {
	if v.Margin != optimize.UsualMargin {
		return of
	}
	return of.Agrees(o.Meets)
}

// Front is the Pareto front of latency and power, or energy per request, of the settings that
// follow the load, the fastest first.
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

// Title says which latency is meant, and under which load: "p99 at 30/s, Poisson".
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

// ViewUnder works out what the modes of an outlook do under a load. An earlier result for the same model or load is
// reused; before may be nil.
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

// Of reports whether it belongs to this outlook.
func (v *LoadView) Of(o *outlook.Outlook) bool { return v != nil && v.view == o }

// setting is a mode of the view with its batch size.
func (v *LoadView) setting(i int) tegra.Setting { return serving(v.view, i) }

// AnswerAmong is the best of some modes of the view, with its batch size, or the nearest; nil: of all.
func (v *LoadView) AnswerAmong(among []int) int {
	if among == nil {
		return v.first
	}
	return v.bestOf(v.settingsOf(among))
}

// bestOf is the view's mode of the best of some settings, or of the nearest.
func (v *LoadView) bestOf(settings []tegra.Setting) int {
	o, _, err := v.among(settings)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return 0
	}
	i, _ := v.view.Index(o.Mode)
	return i
}

// AtMode is what a mode of the view does.
func (v *LoadView) AtMode(i int) mix.Outcome { return v.At(v.setting(i)) }

// UnitsPerRequest are the units of a request.
func (v *LoadView) UnitsPerRequest(u Unit) float64 { return u.PerBatch / float64(v.setting(0).Batch) }

// ModeStanding is where a mode of the view stands: of those that were not evaluated as interpolated.
func (v *LoadView) ModeStanding(i int) optimize.Standing {
	at := v.setting(i)
	if _, known := v.done[at]; known {
		return v.Standing(at)
	}
	return v.curve.Stand(at, v.view.Readings()[v.view.Known[i].Setting].N)
}

// Rough is what a mode of the view does, its latency and energy interpolated unless it was evaluated; rough reports
// whether they may be some percent off.
func (v *LoadView) Rough(i int) (o mix.Outcome, rough bool) {
	if o, known := v.done[v.setting(i)]; known {
		return o, false
	}
	return v.list[i], v.MaxWait > 0 && v.Load.Open()
}

// FrontAmong is Front of some modes of the view, by index; nil: of all.
func (v *LoadView) FrontAmong(energy bool, among []int) []int {
	switch {
	case among != nil:
		return v.frontOfView(v.settingsOf(among), energy)
	case energy:
		return v.fronts[1]
	}
	return v.fronts[0]
}

// frontOfView is the front of some of the view's modes, as interpolated.
func (v *LoadView) frontOfView(settings []tegra.Setting, energy bool) (front []int) {
	_, cost := ServedCost(v.Ask, energy)
	for _, o := range v.curve.Front(settings, cost) {
		i, _ := v.view.Index(o.Mode)
		front = append(front, i)
	}
	return front
}

// settingsOf are modes of the view with its batch size.
func (v *LoadView) settingsOf(modes []int) []tegra.Setting {
	out := make([]tegra.Setting, len(modes))
	for k, i := range modes {
		out[k] = v.setting(i)
	}
	return out
}

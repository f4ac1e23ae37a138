package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"jtune/internal/usage"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/preflight"
	"jtune/tui/session/search"
)

// kind returns the chosen kind of limit.
func (d *Tune) kind() search.Kind { return search.Kinds[d.form] }

// askedKeys are the characters of limits, of rails and of a load, including "uniform" and "poisson". A t starts the
// search, so a maximum wait can only be pasted, or typed on Front.
const askedKeys = "0123456789., Wwmps/uniformacv°_ABCDEFGHIJKLMNOPQRSTUVXYZ"

// bare returns the metric of numbers typed without a unit; nil for energy.
func (d *Tune) bare() *metric.Metric {
	return map[search.Kind]*metric.Metric{search.WithinPower: metric.Power, search.WithinTime: metric.Time}[d.kind()]
}

// goals returns the goals, including those being typed; wrong says why the typed ones are not valid, or is "".
func (d *Tune) goals() (list []metric.Question, wrong string) {
	list = d.kept[d.kind()]
	if list[0].Loaded() && !d.workload().Infers() {
		if list = []metric.Question{{Limit: list[0].Limit}}; list[0] == (metric.Question{}) {
			list = search.DefaultForm(d.read.Presets()).Goals(d.kind())
		}
	}
	if strings.TrimSpace(d.typed.Value()) == "" {
		return list, ""
	}
	typed, err := metric.ParseList(d.typed.Value(), d.bare())
	switch why, _ := errors.AsType[*usage.Error](err); {
	case why != nil && why.Field == usage.Limit: // the form says which field it is
		return list, page.Words(why.Why)
	case err != nil:
		return list, page.Words(err.Error())
	case typed[0].Loaded() && !d.workload().Infers():
		return list, "rate and latency are only for inference"
	case len(typed) > search.MostLimits:
		return list, fmt.Sprintf("%d at most", search.MostLimits)
	}
	if d.kind() == search.LeastEnergy {
		for i := range typed {
			typed[i].Limit.Objective = metric.Energy
		}
	}
	return typed, ""
}

// composed returns a goal with a load or several limits; ok is false for other goals.
func (d *Tune) composed() (q metric.Question, ok bool) {
	list, wrong := d.goals()
	return list[0], wrong == "" && len(list) == 1 && (list[0].Loaded() || list[0].Limit.Limits.Len() > 1)
}

// unitTyped selects the kind of limit by its typed unit: 120 ms is a time, 25 W a power, and so is 25 where the goal is
// the least energy.
func (d *Tune) unitTyped() {
	if typed := d.typed.Value(); d.bare() == nil && typed != "" && !strings.ContainsFunc(typed, unicode.IsLetter) {
		d.form = slices.Index(search.Kinds, search.WithinPower)
	}
	list, wrong := d.goals()
	if wrong != "" || list[0].Loaded() || list[0].Limit.Limits.Len() != 1 {
		return
	}
	kind := search.WithinPower
	if list[0].Limit.Limits[0].Metric == metric.Time {
		kind = search.WithinTime
	}
	d.form = slices.Index(search.Kinds, kind)
}

// wrongLimit returns why the typed limit is not valid, or "".
func (d *Tune) wrongLimit() string {
	_, wrong := d.goals()
	return wrong
}

// above says which limit on the power is above all that is known of the board; "" for none.
func (d *Tune) above() string {
	limitW, readW := 0.0, 0.0
	list, _ := d.goals()
	if d.pair.on() {
		list = []metric.Question{d.pair.asked}
	}
	for _, q := range list {
		limitW = max(limitW, q.Limit.Of(metric.Power))
	}
	if o := d.read.Outlook(); o != nil {
		for _, m := range o.Readings() {
			readW = max(readW, m.PowerW)
		}
	}
	return preflight.AboveAll(limitW, d.read.Board(), d.read.Presets(), d.read.Sample().Reading, readW)
}

// settle takes over the typed limits if they are valid; otherwise the text stays.
func (d *Tune) settle() {
	list, wrong := d.goals()
	if d.typed.Value() == "" || wrong != "" {
		return
	}
	d.kept[d.kind()] = list
	d.typed.SetValue("")
	if _, ok := d.composed(); ok {
		d.asked.Coverage = campaigns.CoverLimit
	}
}

// step changes the limits by one.
func (d *Tune) step(by int) {
	d.settle()
	list, _ := d.goals()
	d.typed.SetValue("")
	list = slices.Clone(list)
	for i := range list {
		if limits := &list[i].Limit.Limits; limits.Len() > 0 {
			limits[0].Value = max(1, limits[0].Value+float64(by))
		}
	}
	d.kept[d.kind()] = slices.Compact(list)
}

// limitText formats the goal in words.
func (d *Tune) limitText() string {
	list, _ := d.goals()
	typed := d.typed.Value()
	q, composed := d.composed()
	if composed && typed == "" {
		return goalText(q)
	}
	value, time := metric.Line(list), "/"+d.workload().Noun()
	if typed != "" {
		value, time = d.typed.Render("_"), " per "+d.workload().Noun()
		if plain := !strings.ContainsFunc(typed, unicode.IsLetter); plain && d.bare() != nil {
			value += " " + string(d.bare().Unit)
		}
	}
	switch {
	case composed:
		return value
	case d.kind() == search.WithinPower:
		return "fastest within " + value + d.perSample(", per sample", "")
	case d.kind() == search.WithinTime:
		return "least power within " + value + time
	case typed != "":
		return value
	}
	if w := d.workload(); w.Infers() {
		return "least energy per " + w.UnitName()
	}
	return "least energy per " + d.perSample("sample", "step")
}

// goalText formats limits with a load in words.
func goalText(q metric.Question) string {
	what := "least power for "
	switch {
	case q.Limit.Objective == metric.Energy:
		what = "least energy for "
	case !q.Loaded():
		what = "fastest within "
	case q.Load.RatePerS == 0:
		what = "most requests within "
	}
	q.Limit.Objective = nil
	return what + q.String()
}

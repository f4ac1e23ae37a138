package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"jtune/internal/arrivals"
	"jtune/internal/usage"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/preflight"
	"jtune/tui/session/search"
	"jtune/tui/session/workloads"
)

// kind returns the chosen kind of limit.
func (d *Tune) kind() search.Kind { return search.Kinds[d.form] }

// askedKeys are the characters that limits, rails and loads begin with, and most that follow. A t starts the search,
// but within a word.
const askedKeys = "0123456789., Wwmps/uniformlacv°_ABCDEFGHIJKLMNOPQRSTUVXYZ"

// bare returns the metric of numbers typed without a unit; nil for energy.
func (d *Tune) bare() *metric.Metric {
	return map[search.Kind]*metric.Metric{search.WithinPower: metric.Power, search.WithinTime: metric.Time}[d.kind()]
}

// goals returns the goals, including those being typed; wrong says why the typed ones are not valid, or is "".
func (d *Tune) goals() (list metric.Questions, wrong string) {
	list = d.kept[d.kind()]
	if workloads.LoadFault(d.workload(), list.Load) != nil {
		if list.Load = (arrivals.Spec{}); list.First() == (metric.Question{}) {
			list = search.DefaultForm(d.read.Presets()).Goals(d.kind())
		}
	}
	if strings.TrimSpace(d.typed.Value()) == "" {
		return list, ""
	}
	typed, err := metric.ParseList(d.typed.Value(), d.bare())
	if err == nil {
		err = workloads.LoadFault(d.workload(), typed.Load)
	}
	switch why, _ := errors.AsType[*usage.Error](err); {
	case why != nil && why.Field == usage.Limit: // the form says which field it is
		return list, page.Words(why.Why)
	case err != nil:
		return list, page.Words(err.Error())
	case len(typed.Limits) > search.MostLimits:
		return list, fmt.Sprintf("%d at most", search.MostLimits)
	}
	if d.kind() == search.LeastEnergy {
		for i := range typed.Limits {
			typed.Limits[i].Objective = metric.Energy
		}
	}
	return typed, ""
}

// composed reports whether the goals have a load, several limits each, or the least energy within one.
func (d *Tune) composed() bool {
	list, wrong := d.goals()
	if wrong != "" {
		return false
	}
	first := list.Limits[0]
	return list.Load.Any() || first.Limits.Len() > 1 || first.Limited() && first.Objective == metric.Energy
}

// unitTyped selects the kind of limit by its typed words or unit: 120 ms is a time, 25 W a power, and so is 25 where
// the goal is the least energy.
func (d *Tune) unitTyped() {
	if typed := d.typed.Value(); d.bare() == nil && typed != "" && !strings.ContainsFunc(typed, unicode.IsLetter) {
		d.form = slices.Index(search.Kinds, search.WithinPower)
	}
	list, wrong := d.goals()
	kind, first := search.WithinPower, list.First().Limit
	switch energy := first.Objective == metric.Energy; {
	case wrong != "" || !energy && (d.composed() || !first.Limited()):
		return
	case energy:
		kind = search.LeastEnergy
	case first.Limits[0].Metric == metric.Time:
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
		list = d.pair.asked.List()
	}
	for _, l := range list.Limits {
		limitW = max(limitW, l.Of(metric.Power))
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
	if d.composed() {
		d.asked.Coverage = campaigns.CoverLimit
	}
}

// step changes the limits by one.
func (d *Tune) step(by int) {
	d.settle()
	list, _ := d.goals()
	d.typed.SetValue("")
	list.Limits = slices.Clone(list.Limits)
	for i := range list.Limits {
		if limits := &list.Limits[i].Limits; limits.Len() > 0 {
			limits[0].Value = max(1, limits[0].Value+float64(by))
		}
	}
	list.Limits = slices.Compact(list.Limits)
	d.kept[d.kind()] = list
}

// limitText formats the goal in words.
func (d *Tune) limitText() string {
	list, _ := d.goals()
	typed := d.typed.Value()
	composed := d.composed()
	if composed && typed == "" {
		return goalText(list)
	}
	value, time := list.String(), "/"+d.workload().Noun()
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
func goalText(q metric.Questions) string {
	what, _, _ := strings.Cut(q.First().Words(), ", ")
	q.Limits = slices.Clone(q.Limits)
	for i := range q.Limits {
		q.Limits[i].Objective = nil
	}
	return what + " within " + q.String()
}

package dialog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/optimize/mix"
	"jtune/tui/page"
	"jtune/tui/session/search"
)

// kinds lists the kinds of limits in the order of the dialog.
var kinds = []search.Kind{search.WithinPower, search.WithinTime, search.LeastEnergy}

// kind returns the chosen kind of limit.
func (d *Tune) kind() search.Kind { return kinds[d.choice[fieldLimit]] }

// askedKeys are the characters of limits with a load, including "uniform" and "poisson". A t starts the search, so a
// maximum wait can only be pasted, or typed on Front.
const askedKeys = "0123456789., Wwmps/uniform"

// numbers returns the values of the chosen kind of limit; nil for energy.
func (d *Tune) numbers() *[]float64 {
	switch d.kind() {
	case search.WithinPower:
		return &d.powerW
	case search.WithinTime:
		return &d.timeMS
	}
	return nil
}

// typedLoad parses typed limits with a load, or with both units; is reports whether the text has this form, and wrong
// says why it is not valid, or is "".
func (d *Tune) typedLoad() (g mix.Goal, is bool, wrong string) {
	line := strings.ToLower(d.typed.Value())
	if !strings.ContainsAny(line, "p/") && !(strings.Contains(line, "w") && strings.Contains(line, "ms")) {
		return g, false, ""
	}
	g, err := mix.ParseGoal(line)
	switch {
	case err != nil:
		return g, true, page.Words(err.Error())
	case g.Loaded() && !d.workload().Infers():
		return g, true, "rate and latency are only for inference"
	}
	g.Limit.Energy = d.kind() == search.LeastEnergy
	return g, true, ""
}

// load returns the limits with a load, including those being typed; zero if none.
func (d *Tune) load() mix.Goal {
	if g, is, wrong := d.typedLoad(); is && wrong == "" {
		return g
	}
	if d.typed.Value() != "" || d.asked.Loaded() && !d.workload().Infers() {
		return mix.Goal{}
	}
	return d.asked
}

// unitTyped selects the kind of limit by its typed unit: 120 ms is a time, 25 W a power.
func (d *Tune) unitTyped() {
	line := strings.ToLower(d.typed.Value())
	watts, time := strings.Contains(line, "w"), strings.Contains(line, "m")
	switch {
	case watts == time || strings.ContainsAny(line, "p/u"): // both, none, or a line with a load
	case watts:
		d.choice[fieldLimit] = slices.Index(kinds, search.WithinPower)
	default:
		d.choice[fieldLimit] = slices.Index(kinds, search.WithinTime)
	}
}

// typedNumbers returns the typed numbers, each once; wrong is why they are not valid, or "".
func (d *Tune) typedNumbers() (list []float64, wrong string) {
	unit := map[search.Kind]string{search.WithinPower: "W", search.WithinTime: "ms"}[d.kind()]
	for _, word := range words(d.typed.Value(), unit) {
		v, err := strconv.ParseFloat(word, 64)
		switch {
		case d.numbers() == nil:
			return nil, "least energy has no limit"
		case err != nil || !(v > 0) || math.IsInf(v, 0):
			return nil, "a number above 0"
		}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	if len(list) > search.MostLimits {
		wrong = fmt.Sprintf("%d at most", search.MostLimits)
	}
	return list, wrong
}

// wrongLimit returns why the typed limit is not valid, or "".
func (d *Tune) wrongLimit() string {
	if _, is, wrong := d.typedLoad(); is {
		return wrong
	}
	_, wrong := d.typedNumbers()
	return wrong
}

// settle takes over the typed limits if they are valid; otherwise the text stays.
func (d *Tune) settle() {
	if g, is, wrong := d.typedLoad(); is {
		if wrong == "" {
			d.asked = g
			d.choice[fieldCoverage] = 0
			d.typed.SetValue("")
		}
		return
	}
	list, wrong := d.typedNumbers()
	if wrong != "" {
		return
	}
	if at := d.numbers(); at != nil && len(list) > 0 {
		*at, d.asked = list, mix.Goal{}
	}
	d.typed.SetValue("")
}

// step changes the limits by one.
func (d *Tune) step(by int) {
	d.settle()
	if g := d.load(); g != (mix.Goal{}) {
		if g.Limit.PowerW > 0 {
			g.Limit.PowerW = max(1, g.Limit.PowerW+float64(by))
		}
		d.asked = g
		return
	}
	at := d.numbers()
	if at == nil {
		return
	}
	d.typed.SetValue("")
	*at = slices.Clone(*at)
	for i, v := range *at {
		(*at)[i] = max(1, v+float64(by))
	}
	*at = slices.Compact(*at)
}

// limitText formats the goal in words.
func (d *Tune) limitText() string {
	if g := d.load(); g != (mix.Goal{}) && d.typed.Value() == "" {
		return goalText(g)
	}
	value := ""
	if at := d.numbers(); d.typed.Value() != "" {
		value = d.typed.Render("_")
	} else if at != nil {
		var words []string
		for _, v := range *at {
			words = append(words, strconv.FormatFloat(v, 'f', -1, 64))
		}
		value = strings.Join(words, ", ")
	}
	if _, is, _ := d.typedLoad(); is {
		return value
	}
	watts, time := " W", " ms/"+d.workload().Noun()
	if strings.ContainsAny(strings.ToLower(d.typed.Value()), "wms") { // the unit is typed
		watts, time = "", " per "+d.workload().Noun()
	}
	switch d.kind() {
	case search.WithinPower:
		return fmt.Sprintf("fastest within %s%s", value, watts) + d.perSample(", per sample", "")
	case search.WithinTime:
		return fmt.Sprintf("least power within %s%s", value, time)
	}
	if d.typed.Value() != "" {
		return value
	}
	if w := d.workload(); w.Infers() {
		return "least energy per " + w.UnitName()
	}
	return "least energy per " + d.perSample("sample", "minibatch")
}

// goalText formats limits with a load in words.
func goalText(g mix.Goal) string {
	what := "least power for "
	switch {
	case g.Limit.Energy:
		what = "least energy for "
	case !g.Loaded():
		what = "fastest within "
	case g.Load.RatePerS == 0:
		what = "most requests within "
	}
	return what + g.String()
}

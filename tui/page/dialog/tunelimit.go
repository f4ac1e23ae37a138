package dialog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"jtune/tui/session"
)

// goals are the kinds of limits, as the dialog orders them.
var goals = []session.Goal{session.WithinPower, session.WithinTime, session.LeastEnergy}

// goal is the kind of limit that is asked for.
func (d *Tune) goal() session.Goal { return goals[d.choice[fieldLimit]] }

// numbers are the values that the present kind of limit holds; nil for energy.
func (d *Tune) numbers() *[]float64 {
	switch d.goal() {
	case session.WithinPower:
		return &d.powerW
	case session.WithinTime:
		return &d.timeMS
	}
	return nil
}

// words are what stands between commas and blanks, without a unit after its number.
func words(text, unit string) (out []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		if word = strings.TrimSuffix(word, unit); word != "" {
			out = append(out, word)
		}
	}
	return out
}

// typedNumbers are those that were typed, each once, and why they are no answer, or "".
func (d *Tune) typedNumbers() (list []float64, wrong string) {
	unit := map[session.Goal]string{session.WithinPower: "W", session.WithinTime: "ms"}[d.goal()]
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
	if len(list) > session.MostLimits {
		wrong = fmt.Sprintf("%d at most", session.MostLimits)
	}
	return list, wrong
}

// wrongLimit says why what was typed is no limit, or "".
func (d *Tune) wrongLimit() string {
	_, wrong := d.typedNumbers()
	return wrong
}

// settle turns what was typed into the limit's values; what is none stays as it was typed.
func (d *Tune) settle() {
	list, wrong := d.typedNumbers()
	if wrong != "" {
		return
	}
	if at := d.numbers(); at != nil && len(list) > 0 {
		*at = list
	}
	d.typed.SetValue("")
}

// step moves the limits by one.
func (d *Tune) step(by int) {
	at := d.numbers()
	if at == nil {
		return
	}
	d.settle()
	d.typed.SetValue("")
	*at = slices.Clone(*at)
	for i, v := range *at {
		(*at)[i] = max(1, v+float64(by))
	}
	*at = slices.Compact(*at)
}

// limitText says what is asked for.
func (d *Tune) limitText() string {
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
	switch d.goal() {
	case session.WithinPower:
		return fmt.Sprintf("fastest within %s W", value) + d.perSample(", per sample", "")
	case session.WithinTime:
		return fmt.Sprintf("least power within %s ms/minibatch", value)
	}
	if d.typed.Value() != "" {
		return value
	}
	return "least energy per " + d.perSample("sample", "minibatch")
}

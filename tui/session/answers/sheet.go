package answers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/further"
)

// Sheet is an answer in its reader's words: whether it fits, what it costs, whether a preset is enough, what a little
// more would give. Card, commands and report show the same one.
type Sheet struct {
	Fits     string // "fits 30 W"
	Keeps    string // the values that say so, with the range of their readings
	Takes    string // what the goal makes least, and what today's mode needs
	Gain     string // over the best preset that fits, else over today's mode
	Named    string // why the preset of the limit's name is not compared with; ""
	Exchange string // what a little more of the limit would give; "" unless it is much
	Rows     []Row  // today's mode, presets, and the answer last
}

// Row is one mode in its own numbers.
type Row struct {
	Name string
	learn.Prediction
	Read     bool            // measured
	Fits     tegra.Val[bool] // absent without a limit, or where the value is unknown
	Compared bool            // the answer, and what it is compared with
}

// Words for the mode that the board was in before the search: while the board is still in it, and later.
const (
	Today = "today"
	Then  = "before"
)

// Lines returns the sentences, most important first.
func (s Sheet) Lines() []string {
	first := strings.Join(text.Said(s.Fits, s.Keeps), ": ")
	return slices.DeleteFunc([]string{first, s.Takes, s.Gain, s.Named, s.Exchange},
		func(line string) bool { return line == "" })
}

// Sheet returns the answer in words; today is the word for the mode that the board was in before the search.
func (a Answer) Sheet(today string) Sheet {
	s := Sheet{Fits: a.fits(), Keeps: a.terms().keeps(), Takes: a.takes(today), Gain: a.gained(today),
		Named: a.named(), Rows: a.rows(today)}
	if e := a.Exchange; e != nil && a.Feasible {
		q := a.optimizes()
		mine, _ := q.of(a.Best(), Errors{})
		its, _ := q.of(e.Measured, Errors{})
		s.Exchange = fmt.Sprintf("%s would give %s: %s", e.Limit.Brief(), q.text(e.Measured, !e.Read),
			q.against(its/mine, 0, "within "+a.Limit.Brief()))
		if !e.Read {
			s.Exchange += " (predicted)"
		}
	}
	return s
}

// fits says whether the answer keeps its limits.
func (a *Answer) fits() string {
	asked := a.terms().asked()
	switch {
	case !a.terms().limited():
		return asked
	case !a.Feasible && (a.Probes == nil || a.Ended == optimize.NoWay):
		return "no mode fits " + asked + ", this is the nearest"
	case !a.Feasible && !a.Reading.Value(metric.Temperature.Key, "").OK: // which a soak decided of this mode alone
		return "no measured mode surely fits " + asked + ", this is the nearest"
	case a.Standing.Verdict() == standing.AtLimit:
		return "at the limit of " + asked
	case a.Standing.Verdict() == standing.Exceeds:
		return "over " + asked
	case a.Standing.Ticked():
		return "fits " + asked
	case a.Standing.Within():
		return "probably fits " + asked
	}
	return "may not fit " + asked
}

// keeps gives the limited values, with the range of their readings or the band of their prediction.
func (a *Answer) keeps() string {
	var parts []string
	for b := range a.Limit.Limits.Each() {
		value := func(m tegra.Measured) string { return text.Of(b.Of(m)) }
		part, whole := further.Text(b, a.Best())
		if whole {
			parts = append(parts, part)
			continue
		}
		if !a.Read().OK {
			lo, hi := a.Predicted.Measured, a.Predicted.Measured
			lo.TimeMS, lo.PowerW, hi.TimeMS, hi.PowerW = a.Predicted.TimeLoMS, a.Predicted.PowerLoW,
				a.Predicted.TimeHiMS, a.Predicted.PowerHiW
			parts = append(parts, fmt.Sprintf("~%s (predicted, %s … %s)", part, value(lo), value(hi)))
			continue
		}
		list, read := a.readings(), ""
		by := func(x, y tegra.Measured) int { return cmp.Compare(b.Of(x), b.Of(y)) }
		if lo, hi := value(slices.MinFunc(list, by)), value(slices.MaxFunc(list, by)); lo != hi {
			read = lo + " … " + hi + " in "
		}
		parts = append(parts, part+" ("+read+text.Count(len(list), "reading")+")")
	}
	return strings.Join(parts, ", ")
}

// takes gives the answer's value of what its goal makes least, beside that of today's mode.
func (a *Answer) takes(today string) string {
	q, m := a.optimizes(), a.Best()
	out := cmp.Or(map[Quantity]string{Power: "draws ", Throughput: "does "}[q], "takes ") + q.text(m, !a.Read().OK)
	if b := a.Before; b != nil && b.Setting != a.Setting && (a.Baseline() != b || !a.Limit.Met(b.Measured)) {
		mine, _ := q.of(m, Errors{})
		its, _ := q.of(b.Measured, Errors{})
		if by := mine / its; by >= 0 && !math.IsInf(by, 0) {
			out += ", " + q.against(by, 0, Said(b.Name, today)+": "+q.text(b.Measured, false))
		}
	}
	return out
}

// gained says how the answer compares with the best preset that fits, else with today's mode.
func (a *Answer) gained(today string) string {
	g := a.Gain
	if g == nil || !a.Feasible || math.IsNaN(g.Pct) {
		return ""
	}
	b, name := a.Baseline(), Said(g.Against, today)
	if b != nil {
		name = Said(b.Name, today)
	}
	switch {
	case g.Measured && (b == nil && g.Against == Present || b != nil && b.Setting == a.Setting && b == a.Before):
		if today == Then {
			return "the board was in the best mode already"
		}
		return "the board is in the best mode already"
	case b != nil && b == a.Before && !a.terms().within(optimize.MeasuredPrediction(b.Measured)).Or(true):
		if none := a.noneFits(); none != "" {
			does := map[bool]string{true: "does", false: "probably does"}[a.Standing.State <= standing.Sure]
			return none + "; this mode " + does
		}
		return ""
	case g.Measured && !g.ToldApart:
		return fmt.Sprintf("no difference in %s from %s beyond the readings' errors (%s)", g.Quantity, name, g.band())
	}
	by, half := 1+g.Pct/100, (g.Hi-g.Lo)/2
	out := g.Quantity.against(by, half, name) + ": " + g.band()
	if !g.Measured {
		out += ", predicted"
	}
	return out
}

// noneFits says that no preset fits with this job, as surely as the chance is that none does; "" if one may.
func (a *Answer) noneFits() string {
	none, how := float64(min(1, len(a.Versus.Presets))), ""
	for _, c := range a.Versus.Presets {
		switch {
		case !c.Measured:
			none, how = none*a.terms().over(c.Other), " (predicted)"
		case a.terms().within(c.Other).Or(true):
			return ""
		}
	}
	says := "no preset fits " + a.terms().asked() + " with this job" + how
	if none > 0.5 {
		return map[bool]string{true: "probably "}[none < 1-standing.RiskOf(a.Limit)] + says
	}
	return ""
}

// named says what the preset of the largest budget within the power limit draws with this job, unless the answer is
// compared with it: its name promises that it fits.
func (a *Answer) named() string {
	limit, power := a.Limit.Limits.On(metric.Power)
	if !power || a.Ask.PowerAs == mix.Mean {
		return ""
	}
	var found *outlook.Comparison
	most := 0.0
	for i, c := range a.Versus.Presets {
		if w := tegra.PresetWatts(c.Name); w.OK && w.V <= limit.Value && w.V > most {
			found, most = &a.Versus.Presets[i], w.V
		}
	}
	switch {
	case found == nil || a.Preset != nil && a.Preset.Mode == found.Other.Mode || found.Other.Mode == a.Mode ||
		a.Before != nil && a.Before.Mode == found.Other.Mode:
		return ""
	case found.Measured && limit.Over(found.Other.PowerW) > 0:
		return fmt.Sprintf("%s draws %s W with this job: it does not fit ✗", found.Name, text.Of(found.Other.PowerW))
	case found.Measured:
		return ""
	case limit.Over(found.Other.PowerLoW) > 0:
		return fmt.Sprintf("%s would draw %s W with this job: it does not fit ✗ (predicted)", found.Name,
			text.About(found.Other.PowerW))
	case limit.Over(found.Other.PowerHiW) > 0:
		return fmt.Sprintf("%s may not fit: %s W with this job (predicted, %s … %s)", found.Name,
			text.About(found.Other.PowerW), text.Of(found.Other.PowerLoW), text.Of(found.Other.PowerHiW))
	}
	return ""
}

// rows lists the modes that a reader weighs against each other, each once with all its names.
func (a *Answer) rows(today string) (rows []Row) {
	add := func(name string, p learn.Prediction, read, compared bool) {
		if i := slices.IndexFunc(rows, func(r Row) bool { return r.Mode == p.Mode }); i >= 0 {
			rows[i].Compared = rows[i].Compared || compared
			return
		}
		rows = append(rows, Row{Name: name, Prediction: p, Read: read, Fits: a.terms().within(p), Compared: compared})
	}
	list := a.Versus.Distinct()
	names := func(b *Baseline) string {
		for _, c := range list {
			if c.Other.Mode == b.Mode && b.Mode != (tegra.Mode{}) {
				return Said(c.Name, today)
			}
		}
		return Short(Said(b.Name, today))
	}
	for _, b := range []*Baseline{a.Before, a.Preset} {
		if b != nil {
			add(names(b), optimize.MeasuredPrediction(b.Measured), true, true)
		}
	}
	for _, c := range list {
		add(Said(c.Name, today), c.Other, c.Measured, false)
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Mode == a.Mode && r.Mode != (tegra.Mode{}) })
	found := "the answer"
	if !a.Feasible {
		found = "the nearest"
	}
	best := a.Predicted
	if m := a.Read(); m.OK {
		best = optimize.MeasuredPrediction(m.V)
	}
	best.Setting = a.Setting
	add(found, best, a.Read().OK, true)
	return rows
}

// Fits reports whether values keep the limits of a goal; absent without a limit, or where a value is unknown.
func Fits(l metric.Goal, m tegra.Measured) tegra.Val[bool] {
	out := tegra.Val[bool]{V: true, OK: l.Limited()}
	for b := range l.Limits.Each() {
		over := b.Over(b.Of(m))
		out.V, out.OK = out.V && over <= 0, out.OK && !math.IsNaN(over)
	}
	return out
}

// Mark returns ✓ or ✗; "" if it is unknown.
func Mark(fits tegra.Val[bool]) string {
	switch {
	case !fits.OK:
		return ""
	case fits.V:
		return "✓"
	}
	return "✗"
}

// Marks returns ● for a measured mode and ○ for a predicted one, with the Mark of its fit.
func Marks(measured bool, fits tegra.Val[bool]) string {
	mark := "○"
	if measured {
		mark = "●"
	}
	return strings.TrimRight(mark+" "+Mark(fits), " ")
}

// Said returns the name of a mode as people read it, with a word for the mode that the board was in; saved files and
// JSON keep theirs.
func Said(name, today string) string {
	var parts []string
	for p := range strings.SplitSeq(name, " = ") {
		if clocks, found := strings.CutSuffix(p, asClocks); found {
			p = clocks + " (its clocks, set without a reboot)"
		}
		switch p {
		case Present:
			p = today
		case "present, locked":
			p = today + " (clocks locked)"
		case "present, free clocks":
			p = today + " (clocks free)"
		default:
			parts = append(parts, p)
			continue
		}
		parts = slices.Insert(parts, 0, p)
	}
	return strings.Join(parts, " = ")
}

// Short returns names without what is explained in brackets.
func Short(name string) string {
	parts := strings.Split(name, " = ")
	for i := range parts {
		parts[i], _, _ = strings.Cut(parts[i], " (")
	}
	return strings.Join(parts, " = ")
}

// Baseline returns the baseline of the gain; nil if it was not measured.
func (a Answer) Baseline() *Baseline {
	switch {
	case a.Gain == nil:
		return nil
	case a.Gain.Against == Present:
		return a.Before
	case a.Preset != nil && a.Preset.Name == a.Gain.Against:
		return a.Preset
	}
	return nil
}

// Better reports whether the answer is better than the baseline.
func (g *Gain) Better() bool {
	if g.Quantity == Throughput {
		return g.Pct > 0
	}
	return g.Pct < 0
}

// text gives a mode's value of the quantity; about: it is predicted.
func (q Quantity) text(m tegra.Measured, about bool) string {
	value, _ := q.of(m, Errors{})
	unit := map[Quantity]string{Time: " ms", Power: " W", Energy: " J", Throughput: " samples per second"}[q]
	if about {
		return text.About(value) + unit
	}
	return text.Of(value) + unit
}

// against says by how much, or how many times, a value differs from that of other; half is the error of the difference
// in per cent, beyond which there are no decimals. Ratios from 2 on are factors.
func (q Quantity) against(by, half float64, other string) string {
	more, less, times := "more "+string(q), "less "+string(q), "× the "+string(q)+" of "
	switch q {
	case Time:
		more, less, times = "slower", "faster", "× as long as "
	case Throughput:
		more, less, times = "more samples per second", "fewer samples per second", "× the samples per second of "
	}
	switch {
	case by >= 2:
		return factor(by) + times + other
	case by <= 0.5 && q == Time:
		return factor(1/by) + "× as fast as " + other
	case by > 1:
		less = more
	}
	return text.Percent(100*math.Abs(by-1), half) + " " + less + " than " + other
}

// factor formats a ratio from 2 on.
func factor(v float64) string {
	return strconv.FormatFloat(v, 'f', map[bool]int{true: 1}[v < 9.95], 64)
}

// band formats the 95 % band of the difference, which "against" has named: without a sign, unless it includes none.
func (g *Gain) band() string {
	lo, hi := 1+g.Lo/100, 1+g.Hi/100
	digits := 0
	if g.Hi-g.Lo < 1 {
		digits = 1
	}
	from, to, unit := fmt.Sprintf("%+.*f", digits, g.Lo+0), fmt.Sprintf("%+.*f", digits, g.Hi+0), " %"
	switch by := 1 + g.Pct/100; {
	case by >= 2:
		from, to, unit = factor(lo), factor(hi), "×"
	case by <= 0.5 && g.Quantity == Time:
		from, to, unit = factor(1/hi), factor(1/lo), "×"
	case g.Lo > 0:
		from, to = from[1:], to[1:]
	case g.Hi < 0:
		from, to = to[1:], from[1:]
	}
	if from == to {
		return from + unit
	}
	return from + " … " + to + unit
}

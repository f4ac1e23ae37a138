// Package further prints the quantities of an answer that its goal limits besides time, power and energy.
package further

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Value is a value of a quantity, and the bound on it.
type Value struct {
	metric.Bound
	Rail   string
	V      float64
	Lo, Hi float64 // 95 % band of a predicted value; equal to V where it was measured
}

// Of returns those quantities: as measured, else as the search believes or as predicted.
func Of(l metric.Goal, predicted learn.Prediction, believed tegra.Val[learn.Prediction],
	read tegra.Val[tegra.Measured]) (list []Value) {
	all := believed.Or(predicted).Measured
	if read.OK {
		all = all.With(read.V.Further()...)
	}
	for _, b := range l.Limits.Further() {
		for _, v := range all.Further() {
			if v.Metric == b.Key && (b.On == "" || b.On == v.On) {
				wide := math.Exp(sure * v.LnSD)
				list = append(list, Value{b, v.On, v.V, v.V / wide, v.V * wide})
			}
		}
	}
	return list
}

// sure is half of a 95 % band, in deviations.
const sure = 1.96

// Text prints the limited value of a point and by how much it is over; whole: no reading of seconds has it, and the
// text says with which band it is predicted, or that a soak showed it.
func Text(b metric.Bound, m tegra.Measured) (part string, whole bool) {
	value := text.Of(b.Of(m))
	part = value + " " + string(b.Unit)
	if over := b.Of(m) - b.Value; over > 0 && !b.Least {
		part += ", " + excess(over, value) + " over"
	}
	for v, sd := range b.Reads(m, 0, 0) {
		if wide := math.Exp(sure * sd); sd > 0 && v == b.Of(m) { // of several rails the worst
			return fmt.Sprintf("~%s (predicted, %s … %s)", part, text.Of(v/wide), text.Of(v*wide)), true
		}
	}
	if b.Slow {
		part += " (in a soak)"
	}
	return part, b.Slow
}

// excess formats a difference with the decimals of the value that it belongs to; "just" where they show none.
func excess(over float64, value string) string {
	_, decimals, _ := strings.Cut(value, ".")
	if s := strconv.FormatFloat(over, 'f', len(decimals), 64); strings.ContainsAny(s, "123456789") {
		return s
	}
	return "just"
}

// Facts are the quantities by name.
func Facts(list []Value) (facts document.Facts) {
	for _, v := range list {
		digits := func(x float64) string { return strconv.FormatFloat(x, 'f', v.Digits, 64) }
		how := "measured"
		if v.Lo < v.Hi {
			how = fmt.Sprintf("predicted (%s – %s)", digits(v.Lo), digits(v.Hi))
		}
		facts = append(facts, [2]string{strings.TrimSpace(v.Title + " " + v.Rail),
			digits(v.V) + " " + string(v.Unit) + ", " + how})
	}
	return facts
}

// JSON returns the members of a document about the quantities that a goal limits: the value and the ends of its 95 %
// band, of a rail's quantity by the name of the rail; null where its error is unknown. believed has the deviations of
// values that were read; nil: none. Without one, a current and a rail's power are read as well as the module's power.
func JSON(l metric.Goal, of tegra.Measured, believed tegra.Val[learn.Prediction]) (out report.Object) {
	done := map[*metric.Metric]bool{}
	for _, b := range l.Limits.Further() {
		if done[b.Metric] {
			continue
		}
		done[b.Metric] = true
		var v, lo, hi report.Object
		for _, x := range of.Further() {
			if x.Metric != b.Key {
				continue
			}
			sd := x.LnSD
			for _, same := range believed.V.Further() {
				if same.Metric == x.Metric && same.On == x.On && sd == 0 {
					sd = same.LnSD
				}
			}
			if sd == 0 && !b.Least {
				sd = of.Errors.Power.Or(0)
			}
			end := func(sd float64) any { return tegra.Val[float64]{V: x.V * math.Exp(sd), OK: sd != 0} }
			v, lo, hi = append(v, [2]any{x.On, x.V}), append(lo, [2]any{x.On, end(-sure * sd)}),
				append(hi, [2]any{x.On, end(sure * sd)})
		}
		for part, list := range map[string]report.Object{"": v, "lo_": lo, "hi_": hi} {
			key := cmp.Or(b.Short, b.Key) + "_" + part + b.Suffix
			switch {
			case list == nil:
			case b.Rail == nil:
				out = append(out, [2]any{key, list[0][1]})
			default:
				out = append(out, [2]any{key, list})
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]any) int { return cmp.Compare(fmt.Sprint(a[0]), fmt.Sprint(b[0])) })
	return out
}

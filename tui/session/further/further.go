// Package further prints the quantities of an answer that its goal limits besides time, power and energy.
package further

import (
	"fmt"
	"math"
	"strconv"
	"strings"

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

// Text prints the limited value of a point and by how much it is over; predicted: no reading has it, and it is given
// with its band.
func Text(b metric.Bound, m tegra.Measured) (part string, predicted bool) {
	part = text.Of(b.Of(m)) + " " + string(b.Unit)
	if over := b.Of(m) - b.Value; over > 0 && !b.Least {
		part += ", " + text.Of(over) + " over"
	}
	for v, sd := range b.Reads(m, 0, 0) {
		if wide := math.Exp(sure * sd); sd > 0 {
			return fmt.Sprintf("~%s (predicted, %s … %s)", part, text.Of(v/wide), text.Of(v*wide)), true
		}
	}
	return part, false
}

// Rows returns the lines about quantities.
func Rows(list []Value) (rows [][]string) {
	for _, v := range list {
		digits := func(x float64) string { return strconv.FormatFloat(x, 'f', v.Digits, 64) }
		how := "measured"
		if v.Lo < v.Hi {
			how = fmt.Sprintf("predicted (%s – %s)", digits(v.Lo), digits(v.Hi))
		}
		name := strings.TrimSpace(v.Title + " " + v.Rail)
		rows = append(rows, []string{name, digits(v.V) + " " + string(v.Unit), how})
	}
	return rows
}

// JSON is the field of the same in a document; nil if there are none.
func JSON(l metric.Goal, predicted learn.Prediction, believed tegra.Val[learn.Prediction],
	read tegra.Val[tegra.Measured]) report.Object {
	var list []report.Object
	for _, v := range Of(l, predicted, believed, read) {
		list = append(list, report.Object{{"quantity", v.Key}, {"rail", tegra.Val[string]{V: v.Rail, OK: v.Rail != ""}},
			{"value_" + v.Suffix, v.V}, {"lo_" + v.Suffix, v.Lo}, {"hi_" + v.Suffix, v.Hi},
			{"limit_" + v.Suffix, v.Value}, {"measured", v.Lo == v.Hi}})
	}
	if list == nil {
		return nil
	}
	return report.Object{{"further", list}}
}

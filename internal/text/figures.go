// Package text formats numbers for people, equally on every screen and line.
// Documents for machines keep all digits.
//
//	18096 ──► "18,096", "18,096 modes"
//	2126.24 ──► "2126", 58.87 ──► "58.9"
package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Thousands formats a count as 18,096.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	least := 3
	if n < 0 {
		least = 4
	}
	for i := len(s) - 3; i > least-3; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Exact formats four digits, and all digits from 1,000 on without an exponent: a value compared with a limit must show
// whether it exceeds it.
func Exact(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// IfAny formats a number; "" for 0, which stands for none.
func IfAny(format string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// Count formats "1 mode" and "18,096 modes".
func Count(n int, what string) string {
	if n != 1 {
		what = Plural(what)
	}
	return Thousands(n) + " " + what
}

// Plural returns the plural of a noun.
func Plural(what string) string {
	if strings.HasSuffix(what, "ss") || strings.HasSuffix(what, "ch") && what != "epoch" { // epoch takes no e
		return what + "es"
	}
	return what + "s"
}

// Of returns a time, power or energy with three digits, and one decimal from ten on, because no reading or prediction
// is more precise; a dash if there is none.
func Of(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v == 0:
		return "0"
	case v < 1:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 1000:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// About returns a predicted time, power or energy, marked so: its error of some per cent leaves it three digits.
func About(v float64) string {
	if v >= 100 && v < 1000 {
		return "~" + strconv.FormatFloat(v, 'f', 0, 64)
	}
	return "~" + Of(v)
}

// Percent formats a magnitude in percent, with a decimal if half of its band is that narrow.
func Percent(v, half float64) string {
	if half > 0 && half < 0.5 && v < 9.95 {
		return fmt.Sprintf("%.1f %%", v)
	}
	return fmt.Sprintf("%.0f %%", v)
}

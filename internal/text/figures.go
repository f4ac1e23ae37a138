// Package text prints numbers for people, alike on every screen and line.
// Documents for machines keep all digits.
//
//	18096 ──► "18,096", "18,096 modes"
//	2126.24 ──► "2126", 58.87 ──► "58.9"
package text

import (
	"math"
	"strconv"
	"strings"
)

// Thousands prints a count as 18,096.
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

// Exact prints four digits, and all of a number from 1,000 on without an exponent: what is compared with a limit has to
// show whether it is over it.
func Exact(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Count prints "1 mode" and "18,096 modes".
func Count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "ch") && what != "epoch": // whose ch is a k
		what += "es"
	default:
		what += "s"
	}
	return Thousands(n) + " " + what
}

// Of prints a time, power or energy: three digits, one decimal from ten on, for
// no reading and no prediction is better than that; a dash where there is none.
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

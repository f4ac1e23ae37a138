package tui

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"jtune/tegra"
	"jtune/tegra/figures"
)

// dash stands for a value that is not there; never a zero.
const dash = "–"

// num prints a value with so many decimals, or a dash.
func num(v tegra.Val[float64], decimals int) string {
	if !v.OK || math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		return dash
	}
	return strconv.FormatFloat(v.V, 'f', decimals, 64)
}

// positive prints a value that is only known when it is above zero.
func positive(v float64, decimals int) string {
	return num(tegra.Val[float64]{V: v, OK: v > 0}, decimals)
}

// unit prints a value with its unit, or a dash.
func unit(v tegra.Val[float64], decimals int, u string) string {
	if s := num(v, decimals); s != dash {
		return s + " " + u
	}
	return dash
}

// ms prints milliseconds with about three figures.
func ms(v float64) string {
	if !(v > 0) {
		return dash
	}
	return figures.Of(v)
}

// joules prints an energy in J, kJ or mJ.
func joules(j float64) string {
	switch {
	case math.IsNaN(j) || math.IsInf(j, 0) || j < 0:
		return dash
	case j >= 1000:
		return strconv.FormatFloat(j/1000, 'f', 1, 64) + " kJ"
	case j >= 0.1 || j == 0:
		return strconv.FormatFloat(j, 'f', 2, 64) + " J"
	}
	return strconv.FormatFloat(j*1000, 'f', 1, 64) + " mJ"
}

// ghz prints a clock in gigahertz, two decimals.
func ghz(f tegra.Val[tegra.Freq]) string {
	if !f.OK {
		return dash
	}
	return strconv.FormatFloat(f.V.GHz(), 'f', 2, 64)
}

// signedPct prints "+34 %" or "-41 %", and "×132" for what is many times more.
func signedPct(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dash
	}
	if v >= 1000 {
		return fmt.Sprintf("×%.0f", 1+v/100)
	}
	return fmt.Sprintf("%+.0f %%", math.Round(v)+0) // +0 makes zero of a negative one
}

// yesNo prints a truth that may be unknown.
func yesNo(v tegra.Val[bool]) string {
	switch {
	case !v.OK:
		return dash
	case v.V:
		return "YES"
	}
	return "no"
}

// clockText prints a duration as 06:12 or 1:02:03.
func clockText(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// gigabytes prints bytes as GB with one decimal, or a dash.
func gigabytes(v tegra.Val[int64]) string {
	if !v.OK {
		return dash
	}
	return strconv.FormatFloat(float64(v.V)/1e9, 'f', 1, 64)
}

// memorySize prints bytes in GB, or in MB below a tenth of one.
func memorySize(n int64) string {
	if n < 1e8 {
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// ago prints how long ago something was.
func ago(d time.Duration) string {
	if text := age(d); text != "now" {
		return text + " ago"
	}
	return "less than a minute ago"
}

// age prints how long ago something was, in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

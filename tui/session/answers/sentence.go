package answers

import (
	"fmt"
	"math"

	"jtune/internal/text"
	"jtune/tegra"
)

// Headline states the gain of an answer in a sentence: in the quantity of the goal, with the 95 % band and how certain
// it is; "" without a baseline.
func (a Answer) Headline() string {
	g := a.Gain
	switch {
	case !a.Feasible:
		return a.misses()
	case g == nil:
		return ""
	}
	b, name := a.Baseline()
	keeps := ""
	if b == a.Before && b != nil && !a.Limit.Met(b.Measured) { // the baseline is outside the limit
		keeps = "keeps " + a.Limit.Brief() + ": "
	}
	switch {
	case g.Measured && (b == nil && g.Against == Present || b != nil && b.Setting == a.Setting && b == a.Before):
		return "the board is in the best mode already"
	case !g.Measured:
		return fmt.Sprintf("%s %s %s (%s, not measured)", change(g), g.Quantity, "against "+name, g.band())
	case !g.ToldApart:
		return fmt.Sprintf("%sindistinguishable from %s (%s %s)", keeps, name, g.band(), g.Quantity)
	case g.Quantity == Time && g.Pct < 0:
		return fmt.Sprintf("%s%s faster than %s (%s time)%s", keeps, percent(-g.Pct), name, g.band(), a.draws(b))
	case g.Quantity == Time:
		return fmt.Sprintf("%s%s slower than %s (%s time)%s", keeps, percent(g.Pct), name, g.band(), a.draws(b))
	case g.Quantity == Throughput && g.Pct > 0:
		return fmt.Sprintf("%s%s more samples per second than %s (%s)%s", keeps, percent(g.Pct), name, g.band(),
			a.draws(b))
	case g.Quantity == Throughput:
		return fmt.Sprintf("%s%s fewer samples per second than %s (%s)%s", keeps, percent(-g.Pct), name, g.band(),
			a.draws(b))
	}
	return fmt.Sprintf("%s%s %s against %s (%s)", keeps, change(g), g.Quantity, name, g.band())
}

// misses says that an answer is only the nearest, and by how much it misses.
func (a Answer) misses() string {
	kind := ""
	if a.Reading.N > 0 {
		kind = "measured "
	}
	if a.Served != nil {
		return fmt.Sprintf("no %smode meets %s: this is the nearest", kind, a.Ask)
	}
	out := fmt.Sprintf("no %smode keeps %s: ", kind, a.Limit.Brief())
	if over := a.over(a.Best()); over != "" {
		return out + "the nearest is " + over
	}
	return out + "this is the nearest"
}

// Beside describes the measurement of the mode that the board was in and, if the headline does not, what the answer
// saves or costs against it; "" if it was not measured.
func (a Answer) Beside() string {
	b := a.Before
	if b == nil {
		return ""
	}
	read := fmt.Sprintf("%s: %s ms, %s W, %s J", b.Name, text.Of(b.TimeMS), text.Of(b.PowerW), text.Of(b.EnergyJ()))
	if over := a.over(b.Measured); over != "" {
		read += ", " + over
	}
	if a.Gain == nil || a.Gain.Against == Present || b.Setting == a.Setting {
		return read
	}
	return read + "; the answer: " + differences(a.Reading.Measured, b.Measured)
}

// differences says how the reading of one mode differs from that of another: in time alone without a power meter.
func differences(m, other tegra.Measured) string {
	pct := func(mine, its float64) string { return fmt.Sprintf("%+.0f %%", math.Round(100*(mine/its-1))+0) }
	out := pct(m.SampleMS(), other.SampleMS()) + " time"
	if m.HasPower() && other.HasPower() {
		out += fmt.Sprintf(", %s power, %s energy", pct(m.PowerW, other.PowerW), pct(m.SampleJ(), other.SampleJ()))
	}
	return out
}

// Changes says how the answer differs from the measured present mode; "" if they are the same.
func (a Answer) Changes() string {
	b := a.Before
	if b == nil || b.Setting == a.Setting || a.Reading.N == 0 {
		return ""
	}
	out := "against the present mode: " + differences(a.Reading.Measured, b.Measured)
	if over := a.over(b.Measured); over != "" {
		out += "; that is " + over
	}
	return out
}

// Baseline returns the baseline of the gain and its name; nil if it was not measured.
func (a Answer) Baseline() (*Baseline, string) {
	switch {
	case a.Gain == nil:
		return nil, ""
	case a.Gain.Against == Present && a.Before != nil:
		return a.Before, a.Before.Name
	case a.Preset != nil && a.Preset.Name == a.Gain.Against:
		return a.Preset, a.Preset.Name
	}
	return nil, a.Gain.Against
}

// draws gives the power of the answer and of a baseline, for comparisons of time.
func (a Answer) draws(b *Baseline) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf(", at %s W against %s W", text.Of(a.Reading.PowerW), text.Of(b.PowerW))
}

// over says by how much a mode exceeds the limit on power, time or energy; "" if it does not.
func (a Answer) over(m tegra.Measured) string {
	if b, over := a.Limit.Broken(m); over {
		return fmt.Sprintf("%s %s over the limit", text.Of(b.Of(m)-b.Value), b.Unit)
	}
	return ""
}

// Words returns the gain as a number, without its band, and what the number means.
func (g *Gain) Words() (number, says string) {
	size := math.Abs(math.Round(g.Pct)) + 0
	switch {
	case g.Quantity == Time && g.Pct < 0:
		return fmt.Sprintf("%.0f %%", size), "faster than " + g.Against
	case g.Quantity == Time:
		return fmt.Sprintf("%.0f %%", size), "slower than " + g.Against
	case g.Quantity == Throughput:
		return fmt.Sprintf("%+.0f %%", math.Round(g.Pct)+0), "samples per second against " + g.Against
	}
	return fmt.Sprintf("%+.0f %%", math.Round(g.Pct)+0), string(g.Quantity) + " against " + g.Against
}

// Better reports whether the answer is better than the baseline.
func (g *Gain) Better() bool {
	if g.Quantity == Throughput {
		return g.Pct > 0
	}
	return g.Pct < 0
}

// Band formats the 95 % band.
func (g *Gain) Band() string { return g.band() }

// percent formats a magnitude.
func percent(v float64) string {
	if v < 9.95 {
		return fmt.Sprintf("%.1f %%", v)
	}
	return fmt.Sprintf("%.0f %%", v)
}

// change formats a difference with its sign.
func change(g *Gain) string {
	if g.Pct < 0 {
		return "-" + percent(-g.Pct)
	}
	return "+" + percent(g.Pct)
}

// band formats the 95 % band.
func (g *Gain) band() string {
	if g.Lo == g.Hi {
		return fmt.Sprintf("%+.1f %%", g.Lo+0)
	}
	return fmt.Sprintf("%+.1f to %+.1f %%", g.Lo+0, g.Hi+0)
}

package metric

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Goal is the constraint and goal of a choice. The first of these that applies decides what is best among the modes
// within the limits:
//
//	Knee              the knee of the Pareto front
//	Objective         the least of it; least time is the fastest
//	SlowerPct > 0     least power within this many percent of the fastest
//	a limit on time   least power (also with a power limit beside it)
//	otherwise         the fastest
//
// If the batch size is an input, energy and speed are per sample, and the time limit applies to the minibatch: the
// latency.
type Goal struct {
	Objective *Metric // nil: as above
	Knee      bool
	Limits    Limits
	SlowerPct float64
	// GuardTime keeps a search from measuring modes expected to exceed its time limit by far, as for power, because
	// users wait for the answers measured.
	GuardTime bool
	Margin    Margin  // for predictions
	Risk      float64 // for readings: the chance, at most, that the true values exceed a limit; 0: DefaultRisk
}

// Within is the goal to be the fastest within limits (with one on time, to draw the least power).
func Within(l Limits) Goal { return Goal{Limits: l} }

// Watts is the goal to be the fastest within a power limit; 0 is none.
func Watts(w float64) Goal { return Goal{Limits: Power.Max(w)} }

// Millis is the goal to draw the least power within a time limit; 0 is none.
func Millis(ms float64) Goal { return Goal{Limits: Time.Max(ms)} }

// LeastEnergy is the goal without a limit.
var LeastEnergy = Goal{Objective: Energy}

// Of returns the limit on a metric; 0 for none.
func (g Goal) Of(m *Metric) float64 { return g.Limits.Of(m) }

// Limited reports whether there is a limit.
func (g Goal) Limited() bool { return g.Limits != Limits{} }

// Check returns an error for a contradictory goal.
func (g Goal) Check() error {
	if err := g.Limits.Check(); err != nil {
		return err
	}
	for i, v := range []float64{g.SlowerPct, g.Margin.Z()} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %g, must be a positive number", []string{"slowdown", "margin"}[i], v)
		}
	}
	if r := g.atRisk(); !(r > 0 && r < 0.5) {
		return fmt.Errorf("risk is %g, must be above 0 and below 0.5", r)
	}
	wishes := 0
	for _, w := range []bool{g.Knee, g.Objective != nil, g.SlowerPct > 0} {
		if w {
			wishes++
		}
	}
	if wishes > 1 {
		return errors.New("knee, least energy, power or time, and maximum slowdown exclude each other: give one")
	}
	return nil
}

// Told returns an error for a limit that only a soak tells; errors.Is(err, tegra.ErrUnsupported).
func (g Goal) Told() error {
	for b := range g.Limits.Each() {
		if b.Least {
			return fmt.Errorf("a limit in %s: %w: the mean of a reading hides a dip; jtune soak watches it", b.Unit,
				tegra.ErrUnsupported)
		}
	}
	return nil
}

// Aim returns what the goal makes least among the modes within the limits, unless it is the knee.
func (g Goal) Aim() *Metric {
	switch _, timed := g.Limits.On(Time); {
	case g.Knee:
		return Time
	case g.Objective != nil:
		return g.Objective
	case g.SlowerPct > 0 || timed:
		return Power
	}
	return Time
}

// With returns the goal with the limits, and where other names one the objective, of another.
func (g Goal) With(other Goal) Goal {
	g.Limits = g.Limits.And(other.Limits)
	g.Objective = cmp.Or(other.Objective, g.Objective)
	g.Knee, g.SlowerPct = g.Knee || other.Knee, cmp.Or(other.SlowerPct, g.SlowerPct)
	return g
}

// Over returns the goal over these batch sizes: of several within a power limit the most samples per second, unless it
// names another.
func (g Goal) Over(sizes []int) Goal {
	if len(sizes) > 1 && g.Objective == nil && g.Limits.Harm() {
		g.Objective = Time
	}
	return g
}

// aims says what is best among the modes within the limits.
func (g Goal) aims() string {
	switch {
	case g.Knee:
		return "knee of the front"
	case g.Aim() == Time:
		return "fastest"
	}
	return "least " + g.Aim().Title
}

// Words describes the goal: "fastest, power ≤ 30 W".
func (g Goal) Words() string { return Question{Limit: g}.Words() }

// bounds describes the limits.
func (g Goal) bounds() (parts []string) {
	if g.SlowerPct > 0 && !g.Knee {
		parts = append(parts, fmt.Sprintf("at most %g %% slower than the fastest", g.SlowerPct))
	}
	for b := range g.Limits.Each() {
		sign := "≤"
		if b.Least {
			sign = "≥"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", b.Title, sign, b))
	}
	return parts
}

// Brief prints the numbers of the limits, "30 W and 80 ms"; "least energy" without one.
func (g Goal) Brief() string {
	if !g.Limited() {
		return "least " + g.Aim().Title
	}
	return g.Limits.join(" and ")
}

// String prints the goal in the form that Parse reads.
func (g Goal) String() string {
	var parts []string
	if g.Limited() {
		parts = append(parts, g.Limits.String())
	}
	if g.Knee {
		parts = append(parts, kneeWord)
	}
	if g.Objective != nil {
		parts = append(parts, leastWord+" "+g.Objective.Key)
	}
	if g.SlowerPct > 0 {
		parts = append(parts, strconv.FormatFloat(g.SlowerPct, 'f', -1, 64)+slowerEnd)
	}
	return strings.Join(parts, ", ")
}

// MarshalText stores the goal as a line, without the margin and the guard of its request.
func (g Goal) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// GobEncode stores the goal as MarshalText does.
func (g Goal) GobEncode() ([]byte, error) { return g.MarshalText() }

// GobDecode reads a stored line.
func (g *Goal) GobDecode(line []byte) error {
	if len(line) == 0 {
		*g = Goal{}
		return nil
	}
	q, err := Parse(string(line))
	*g = q.Limit
	return err
}

// UnmarshalTOML reads a stored goal: a line, or the table that jtune wrote before it had one.
func (g *Goal) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		return g.GobDecode([]byte(v))
	case map[string]any:
		old := map[string]any{} // in answers PowerW, in campaigns power_limit_w or power_w
		for key, value := range v {
			old[strings.ToLower(strings.NewReplacer("_limit", "", "_", "").Replace(key))] = value
		}
		number := func(key string) (x float64) { x, _ = old[key].(float64); return x }
		is := func(key string) bool { x, _ := old[key].(bool); return x }
		*g = Goal{Limits: Power.Max(number("powerw")).And(Time.Max(number("timems"))).
			And(Energy.Max(number("energyj"))), Knee: is("knee"), SlowerPct: number("maxslowdownpct")}
		switch {
		case is("energy"):
			g.Objective = Energy
		case is("throughput"):
			g.Objective = Time
		}
		return nil
	}
	return fmt.Errorf("a goal is a line such as %q", Example)
}

// Better reports whether a beats b for the goal, if both are within the limits.
func (g Goal) Better(a, b tegra.Measured) bool { return g.Aim().Better(a, b) }

// Better reports whether a has less than b, or as much and is better otherwise.
func (m *Metric) Better(a, b tegra.Measured) bool {
	second := Time
	if m == Time {
		second = Power
	}
	x, y := m.Aim(a), m.Aim(b)
	return x < y || x == y && second.Aim(a) < second.Aim(b)
}

// Broken returns the first bound that a measured or predicted point exceeds.
func (g Goal) Broken(p tegra.Measured) (b Bound, ok bool) {
	for b := range g.Limits.Each() {
		if b.Over(b.Of(p)) > 0 {
			return b, true
		}
	}
	return b, false
}

// Met reports whether a measured or predicted point is within the limits, without margin.
func (g Goal) Met(p tegra.Measured) bool {
	if !stats.Positive(p.TimeMS, p.PowerW) {
		return false
	}
	for b := range g.Limits.Each() {
		if !(b.Over(b.Of(p)) <= 0) {
			return false
		}
	}
	return true
}

// Excess returns by how much, in logarithms summed over the violated limits, a point with these standard deviations of
// time and power exceeds the limits with the margin. The errors of time and power count as independent.
func (g Goal) Excess(p tegra.Measured, sdTime, sdPower float64) (over float64) {
	for b := range g.Limits.Each() {
		for v, sd := range b.Reads(p, sdTime, sdPower) {
			over += max(0, math.Log(v)+g.Margin.Z()*sd-math.Log(b.Value))
		}
	}
	return over
}

// SD returns the standard deviation of the logarithm, from those of time and power; one that does not count may be NaN.
func (m *Metric) SD(time, power float64) float64 {
	switch {
	case m.InPower == 0:
		return m.InTime * time
	case m.InTime == 0:
		return m.InPower * power
	}
	return math.Hypot(m.InTime*time, m.InPower*power)
}

// BestOf returns the best setting that keeps the limits by its readings; N is 0 if there is none.
func (g Goal) BestOf(list []tegra.Measured) (best tegra.Mean) {
	for _, m := range tegra.MeansOf(list) {
		if g.keeps(m) && (best.N == 0 || g.Better(m.Measured, best.Measured)) {
			best = m
		}
	}
	return best
}

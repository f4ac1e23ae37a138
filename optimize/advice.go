package optimize

// Advice in words from a fitted model: what the workload waits for, which knob
// matters, whether a mode in use lies off the Pareto front, what a whole training
// gains, and which way of measuring suits it (PowerTrain, Table 1).

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/tegra"
)

// Situation is what advice is given about. Only Mode is needed.
type Situation struct {
	Mode    tegra.Mode            // chosen, or in question
	Present tegra.Val[tegra.Mode] // the device's now
	Presets []tegra.Preset
	// Minibatches of a whole training; 0 when not known.
	Minibatches int
}

// Advice is what a model says about a workload, one sentence per line. Predictions
// decide, measured values where the model has them.
func Advice(m *learn.Model, s Situation) []string {
	a := newAdviser(m, s)
	var lines []string
	if fit, ok := m.Surrogate(); ok {
		lines = append(lines, a.bound(fit.Bound(s.Mode)))
	}
	lines = append(lines, a.ranked())
	if off := a.tooWrong(); off != "" {
		lines = append(lines, off)
	} else {
		lines = append(lines, a.idle()...)
		lines = append(lines, a.offFront()...)
	}
	return append(lines, a.training()...)
}

type adviser struct {
	Situation
	model  *learn.Model
	points []tegra.Measured // of all modes of the model's space
	known  map[tegra.Mode]tegra.Measured
	// effects are those of the knobs around Mode, the largest on time first.
	effects []learn.KnobEffect
}

func newAdviser(m *learn.Model, s Situation) *adviser {
	a := &adviser{Situation: s, model: m, known: map[tegra.Mode]tegra.Measured{}}
	effects := learn.Importance(m, m.Space, s.Mode, nearOctaves)
	a.effects = effects[:]
	slices.SortStableFunc(a.effects, func(x, y learn.KnobEffect) int { return cmp.Compare(y.TimeX, x.TimeX) })
	for _, r := range m.Samples {
		a.known[r.Mode] = r
	}
	for _, p := range m.Predict(m.Space.Modes()) {
		point, ok := a.known[p.Mode]
		if !ok {
			point = p.Measured
		}
		a.points = append(a.points, point)
	}
	return a
}

// at is what is known of a mode.
func (a *adviser) at(m tegra.Mode) tegra.Measured {
	if p, ok := a.known[m]; ok {
		return p
	}
	return a.model.Predict([]tegra.Mode{m})[0].Measured
}

func (a *adviser) name(m tegra.Mode) string { return a.model.Space.Format(m) }

func (a *adviser) bound(b learn.Bound) string {
	text := fmt.Sprintf("in %s the workload is %s", a.name(a.Mode), b)
	if b.OneThread > b.Share[learn.OnCPU]/2 && b.By == learn.OnCPU {
		text += ": one thread decides, more cores do not help"
	}
	return text
}

// nearOctaves is how far around a mode knobs are judged: a factor of two.
const nearOctaves = 1

// idleX is the effect on time up to which a knob counts as having none.
const idleX = 1.03

// mostErrorPct is the cross-validated error above which a model's best and
// idlest modes are its mistakes rather than the workload's.
const mostErrorPct = 20.0

// tooWrong says why there is no advice on single modes; "" for a model that is good
// enough, or whose errors are not known.
func (a *adviser) tooWrong() string {
	cv := a.model.CV
	if !cv.Known() || !(cv.TimeMAPEPct > mostErrorPct || cv.PowerMAPEPct > mostErrorPct) {
		return ""
	}
	what := fmt.Sprintf("%.0f %% in time", cv.TimeMAPEPct)
	if a.model.HasPower() {
		what += fmt.Sprintf(" and %.0f %% in power", cv.PowerMAPEPct)
	}
	todo := "measure more"
	if a.model.Method != learn.GP {
		todo += ", or fit with --method gp"
	}
	return "errors of " + what + " are too large to say which modes waste power: " + todo
}

// ranked says what each knob does, the one with most effect on time first.
func (a *adviser) ranked() string {
	var parts []string
	for _, e := range a.effects {
		effect := fmt.Sprintf("%s (time ×%.2f", e.Knob, e.TimeX)
		if a.model.HasPower() {
			effect += fmt.Sprintf(", power ×%.2f", e.PowerX)
		}
		parts = append(parts, effect+")")
	}
	return "knobs by what they change within a factor of two: " + strings.Join(parts, ", ")
}

// idle names the knobs that cost power and save no time.
func (a *adviser) idle() (lines []string) {
	for _, e := range a.effects {
		least := a.model.Space.Values(e.Knob)[0]
		if e.TimeX <= idleX && e.PowerX > idleX && a.Mode.Value(e.Knob) > least {
			lines = append(lines, fmt.Sprintf(
				"%s hardly changes the time here but up to %.0f %% of power: a lower setting costs nothing",
				e.Knob, 100*(1-1/e.PowerX)))
		}
	}
	return lines
}

// noiseGain is the relative gain that is noise where there is one reading per mode.
const noiseGain = 0.03

// OffFront reports whether other points beat p by more than the given relative
// gains: faster is the fastest of those that draw no more power, thriftier the
// one of least power of those that take no more time. Each is p itself where
// the gain in time or in power is less.
func OffFront(
	points []tegra.Measured,
	p tegra.Measured,
	timeGain, powerGain float64,
) (faster, thriftier tegra.Measured, off bool) {
	faster, thriftier = p, p
	for _, q := range points {
		if !stats.Positive(q.TimeMS, q.PowerW) {
			continue
		}
		if q.PowerW <= p.PowerW && q.TimeMS < faster.TimeMS {
			faster = q
		}
		if q.TimeMS <= p.TimeMS && q.PowerW < thriftier.PowerW {
			thriftier = q
		}
	}
	if faster.TimeMS > p.TimeMS*(1-timeGain) {
		faster = p
	}
	if thriftier.PowerW > p.PowerW*(1-powerGain) {
		thriftier = p
	}
	return faster, thriftier, faster != p || thriftier != p
}

// offFront looks at the present mode, MAXN and the presets.
func (a *adviser) offFront() []string {
	type named struct {
		name string
		mode tegra.Mode
	}
	var list []named
	if a.Present.OK {
		list = append(list, named{"the present mode", a.Present.V})
	}
	if top := a.model.Space.Max(); a.model.Space.Contains(top) {
		list = append(list, named{"every knob at its largest", top})
	}
	for _, p := range a.Presets {
		list = append(list, named{"preset " + p.Name, p.Mode})
	}
	var lines []string
	seen := map[tegra.Mode]bool{}
	for _, n := range list {
		p := a.at(n.mode)
		if seen[n.mode] || !stats.Positive(p.TimeMS, p.PowerW) {
			continue
		}
		seen[n.mode] = true
		lines = append(lines, a.beaten(n.name, p)...)
	}
	return lines
}

// beaten asks for gains above the noise and the model's errors: the best of
// thousands of predictions is likely to be too good.
func (a *adviser) beaten(name string, p tegra.Measured) []string {
	cv := a.model.CV
	timeGain, powerGain := noiseGain+cv.TimeMAPEPct/100, noiseGain+cv.PowerMAPEPct/100
	faster, thriftier, off := OffFront(a.points, p, timeGain, powerGain)
	if !off {
		return nil
	}
	var ways []string
	if faster != p {
		ways = append(ways, fmt.Sprintf("%s is %.0f %% faster at no more power",
			a.name(faster.Mode), 100*(p.TimeMS/faster.TimeMS-1)))
	}
	if thriftier != p {
		ways = append(ways, fmt.Sprintf("%s draws %.0f %% less (%.1f W) in no more time",
			a.name(thriftier.Mode), 100*(1-thriftier.PowerW/p.PowerW), p.PowerW-thriftier.PowerW))
	}
	return []string{fmt.Sprintf("%s (%s) is predicted to lie off the Pareto front: %s",
		name, a.name(p.Mode), strings.Join(ways, "; "))}
}

// training compares whole trainings with the present mode's, and says which
// way of measuring suits one of that length.
func (a *adviser) training() []string {
	if a.Minibatches <= 0 {
		return nil
	}
	here := Whole(a.at(a.Mode), a.Minibatches)
	text := fmt.Sprintf("a whole training of %s minibatches takes %s in %s",
		text.Thousands(a.Minibatches), here, a.name(a.Mode))
	than := here
	if a.Present.OK && a.Present.V != a.Mode {
		than = Whole(a.at(a.Present.V), a.Minibatches)
		text += "; " + against(here, than) + " the present mode"
	}
	fit := ApproachFor(than.Time)
	return []string{text, fmt.Sprintf("for a training of that length (%s): %s", fit.Scenario, fit.Jtune)}
}

// Training is what a whole training takes.
type Training struct {
	Time time.Duration
	KWh  float64 // NaN where power is not known
}

// String says "1.4 h and 120 Wh".
func (t Training) String() string {
	if math.IsNaN(t.KWh) {
		return spoken(t.Time)
	}
	return spoken(t.Time) + " and " + energy(t.KWh)
}

// Whole is minibatches times the point's time and energy: no validation, no
// loading between epochs.
func Whole(p tegra.Measured, minibatches int) Training {
	n := float64(minibatches)
	return Training{time.Duration(n * p.TimeMS * float64(time.Millisecond)), n * p.TimeMS * p.PowerW / 3.6e9}
}

// energy prints watt-hours up to one kilowatt-hour.
func energy(kwh float64) string {
	if kwh < 1 {
		return fmt.Sprintf("%.3g Wh", kwh*1000)
	}
	return fmt.Sprintf("%.2f kWh", kwh)
}

// against says "1.4 h less and 120 Wh more than".
func against(here, other Training) string {
	more := func(less bool) string {
		if less {
			return "less"
		}
		return "more"
	}
	dt, de := here.Time-other.Time, here.KWh-other.KWh
	if math.IsNaN(de) {
		return fmt.Sprintf("%s %s than in", spoken(dt.Abs()), more(dt < 0))
	}
	return fmt.Sprintf("%s %s and %s %s than in", spoken(dt.Abs()), more(dt < 0), energy(max(de, -de)), more(de < 0))
}

// spoken prints a duration as people say it.
func spoken(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 72*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

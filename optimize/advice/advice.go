// Package advice describes a fitted model in words: which knob limits the time, what each knob costs, whether a mode in
// use is off the Pareto front, what a whole training gains, and which measuring approach suits it (PowerTrain, Table
// 1).
package advice

import (
	"fmt"
	"math"
	"sync"
	"time"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tegra"
)

// Situation is the context of advice. Only Mode is required.
type Situation struct {
	Mode    tegra.Mode  // mode in question
	Present tegra.Setup // current state of the device; models describe locked clocks
	Presets []tegra.Preset
	// Minibatches is the length of a whole training; 0: unknown.
	Minibatches int
	// Predicted holds the model's predictions for all modes of its space, by index; nil: computed when needed.
	Predicted []learn.Prediction
}

// Of returns a description of a workload by its model, one sentence per line. It uses predictions, or measured values
// if the model has them.
func Of(m *learn.Model, s Situation) []string {
	a := newAdviser(m, s)
	lines := append(Knobs(m, s.Mode), a.doubtOrFront(true)...)
	length, approach := a.training()
	return append(append(lines, length...), approach...)
}

// Findings returns the part of Of shown with an answer: what else can be gained, whether the current mode wastes power,
// and the totals of a whole training.
func Findings(m *learn.Model, s Situation) []string {
	a := newAdviser(m, s)
	lines := a.doubtOrFront(false)
	if tooWrong(m) == "" {
		lines = append(free(halves(m, s.Mode)), lines...)
	}
	length, _ := a.training()
	return append(lines, length...)
}

// present names the current mode; the models describe it with locked clocks.
func (s *Situation) present() string {
	if s.Present.Locked.OK && !s.Present.Locked.V {
		return "the present mode with locked clocks"
	}
	return "the present mode"
}

type adviser struct {
	Situation
	model  *learn.Model
	points func() []point // all modes of the model's space, computed at the first call
	known  map[tegra.Mode]tegra.Measured
}

// point is the measurement or prediction of a mode.
type point struct {
	tegra.Measured
	read bool // measured
}

func newAdviser(m *learn.Model, s Situation) *adviser {
	a := &adviser{Situation: s, model: m, known: readings(m)}
	a.points = sync.OnceValue(func() []point {
		if s.Predicted == nil {
			s.Predicted = m.Predict(m.Space.Modes())
		}
		out := make([]point, len(s.Predicted))
		for i := range out {
			out[i].Measured = s.Predicted[i].Measured
		}
		for mode, read := range a.known {
			if i, ok := m.Space.Index(mode); ok {
				out[i] = point{read, true}
			}
		}
		return out
	})
	return a
}

// readings returns the measurements at the model's batch size, without outliers.
func readings(m *learn.Model) map[tegra.Mode]tegra.Measured {
	known := map[tegra.Mode]tegra.Measured{}
	for _, r := range m.Trusted() {
		if r.Batch == m.Batch {
			known[r.Mode] = r
		}
	}
	return known
}

// at returns the measurement or prediction of a mode.
func (a *adviser) at(m tegra.Mode) point {
	if p, ok := a.known[m]; ok {
		return point{p, true}
	}
	return point{a.model.Predict([]tegra.Mode{m})[0].Measured, false}
}

func (a *adviser) name(m tegra.Mode) string { return a.model.Space.Format(m) }

// tooWrong returns why there is no advice on single modes; "" for an accurate model. With an inaccurate one, the best
// and worst modes reflect its errors, not the workload.
func tooWrong(m *learn.Model) string {
	cv, pct := m.CV, m.ErrorPct()
	switch {
	case !pct.OK:
		return "the model's errors are not known, so neither is which modes waste power: measure more"
	case pct.V <= learn.MostErrorPct:
		return ""
	}
	what := fmt.Sprintf("%.0f %% in time", cv.TimeMAPEPct)
	if m.HasPower() {
		what += fmt.Sprintf(" and %.0f %% in power", cv.PowerMAPEPct)
	}
	todo := "measure more"
	if m.Method != learn.GP {
		todo += ", or fit with " + usage.Method.String() + " gp"
	}
	return "errors of " + what + " are too large to say which modes waste power: " + todo
}

// doubtOrFront looks for modes off the front, unless the model is too inaccurate: the current mode, or also MAXN and
// the presets.
func (a *adviser) doubtOrFront(all bool) []string {
	if doubt := tooWrong(a.model); doubt != "" {
		return []string{doubt}
	}
	return a.offFront(all)
}

// noise is the relative error of a single reading.
const noise = 0.03

// errors returns the relative errors of time and power of a point: the model's by cross-validation, or those of a
// reading if measured; NaN if unknown.
func (a *adviser) errors(p point) (time, power float64) {
	cv := a.model.CV
	switch {
	case p.read:
		return noise, noise
	case !cv.Known():
		return math.NaN(), math.NaN()
	}
	return max(noise, cv.TimeMAPEPct/100), max(noise, cv.PowerMAPEPct/100)
}

// better finds points that beat p in both time and power by more than the larger error of the two points: the fastest
// and the one of least power; false if there are none.
func (a *adviser) better(p point) (faster, thriftier point, found bool) {
	ownTime, ownPower := a.errors(p)
	for _, q := range a.points() {
		errTime, errPower := a.errors(q)
		if !stats.Positive(q.TimeMS, q.PowerW) || !(q.TimeMS*(1+max(errTime, ownTime)) <= p.TimeMS) ||
			!(q.PowerW*(1+max(errPower, ownPower)) <= p.PowerW) {
			continue
		}
		if !found || q.TimeMS < faster.TimeMS {
			faster = q
		}
		if !found || q.PowerW < thriftier.PowerW {
			thriftier = q
		}
		found = true
	}
	return faster, thriftier, found
}

func (a *adviser) offFront(all bool) []string {
	type named struct {
		name string
		mode tegra.Mode
	}
	var list []named
	if a.Present.Mode.OK {
		list = append(list, named{a.present(), a.Present.Mode.V})
	}
	if all {
		if top := a.model.Space.Max(); a.model.Space.Contains(top) {
			list = append(list, named{"every knob at its largest", top})
		}
		for _, p := range a.Presets {
			list = append(list, named{"preset " + p.Name, p.ModeIn(a.model.Space)})
		}
	}
	var lines []string
	seen := map[tegra.Mode]bool{}
	for _, n := range list {
		p := a.at(n.mode)
		if seen[n.mode] || !stats.Positive(p.TimeMS, p.PowerW) {
			continue
		}
		seen[n.mode] = true
		if faster, thriftier, off := a.better(p); off {
			lines = append(lines, a.beaten(n.name, p, faster, thriftier))
		}
	}
	return lines
}

// beaten describes by how much a mode is beaten, and whether that was measured.
func (a *adviser) beaten(name string, p, faster, thriftier point) string {
	how := func(q point) string {
		if p.read && q.read {
			return "measured"
		}
		return "predicted"
	}
	way := func(q point) string {
		return fmt.Sprintf("%s is %.0f %% faster and draws %.0f %% less (%.1f W, %s)", a.name(q.Mode),
			100*(p.TimeMS/q.TimeMS-1), 100*(1-q.PowerW/p.PowerW), p.PowerW-q.PowerW, how(q))
	}
	ways := way(faster)
	if thriftier.Mode != faster.Mode {
		ways += "; " + way(thriftier)
	}
	return fmt.Sprintf("%s (%s) lies off the Pareto front: %s", name, a.name(p.Mode), ways)
}

// training compares whole trainings with the current mode's, and names the measuring approach for one of that length.
func (a *adviser) training() (length, approach []string) {
	if a.Minibatches <= 0 {
		return nil, nil
	}
	here := TrainingOf(a.at(a.Mode).Measured, a.Minibatches)
	text := fmt.Sprintf("a whole training of %s minibatches takes %s in %s",
		text.Thousands(a.Minibatches), here, a.name(a.Mode))
	than := here
	if a.Present.Mode.OK && a.Present.Mode.V != a.Mode {
		than = TrainingOf(a.at(a.Present.Mode.V).Measured, a.Minibatches)
		text += "; " + Against(here, than) + " in " + a.present()
		if !a.at(a.Mode).read || !a.at(a.Present.Mode.V).read {
			text += " (predicted)"
		}
	}
	fit := approachFor(than.Time)
	return []string{text}, []string{fmt.Sprintf("for a training of that length (%s): %s", fit.Scenario, fit.Jtune)}
}

// Training is the time and energy of a whole training.
type Training struct {
	Time time.Duration
	KWh  float64 // NaN if power is unknown
}

// String prints "1.4 h and 120 Wh".
func (t Training) String() string {
	if math.IsNaN(t.KWh) {
		return spoken(t.Time)
	}
	return spoken(t.Time) + " and " + Energy(t.KWh)
}

// TrainingOf returns minibatches times the point's time and energy, without validation or loading between epochs.
func TrainingOf(p tegra.Measured, minibatches int) Training {
	n := float64(minibatches)
	return Training{time.Duration(n * p.TimeMS * float64(time.Millisecond)), n * p.TimeMS * p.PowerW / 3.6e9}
}

// Energy prints watt-hours up to one kilowatt-hour.
func Energy(kwh float64) string {
	if kwh < 1 {
		return fmt.Sprintf("%.3g Wh", kwh*1000)
	}
	return fmt.Sprintf("%.2f kWh", kwh)
}

// Against prints "1.4 h less and 120 Wh more than".
func Against(here, other Training) string {
	more := func(less bool) string {
		if less {
			return "less"
		}
		return "more"
	}
	dt, de := here.Time-other.Time, here.KWh-other.KWh
	if math.IsNaN(de) {
		return fmt.Sprintf("%s %s than", spoken(dt.Abs()), more(dt < 0))
	}
	return fmt.Sprintf("%s %s and %s %s than", spoken(dt.Abs()), more(dt < 0), Energy(max(de, -de)), more(de < 0))
}

// spoken prints a duration in words.
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

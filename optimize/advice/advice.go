// Package advice describes a fitted model in words: which knob limits the time, what each knob costs, whether a mode in
// use is off the Pareto front, what a whole training gains, and which measuring approach suits it (PowerTrain, Table
// 1).
package advice

import (
	"fmt"
	"math"
	"sync"
	"time"

	"jtune/internal/conclusion"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tegra"
)

// Situation is the context of advice. Only Mode is required.
type Situation struct {
	Mode    tegra.Mode  // mode in question
	Present tegra.Setup // current state of the device; models describe locked clocks
	Presets []tegra.Preset
	// Answer is what a search read in Mode, which counts also where the model doubts it; zero: the model's values.
	Answer tegra.Measured
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
		return "today's mode (clocks locked)"
	}
	return "today's mode"
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
	if s.Answer.TimeMS > 0 {
		a.known[s.Mode] = s.Answer
	}
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

// errors are a model's cross-validated errors in percent; absent: not known, or not of its model.
type errors struct {
	TimePct  tegra.Val[float64] `turn:"0 60"`
	PowerPct tegra.Val[float64] `turn:"0 60"`
	GP       bool
}

// unsure says why there is no advice on single modes; nothing for an accurate model. With an inaccurate one, the best
// and worst modes reflect its errors, not the workload.
var unsure = conclusion.New("advice: errors of the model", 5, func(e errors) string {
	switch {
	case !e.TimePct.OK:
		return "the model's errors are not known, so neither is which modes waste power: measure more"
	case max(e.TimePct.V, e.PowerPct.Or(0)) <= learn.MostErrorPct:
		return ""
	}
	what := fmt.Sprintf("%.0f %% in time", e.TimePct.V)
	if e.PowerPct.OK {
		what += fmt.Sprintf(" and %.0f %% in power", e.PowerPct.V)
	}
	todo := "measure more"
	if !e.GP {
		todo += ", or fit with " + usage.Method.String() + " gp"
	}
	return "errors of " + what + " are too large to say which modes waste power: " + todo
})

// tooWrong returns why there is no advice on single modes; "" for an accurate model.
func tooWrong(m *learn.Model) string {
	e := errors{GP: m.Method == learn.GP}
	if m.CV.Known() {
		e.TimePct = tegra.Finite(m.CV.TimeMAPEPct)
		e.PowerPct = tegra.Val[float64]{V: m.CV.PowerMAPEPct, OK: m.HasPower()}
	}
	return unsure.Say(e)
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

// rival is a point with its relative errors: the model's by cross-validation, those of a reading if measured, NaN if
// unknown.
type rival struct {
	Mode              string
	TimeMS, PowerW    float64 `turn:"20 40"`
	TimeErr, PowerErr float64 `turn:"0.03 0.3"`
	Read              bool
}

func (a *adviser) rival(p point) rival {
	cv, r := a.model.CV, rival{TimeMS: p.TimeMS, PowerW: p.PowerW, TimeErr: noise, PowerErr: noise, Read: p.read}
	switch {
	case p.read:
	case !cv.Known():
		r.TimeErr, r.PowerErr = math.NaN(), math.NaN()
	default:
		r.TimeErr, r.PowerErr = max(noise, cv.TimeMAPEPct/100), max(noise, cv.PowerMAPEPct/100)
	}
	return r
}

// named is rival with the mode's name.
func (a *adviser) named(p point) rival {
	r := a.rival(p)
	r.Mode = a.name(p.Mode)
	return r
}

// beats reports whether r beats other in both time and power by more than the larger error of the two.
func (r rival) beats(other rival) bool {
	return stats.Positive(r.TimeMS, r.PowerW) && r.TimeMS*(1+max(r.TimeErr, other.TimeErr)) <= other.TimeMS &&
		r.PowerW*(1+max(r.PowerErr, other.PowerErr)) <= other.PowerW
}

// over describes by how much r beats other, and whether that was measured.
func (r rival) over(other rival) string {
	how := "predicted"
	if r.Read && other.Read {
		how = "measured"
	}
	return fmt.Sprintf("%s is %.0f %% faster and draws %.0f %% less (%.1f W, %s)", r.Mode,
		100*(other.TimeMS/r.TimeMS-1), 100*(1-r.PowerW/other.PowerW), other.PowerW-r.PowerW, how)
}

// better finds points that beat p: the fastest and the one of least power; false if there are none.
func (a *adviser) better(p point) (faster, thriftier point, found bool) {
	own := a.rival(p)
	for _, q := range a.points() {
		if !a.rival(q).beats(own) {
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

// beaten is a mode, and the fastest and the thriftiest that may beat it.
type beaten struct {
	Name                   string
	Own, Faster, Thriftier rival
}

var offTheFront = conclusion.New("advice: off the front", 4, func(b beaten) string {
	if !b.Faster.beats(b.Own) {
		return ""
	}
	ways := b.Faster.over(b.Own)
	if b.Thriftier.beats(b.Own) && b.Thriftier.PowerW < b.Faster.PowerW {
		ways += "; " + b.Thriftier.over(b.Own)
	}
	return fmt.Sprintf("%s (%s) lies off the Pareto front: %s", b.Name, b.Own.Mode, ways)
})

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
			list = append(list, named{"every clock at its largest", top})
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
			lines = append(lines,
				offTheFront.Say(beaten{n.name, a.named(p), a.named(faster), a.named(thriftier)}))
		}
	}
	return lines
}

// whole is a training of that many minibatches in a mode, and in the present one if that is another.
type whole struct {
	Minibatches   int `shown:"1 100000"`
	Mode, Present string
	MS            float64            `turn:"20 40"`
	W             tegra.Val[float64] `turn:"20 40"`
	PresentMS     tegra.Val[float64] `turn:"20 40"`
	PresentW      tegra.Val[float64] `turn:"20 40"`
	Predicted     bool
}

var wholeTraining = conclusion.New("advice: a whole training", 6, func(w whole) string {
	of := func(ms, watt tegra.Val[float64]) Training {
		return TrainingOf(tegra.Measured{TimeMS: ms.V, PowerW: watt.Or(math.NaN())}, w.Minibatches)
	}
	here := of(tegra.Some(w.MS), w.W)
	says := fmt.Sprintf("a whole training of %s minibatches takes %s in %s", text.Thousands(w.Minibatches), here,
		w.Mode)
	if w.PresentMS.OK {
		says += "; " + Against(here, of(w.PresentMS, w.PresentW)) + " in " + w.Present
		if w.Predicted {
			says += " (predicted)"
		}
	}
	return says
})

// long is how long a training takes.
type long struct {
	Hours float64 `turn:"0 48"`
}

// suits says which measuring approach suits a training by its length: days, hours, or less than one hour. It never
// picks the federated scenario, which is defined by how often the workload changes, not by length.
var suits = conclusion.New("advice: approach", 3, func(l long) string {
	best := approaches[0]
	for _, a := range approaches {
		if a.upTo > 0 && l.Hours <= a.upTo.Hours() {
			best = a
		}
	}
	return fmt.Sprintf("for a training of that length (%s): %s", best.Scenario, best.Jtune)
})

// training compares whole trainings with the current mode's, and names the measuring approach for one of that length.
func (a *adviser) training() (length, approach []string) {
	if a.Minibatches <= 0 {
		return nil, nil
	}
	at := a.at(a.Mode)
	than, w := at, whole{Minibatches: a.Minibatches, Mode: a.name(a.Mode), Present: a.present(), MS: at.TimeMS,
		W: tegra.Finite(at.PowerW)}
	if a.Present.Mode.OK && a.Present.Mode.V != a.Mode {
		than = a.at(a.Present.Mode.V)
		w.PresentMS, w.PresentW = tegra.Some(than.TimeMS), tegra.Finite(than.PowerW)
		w.Predicted = !at.read || !than.read
	}
	return []string{wholeTraining.Say(w)},
		[]string{suits.Say(long{TrainingOf(than.Measured, a.Minibatches).Time.Hours()})}
}

// Training is the time and energy of a whole training.
type Training struct {
	Time time.Duration
	KWh  float64 // NaN if power is unknown
}

// String prints "1.4 h and 120 Wh".
func (t Training) String() string {
	if math.IsNaN(t.KWh) {
		return units.Span(t.Time)
	}
	return units.Span(t.Time) + " and " + Energy(t.KWh)
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
		return fmt.Sprintf("%s %s than", units.Span(dt.Abs()), more(dt < 0))
	}
	return fmt.Sprintf("%s %s and %s %s than", units.Span(dt.Abs()), more(dt < 0), Energy(max(de, -de)), more(de < 0))
}

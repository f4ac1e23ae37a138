package hold

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/internal/units"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Status is the current state of a watched load.
type Status struct {
	At      time.Duration // since it began
	PowerW  tegra.Val[float64]
	Amperes tegra.Val[float64] // of Peak's rail
	TjC     tegra.Val[float64]
	In      time.Duration // until steady
	State
	Broken string // the first limit that was exceeded, in words
}

// Steady returns the predicted final temperature and the time until it is reached.
func (w *Watcher) Steady() (out Steady, in time.Duration) {
	fit, ok := w.curve.Fit()
	if !ok {
		return out, 0
	}
	tenth := func(v float64) tegra.Val[float64] { return tegra.Some(math.Round(v*10) / 10) }
	return Steady{TjC: tenth(min(fit.EndC, mostEndC)), LoC: tenth(min(fit.LoC, mostEndC)),
		HiC: tenth(min(fit.HiC, mostEndC)), Reached: fit.Reached}, fit.In
}

// Status returns the state of the load at time t.
func (w *Watcher) Status(t time.Duration) (s Status) {
	s = Status{At: t - w.begun, PowerW: w.nowW, Amperes: w.nowA, TjC: w.nowC, State: w.state(), Broken: w.broken}
	_, s.In = w.Steady()
	return s
}

// Broken returns the first limit that was exceeded, in words; "" for none.
func (w *Watcher) Broken() string { return w.broken }

// Begun returns when the load began.
func (w *Watcher) Begun() time.Duration { return w.begun }

// Part returns how often the load was resumed after an interruption.
func (w *Watcher) Part() int64 { return w.parts }

// mostEndC caps the predicted end on screen: early in a soak the prediction only says that it will be hot.
const mostEndC = 150

// state returns where the load stands. Its margins are to the given limits, else to the board's own.
func (w *Watcher) state() (s State) {
	left := func(limit, v tegra.Val[float64]) tegra.Val[float64] {
		return tegra.Val[float64]{V: math.Round((limit.V-v.V)*1000) / 1000, OK: limit.OK && v.OK}
	}
	s.Steady, _ = w.Steady()
	p, l, m := &s.Peak, &s.Least, &s.Margins
	p.PowerW, p.TjC = w.peaks.PowerW, w.tjC
	m.PowerW = left(w.limits.Val(metric.Power), w.minute.most())
	if supply := w.peaks.Supply(w.board); supply != nil {
		p.Amperes, p.Rail = supply.Amperes, tegra.Some(supply.Name)
		m.Amperes = left(supply.Limits.First(), p.Amperes)
	}
	if limit, most := w.mostAmperes(); limit.OK {
		m.Amperes = left(limit, most)
	}
	limitC := w.limits.Val(metric.Temperature)
	if !limitC.OK {
		limitC = w.tripC
	}
	m.TjC = left(limitC, p.TjC)
	if name := w.voltsRail(); name != "" {
		if rail := w.peaks.Of(name); rail != nil && rail.LeastV.OK {
			l.Volts, l.Rail = rail.LeastV, tegra.Some(name)
		}
	}
	m.Volts = left(l.Volts, w.limits.Val(metric.Voltage))
	return s
}

// mostAmperes returns the limit in amperes that is closest to its largest current, and that current.
func (w *Watcher) mostAmperes() (limit, most tegra.Val[float64]) {
	for b := range w.limits.Each() {
		for _, r := range w.peaks.Rails {
			if on := b.Metric == metric.Current && (b.On == "" || b.On == r.Name); on && r.Amperes.OK &&
				(!most.OK || r.Amperes.V/b.Value > most.V/limit.V) {
				limit, most = tegra.Some(b.Value), r.Amperes
			}
		}
	}
	return limit, most
}

// missed lists what could not be observed, in words.
func (w *Watcher) missed() string {
	var parts []string
	if w.absent > 0 {
		parts = append(parts, "the board for "+units.Span(w.absent))
	}
	for _, name := range slices.Sorted(maps.Keys(w.unseen)) {
		if g := w.unseen[name]; g.lost(w.samples) {
			parts = append(parts, fmt.Sprintf("%s for %s", g.what, units.Span(g.total)))
		}
	}
	if n := len(parts); n > mostNamed {
		parts = append(parts[:mostNamed], fmt.Sprintf("and %d more", n-mostNamed))
	}
	return strings.Join(parts, ", ")
}

// mostNamed is the number of sources that a reason names.
const mostNamed = 4

// sources counts the readings of each source.
func (w *Watcher) sources() []Source {
	out := make([]Source, 0, len(w.watched))
	for _, name := range w.watched {
		s := Source{Name: name, Readings: w.samples, Of: w.samples}
		if g := w.unseen[name]; g != nil {
			s.Readings -= g.n
		}
		out = append(out, s)
	}
	return out
}

// Ending is how a soak ended.
type Ending struct {
	Cut   string        // why it ended early; "" where it did not
	Asked time.Duration // the requested length; 0: until steady
	Load  string        // the synthetic load; "" where the job is the user's own
}

// Judge returns the result.
func (w *Watcher) Judge(e Ending, mode tegra.Val[tegra.Mode]) Result {
	if most := w.minute.most(); e.Cut == "" && most.OK && most.V > w.limits.Val(metric.Power).Or(math.Inf(1)) {
		w.tooMuchPower(w.last) // a load shorter than a minute has not been checked yet
	}
	r := Result{Mode: mode, DurationS: w.At(w.last), Throttled: w.fell, Events: w.events, Virtual: w.board.Virtual,
		Sources: w.sources(), State: w.state()}
	if r.Events == nil {
		r.Events = []Event{}
	}
	missed := w.missed()
	lasted := units.Span(w.last - w.begun)
	switch {
	case w.broken != "":
		r.Verdict, r.Reason = DoesNotHold, w.broken
	case w.strayed != "":
		r.Verdict, r.Reason = NotSeen, w.strayed
	case e.Cut != "":
		r.Verdict, r.Reason = NotSeen, fmt.Sprintf("%s after %s%s", e.Cut, lasted, of(e.Asked))
	case missed != "":
		r.Verdict, r.Reason = NotSeen, "not seen: "+missed
	case w.parts > 0 && !r.Steady.Reached:
		r.Verdict, r.Reason = NotSeen, fmt.Sprintf("held for %s with a break, but was not steady in the %s since",
			lasted, units.Span(w.last-w.resumed))
	case w.endsOver(r.Steady) != "":
		r.Verdict, r.Reason = NotSeen, fmt.Sprintf("held for %s, but %s", lasted, w.endsOver(r.Steady))
	default:
		r.Verdict, r.Reason = Holds, w.held(r, lasted)
	}
	if e.Load != "" {
		r.Reason += "; the load: " + e.Load
	}
	return r
}

func of(asked time.Duration) string {
	if asked == 0 {
		return ""
	}
	return " of " + units.Span(asked)
}

// endsOver says that the temperature will certainly settle above its limit, when it has not arrived there yet.
func (w *Watcher) endsOver(s Steady) string {
	limit, what := w.limits.Val(metric.Temperature), "the limit"
	if !limit.OK {
		limit, what = w.tripC, "the trip point"
	}
	if !limit.OK || !s.LoC.OK || s.Reached || s.LoC.V <= limit.V {
		return ""
	}
	return fmt.Sprintf("tj would end at %.0f °C (%.0f to %.0f), above %s of %g °C: let it run longer", s.TjC.V, s.LoC.V,
		s.HiC.V, what, limit.V)
}

// held summarises the run of a mode that holds.
func (w *Watcher) held(r Result, lasted string) string {
	var parts []string
	add := func(v tegra.Val[float64], format, of string, limit tegra.Val[float64]) {
		if !v.OK {
			return
		}
		part := fmt.Sprintf(format, v.V)
		if limit.OK {
			part += " of " + fmt.Sprintf(of, limit.V)
		}
		parts = append(parts, part)
	}
	add(r.Peak.PowerW, "%.1f W", "", tegra.Val[float64]{})
	if limit, mean := w.limits.Val(metric.Power), w.minute.most(); limit.OK && mean.OK {
		parts[0] += fmt.Sprintf(" (%.1f of %g W in a minute's mean)", mean.V, limit.V)
	}
	if limit, most := w.mostAmperes(); limit.OK {
		add(most, "%.2f A", "%g A", limit)
	} else {
		limit = tegra.Val[float64]{V: r.Peak.Amperes.V + r.Margins.Amperes.V, OK: r.Margins.Amperes.OK}
		add(r.Peak.Amperes, "%.2f A", "%.1f A (trip)", limit)
	}
	limitC := tegra.Val[float64]{V: r.Peak.TjC.V + r.Margins.TjC.V, OK: r.Margins.TjC.OK}
	add(r.Peak.TjC, "%.0f", "%.0f °C", limitC)
	if !limitC.OK && r.Peak.TjC.OK {
		parts[len(parts)-1] += " °C"
	}
	add(r.Least.Volts, "%.2f V at least", "", tegra.Val[float64]{})
	out := "held for " + lasted
	if len(parts) > 0 {
		out += ", peak " + strings.Join(parts, ", ")
	}
	if len(w.shared) > 0 {
		out += "; beside it " + strings.Join(w.shared, ", ")
	}
	if w.parts > 0 {
		out += fmt.Sprintf("; in %d parts", w.parts+1)
	}
	if _, events := w.loss.Lost(); events != "" {
		out += "; " + events
	}
	switch s := r.Steady; {
	case s.Reached:
		out += fmt.Sprintf("; steady at %.0f °C", s.TjC.V)
	case s.TjC.OK:
		out += fmt.Sprintf("; not steady yet, tj would end at %.0f °C (%.0f to %.0f)", s.TjC.V, s.LoC.V, s.HiC.V)
	}
	return out
}

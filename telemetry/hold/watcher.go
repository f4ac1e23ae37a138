package hold

import (
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/telemetry/approach"
)

// Watcher judges the samples of a sustained load in order. It has no clock of its own.
type Watcher struct {
	board  tegra.Board
	limits Limits

	begun, last time.Duration // of the load, and of the last sample
	resumed     time.Duration // when it was last resumed; 0: never interrupted
	parts       int64         // before the current one
	wall        time.Time     // of the last sample
	curve       approach.Curve
	peaks       telemetry.Peaks
	minute      minute              // of the module's power
	tjC         tegra.Val[float64]  // highest
	tripC       tegra.Val[float64]  // lowest trip point of any zone
	nowC        tegra.Val[float64]  // of the hottest zone
	nowW        tegra.Val[float64]  // of the module
	nowA        tegra.Val[float64]  // of the supply rail
	clocks      map[string]*clocked // by name: CPU, GPU, EMC
	fell        *Throttled
	broken      string // the first limit that was exceeded, in words; "" for none
	exceeded    map[string]bool
	counted     tegra.Val[int64] // over-current events
	alarms      []string
	unseen      map[string]*gap
	still       stillness
	events      []Event
}

// clocked follows one clock.
type clocked struct {
	top  tegra.Val[tegra.Freq] // the highest frequency under the load
	low  int                   // consecutive samples below the set frequency, while locked
	last tegra.Val[tegra.Freq]
}

// gap tracks for how long a value is missing.
type gap struct {
	total time.Duration
	since time.Duration // start of the current gap; noted: it has an event
	open  bool
	noted bool
}

const (
	// longGap is how long a value must be missing to count as not seen.
	longGap = 10 * time.Second
	// steadyClock is how long clocks may still rise after the load begins.
	steadyClock = 5 * time.Second
	// fallen is the share of its highest frequency below which a clock has certainly dropped.
	fallen = 0.97
)

// Values that a soak observes.
const (
	seenTemp  = "temperature"
	seenPower = "power"
	seenAmps  = "current"
	seenAll   = "the board"
)

// Start is the state before the load begins.
type Start struct {
	Board   tegra.Board
	Limits  Limits
	Begun   time.Duration // of the load
	Wall    time.Time     // the time of day then
	Watched []string      // the values that the board reported, as Shown returns them
	Counted tegra.Val[int64]
	Alarms  []string
	IdleC   tegra.Val[float64] // the hottest zone of the idle board, taken as ambient
}

// New returns a watcher of a load.
func New(s Start) *Watcher {
	w := &Watcher{board: s.Board, limits: s.Limits, begun: s.Begun, last: s.Begun, wall: s.Wall, alarms: s.Alarms,
		counted: s.Counted, clocks: map[string]*clocked{"CPU": {}, "GPU": {}, "EMC": {}},
		unseen: map[string]*gap{seenAll: {}}, exceeded: map[string]bool{}}
	for _, name := range s.Watched {
		w.unseen[name] = &gap{}
	}
	if s.IdleC.OK {
		w.Note(s.Begun, "idle before the load: tj %.1f °C, taken as the air temperature", s.IdleC.V)
	}
	return w
}

// Shown returns the observed values that the board reports or that have a limit.
func Shown(r tegra.Reading, l Limits) (names []string) {
	if len(r.Temps) > 0 || l.TempC.OK {
		names = append(names, seenTemp)
	}
	if r.TotalW.OK {
		names = append(names, seenPower)
	}
	if slices.ContainsFunc(r.Rails, func(r tegra.RailReading) bool { return r.Amperes.OK }) {
		names = append(names, seenAmps)
	}
	return names
}

// GoesOn resumes a load that was interrupted: the board has cooled since.
func (w *Watcher) GoesOn(t time.Duration, wall time.Time) {
	w.Note(t, "it was cut off for %s, and continued", span(max(0, wall.Sub(w.wall))))
	w.resumed, w.last, w.wall = t, t, wall
	w.curve, w.still, w.minute = approach.Curve{}, stillness{}, minute{mostW: w.minute.mostW}
	w.parts++
}

// mostEvents bounds the number of events.
const mostEvents = 1000

// At returns t in seconds since the load began.
func (w *Watcher) At(t time.Duration) float64 { return math.Round((t-w.begun).Seconds()*10) / 10 }

// Note adds an event.
func (w *Watcher) Note(t time.Duration, format string, args ...any) {
	if len(w.events) < mostEvents { // a flickering sensor could add them without end
		w.events = append(w.events, Event{w.At(t), fmt.Sprintf(format, args...)})
	}
}

// Take judges a sample; wall is its time of day.
func (w *Watcher) Take(s telemetry.Sample, wall time.Time) {
	if s.T <= w.begun {
		w.wall = wall
		return
	}
	w.gaps(s, wall)
	r := s.Reading
	w.peaks.Take(r)
	w.minute.add(s.T, s.T-w.last, r.TotalW)
	w.heat(s.T, r)
	w.counters(s.T, r)
	w.clocksOf(s.T, r)
	w.check(s.T, r)
	w.nowW, w.nowA = r.TotalW, tegra.Val[float64]{}
	if supply := w.peaks.Supply(w.board); supply != nil {
		for _, rail := range r.Rails {
			if rail.Name == supply.Name {
				w.nowA = rail.Amperes
			}
		}
	}
	w.last, w.wall = s.T, wall
}

// gaps notes values missing from the sample, and a suspended board: the board's clock stops while it is suspended and
// the time of day does not.
func (w *Watcher) gaps(s telemetry.Sample, wall time.Time) {
	since := s.T - w.last
	if slept := wall.Sub(w.wall) - since; slept > longGap {
		w.unseen[seenAll].total += slept
		w.Note(s.T, "nothing was seen for %s: the board was suspended, or its clock was set", span(slept))
	} else if since > longGap {
		w.unseen[seenAll].total += since
		w.Note(s.T, "nothing was seen for %s", span(since))
	}
	r := s.Reading
	for name, there := range map[string]bool{
		seenTemp: len(r.Temps) > 0, seenPower: r.TotalW.OK,
		seenAmps: slices.ContainsFunc(r.Rails, func(x tegra.RailReading) bool { return x.Amperes.OK }),
	} {
		g := w.unseen[name]
		switch {
		case g == nil:
		case there && g.open:
			if g.open = false; s.T-g.since > longGap {
				g.total += s.T - g.since
				w.Note(s.T, "the %s is seen again", name)
			}
			g.noted = false
		case there:
		case !g.open:
			g.open, g.since = true, w.last
		case s.T-g.since > longGap && !g.noted:
			g.noted = true
			w.Note(s.T, "no %s could be read for %s", name, span(s.T-g.since))
		}
	}
}

// heat follows the hottest zone.
func (w *Watcher) heat(t time.Duration, r tegra.Reading) {
	w.nowC = tegra.Val[float64]{}
	for _, z := range r.Temps {
		if z.Dummy() {
			continue
		}
		if !w.nowC.OK || z.C > w.nowC.V {
			w.nowC = tegra.Some(z.C)
		}
		if z.Trip.OK && (!w.tripC.OK || z.Trip.V.C < w.tripC.V) {
			w.tripC = tegra.Some(z.Trip.V.C)
		}
	}
	if !w.nowC.OK {
		return
	}
	if !w.tjC.OK || w.nowC.V > w.tjC.V {
		w.tjC = w.nowC
	}
	headroom := 1 - r.FanPct.Or(100)/100
	if r.FanRPM.OK && r.FanRPM.V == 0 {
		headroom = 0 // it is controlled, but its speed is constant
	}
	w.curve.Fan(headroom)
	w.curve.Add(t-max(w.begun, w.resumed), w.nowC.V)
	if stuck := w.still.add(t, w.nowC.V); stuck > 0 {
		w.unseen[seenTemp].total += stuck
		if w.still.counted > stuck { // noted already
			return
		}
		w.Note(t, "the temperature stayed at %.3f °C for %s when it should have risen: its sensor is frozen", w.nowC.V,
			span(stuck))
	}
}

// counters follows over-current events and alarms.
func (w *Watcher) counters(t time.Duration, r tegra.Reading) {
	if n := r.OverCurrents; n.OK {
		if w.counted.OK && n.V > w.counted.V {
			w.broke(t, "%s at %s", text.Count(int(n.V-w.counted.V), "over-current event"), w.clock(t))
		}
		w.counted = n
	}
	for _, rail := range r.Alarms {
		if !slices.Contains(w.alarms, rail) {
			w.broke(t, "over-current alarm of %s at %s", rail, w.clock(t))
		}
	}
	w.alarms = r.Alarms
}

// clock formats a time of the soak.
func (w *Watcher) clock(t time.Duration) string {
	if d := t - w.begun; d >= time.Minute {
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f s", (t - w.begun).Seconds())
}

// broke notes an exceeded limit and keeps the first one as the reason.
func (w *Watcher) broke(t time.Duration, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if w.broken == "" {
		w.broken = what
	}
	w.Note(t, "%s", what)
}

// clocksOf finds the first drop of a clock: any drop while a thermal or over-current limit is active, or a drop below
// the set frequency while clocks are locked. Free clocks vary by themselves.
func (w *Watcher) clocksOf(t time.Duration, r tegra.Reading) {
	slowed := r.Heat.Or(false) || r.Throttled.Or(false)
	var worst *Throttled
	share, locked := 1.0, r.Locked.Or(false)
	for _, c := range []struct {
		name string
		tegra.ClockReading
	}{{"CPU", r.CPU}, {"GPU", r.GPU}, {"EMC", r.EMC}} {
		k := w.clocks[c.name]
		if !c.Actual.OK || c.Actual.V == 0 {
			continue
		}
		set := c.Max
		if locked && set.OK && float64(c.Actual.V) < fallen*float64(set.V) {
			k.low++
		} else {
			k.low = 0
		}
		from := k.top
		if locked && set.OK && set.V > from.V {
			from = set
		}
		if from.OK && float64(c.Actual.V) < fallen*float64(from.V) && (slowed || k.low >= 3) {
			// The governor varies free CPU clocks; the GPU's clock is more conclusive.
			if at := float64(c.Actual.V) / float64(from.V); at < share || !locked && c.name == "GPU" {
				share = at
				worst = &Throttled{AtS: w.At(t), Clock: c.name, From: from, To: c.Actual}
			}
		}
		if t-w.begun >= steadyClock && !slowed && (!k.top.OK || c.Actual.V > k.top.V) {
			k.top = c.Actual
		}
		k.last = c.Actual
	}
	if worst == nil && r.Heat.Or(false) && w.fell == nil { // the board reports throttling before a clock shows it
		worst = &Throttled{AtS: w.At(t), Clock: "GPU", From: w.clocks["GPU"].top, To: w.clocks["GPU"].last}
	}
	if worst == nil || w.fell != nil {
		return
	}
	w.fell = worst
	tj := ""
	if w.nowC.OK {
		tj = fmt.Sprintf(", tj %.0f °C", w.nowC.V)
	}
	to := "below what is set"
	if worst.To.OK {
		to = "to " + worst.To.V.String()
	}
	w.broke(t, "%s clock fell %s at %s%s", worst.Clock, to, w.clock(t), tj)
}

// check compares a sample with the limits.
func (w *Watcher) check(t time.Duration, r tegra.Reading) {
	l := w.limits
	over := func(limit, v tegra.Val[float64]) bool { return limit.OK && v.OK && v.V > limit.V }
	if l.PowerW.OK && w.minute.over(l.PowerW.V) {
		w.tooMuchPower(t)
	}
	if over(l.TempC, w.nowC) {
		w.exceeds(t, "°C", "%.1f °C at %s, over %g °C", w.nowC.V, w.clock(t), l.TempC.V)
	}
	for _, rail := range r.Rails {
		if (l.Rail == "" || l.Rail == rail.Name) && over(l.Amperes, rail.Amperes) {
			w.exceeds(t, "A of "+rail.Name, "%.2f A of %s at %s, over %g A", rail.Amperes.V, rail.Name, w.clock(t),
				l.Amperes.V)
		}
		if l.Volts.OK && rail.Volts.OK && rail.Volts.V < l.Volts.V && rail.Name == w.voltsRail() {
			w.exceeds(t, "V", "%.3f V of %s at %s, below %g V", rail.Volts.V, rail.Name, w.clock(t), l.Volts.V)
		}
	}
}

// exceeds notes the first time that a quantity exceeds its limit.
func (w *Watcher) exceeds(t time.Duration, quantity, format string, args ...any) {
	if !w.exceeded[quantity] {
		w.exceeded[quantity] = true
		w.broke(t, format, args...)
	}
}

// tooMuchPower notes that the mean power of a minute, or of a load shorter than a minute, exceeds its limit.
func (w *Watcher) tooMuchPower(t time.Duration) {
	w.exceeds(t, "W", "%.2f W of the module at %s (mean of %s), over %g W", w.minute.mean(), w.clock(t),
		span(time.Duration(w.minute.sum.s*float64(time.Second))), w.limits.PowerW.V)
}

// voltsRail returns the rail to which a limit in volts applies.
func (w *Watcher) voltsRail() string {
	if w.limits.VRail != "" {
		return w.limits.VRail
	}
	if supply := w.peaks.Supply(w.board); supply != nil {
		return supply.Name
	}
	return ""
}

// stillness detects a sensor that repeats exactly the same value after the temperature was rising.
type stillness struct {
	past    []moment // of the last minute
	since   time.Duration
	rising  float64       // °C a minute, before the value froze
	counted time.Duration // how much of the freeze has been returned
}

type moment struct {
	t time.Duration
	c float64
}

const (
	frozenAfter = time.Minute
	frozenRise  = 1.5 // °C a minute: no module stops that suddenly
	pastSpan    = 30 * time.Second
	fewSteps    = 3 // of a coarse sensor (0.5 °C): fewer may be a slow rise, or noise
)

// step returns the smallest change in the past: a multiple of what the sensor resolves.
func (s *stillness) step() float64 {
	least := math.Inf(1)
	for i := 1; i < len(s.past); i++ {
		least = min(least, math.Abs(s.past[i].c-s.past[i-1].c))
	}
	return least
}

// add takes a value and returns the additional time for which the sensor is now known to be frozen.
func (s *stillness) add(t time.Duration, c float64) (stuck time.Duration) {
	n := len(s.past)
	if n == 0 || c != s.past[n-1].c {
		s.past = append(s.past, moment{t, c})
		for s.past[0].t < t-pastSpan {
			s.past = s.past[1:]
		}
		s.since, s.rising, s.counted = t, 0, 0
		if first := s.past[0]; t-first.t >= pastSpan/3 && c-first.c >= fewSteps*s.step() {
			s.rising = (c - first.c) / (t - first.t).Minutes()
		}
		return 0
	}
	stood := t - s.since
	if s.rising < frozenRise || stood-s.counted < frozenAfter {
		return 0
	}
	stuck, s.counted = stood-s.counted, stood
	return stuck
}

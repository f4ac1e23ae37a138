package hold

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/telemetry/approach"
	"jtune/telemetry/sources"
)

// Watcher judges the samples of a sustained load in order. It has no clock of its own.
type Watcher struct {
	board  tegra.Board
	limits metric.Limits

	begun, last time.Duration // of the load, and of the last sample
	resumed     time.Duration // when it was last resumed; 0: never interrupted
	parts       int64         // before the current one
	wall        time.Time     // of the last sample
	curve       approach.Curve
	peaks       telemetry.Peaks
	minute      minute             // of the module's power
	tjC         tegra.Val[float64] // highest
	tripC       tegra.Val[float64] // lowest trip point of any zone
	nowC        tegra.Val[float64] // of the hottest zone
	nowW        tegra.Val[float64] // of the module
	nowA        tegra.Val[float64] // of the supply rail
	fell        *Throttled
	broken      string // the first limit that was exceeded, in words; "" for none
	exceeded    map[string]bool
	counted     tegra.Signals
	loss        telemetry.EventLoss
	watched     []string
	shared      []string // other jobs that were seen on the board
	samples     int
	unseen      map[string]*gap // by source
	absent      time.Duration   // nothing was seen at all
	strayed     string          // the first setting that was changed, in words
	stray       int             // samples with a changed setting
	events      []Event
}

// gap counts the samples in which a source did not answer.
type gap struct {
	n       int
	run     int // consecutive ones up to the last sample
	what    string
	total   time.Duration
	since   time.Duration // start of the current gap
	longest time.Duration
	noted   bool // the current gap has an event
}

const (
	// longGap is how long a source may be silent.
	longGap = 10 * time.Second
	// mostUnseen is the share of the samples in which it may be.
	mostUnseen = 0.1
	// fewEnd consecutive samples at the end without a source are its end, and as many in all in which a setting was
	// changed end the load.
	fewEnd = 3
)

// lost reports whether a source has not been seen well enough in that many samples. One that did not answer once is
// not lost.
func (g *gap) lost(samples int) bool {
	often := float64(g.n) > max(1, mostUnseen*float64(samples)) || g.n == samples
	return often || g.longest > longGap || g.run >= fewEnd
}

// Start is the state before the load begins.
type Start struct {
	Board   tegra.Board
	Limits  metric.Limits
	Begun   time.Duration      // of the load
	Wall    time.Time          // the time of day then
	Watched []string           // the sources that answered, see sources.Sources
	Counted tegra.Signals      // as the load begins; none: the first sample of the load is the baseline
	IdleC   tegra.Val[float64] // the hottest zone of the idle board, taken as ambient
}

// New returns a watcher of a load.
func New(s Start) *Watcher {
	w := &Watcher{board: s.Board, limits: s.Limits, begun: s.Begun, last: s.Begun, wall: s.Wall,
		counted: s.Counted, watched: s.Watched, unseen: map[string]*gap{}, exceeded: map[string]bool{}}
	w.loss.Take(s.Begun, s.Counted)
	if s.IdleC.OK {
		w.Note(s.Begun, "idle before the load: tj %.1f °C, taken as the air temperature", s.IdleC.V)
	}
	return w
}

// GoesOn resumes a load that was interrupted: the board has cooled since.
func (w *Watcher) GoesOn(t time.Duration, wall time.Time) {
	w.Note(t, "it was cut off for %s, and continued", units.Span(max(0, wall.Sub(w.wall))))
	w.resumed, w.last, w.wall = t, t, wall
	w.curve, w.minute = approach.Curve{}, minute{mostW: w.minute.mostW}
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
	if s.T <= w.begun { // the last counts before the load are its baseline
		w.wall, w.counted = wall, s.Reading.Signals.Known(w.counted)
		w.loss.Take(s.T, s.Reading.Signals)
		return
	}
	defer func() { w.last, w.wall = s.T, wall }()
	w.samples++
	w.time(s, wall)
	w.gaps(s)
	if w.strays(s) {
		return
	}
	r := s.Reading
	w.peaks.Take(r)
	w.minute.add(s.T, s.T-w.last, r.TotalW)
	w.heat(s.T, r)
	w.counters(s.T, r)
	w.clocks(s)
	w.check(s.T, r)
	w.nowW, w.nowA = r.TotalW, tegra.Val[float64]{}
	if supply := w.peaks.Supply(w.board); supply != nil {
		for _, rail := range r.Rails {
			if rail.Name == supply.Name {
				w.nowA = rail.Amperes
			}
		}
	}
}

// time notes what the clocks say: a board that was suspended, or that was not read for long, was not seen. The time of
// day alone may be set.
func (w *Watcher) time(s telemetry.Sample, wall time.Time) {
	since, slept := s.T-w.last, time.Duration(0)
	for _, f := range s.Faults {
		if f.Kind == sources.Asleep {
			slept += f.Slept()
		}
	}
	w.absent += slept
	if slept > 0 {
		w.Note(s.T, "the board was suspended for %s", units.Span(slept))
	}
	if since > longGap {
		w.absent += since
		w.Note(s.T, "nothing was seen for %s", units.Span(since))
	}
	if set := wall.Sub(w.wall) - since - slept; set.Abs() > longGap {
		w.Note(s.T, "the time of day was set by %s", units.Span(set))
	}
}

// gaps counts the sources that do not answer.
func (w *Watcher) gaps(s telemetry.Sample) {
	silent := map[string]bool{}
	for _, f := range s.Faults {
		if f.Kind != sources.Lost && f.Kind != sources.Frozen {
			continue
		}
		silent[f.Source] = true
		g := w.unseen[f.Source]
		if g == nil {
			g = new(gap)
			w.unseen[f.Source] = g
		}
		if g.run == 0 {
			g.since = w.last
		}
		g.n, g.run, g.what = g.n+1, g.run+1, f.String()
		g.total += s.T - w.last
		if g.longest = max(g.longest, s.T-g.since); g.longest > longGap && !g.noted {
			g.noted = true
			w.Note(s.T, "%s for %s", f, units.Span(s.T-g.since))
		}
	}
	for _, f := range s.Faults {
		if f.Kind == sources.Shared && !slices.Contains(w.shared, f.Source) {
			w.shared = append(w.shared, f.Source)
			w.Note(s.T, "%s", f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.unseen)) {
		g := w.unseen[name]
		if silent[name] {
			continue
		}
		if g.noted {
			w.Note(s.T, "%s answers again", name)
		}
		g.run, g.noted = 0, false
	}
}

// strays notes a setting that is not what it was at the start, by whatever hand: the sample says nothing of the mode
// under test.
func (w *Watcher) strays(s telemetry.Sample) bool {
	i := slices.IndexFunc(s.Faults, func(f sources.Fault) bool { return f.Kind == sources.Changed })
	if i < 0 {
		return false
	}
	w.stray++
	if what := s.Faults[i].String(); w.strayed == "" {
		if n := count(s.Faults, sources.Changed); n > 1 {
			what += fmt.Sprintf(", and %s more", text.Count(n-1, "setting"))
		}
		for _, f := range s.Faults {
			if f.Kind == sources.Lost && f.Source == sources.Guard { // its watchdog restores the board
				what = f.String() + ": " + what
			}
		}
		w.strayed = what + " at " + w.clock(s.T)
		w.Note(s.T, "%s", what)
	}
	return true
}

func count(faults []sources.Fault, kind sources.FaultKind) (n int) {
	for _, f := range faults {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// Strayed returns the first setting that was changed, once that was so in several samples; else "".
func (w *Watcher) Strayed() string {
	if w.stray < fewEnd {
		return ""
	}
	return w.strayed
}

// heat follows the hottest zone.
func (w *Watcher) heat(t time.Duration, r tegra.Reading) {
	w.nowC = r.Hottest()
	for _, z := range r.Temps {
		if z.Trip.OK && !z.Dummy() && (!w.tripC.OK || z.Trip.V.C < w.tripC.V) {
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
}

// counters follows the signals of the supply. Any under-voltage, and any alarm, also one that was on before, means that
// the supply does not hold; the other events do while they cost no time.
func (w *Watcher) counters(t time.Duration, r tegra.Reading) {
	for _, e := range r.Signals.Since(w.counted) {
		if e.Name == tegra.UnderVoltage {
			w.broke(t, "%s at %s: %s", text.Count(int(e.N), "under-voltage event"), w.clock(t), e.Remedy())
		}
	}
	if len(r.Signals) > 0 {
		w.counted = r.Signals.Known(w.counted)
	}
	if w.loss.Take(t, r.Signals); t-w.begun >= longGap {
		if share, text := w.loss.Lost(); share >= telemetry.MostLost {
			w.exceeds(t, "events", "%s at %s", text, w.clock(t))
		}
	}
	for _, a := range r.Alarming() {
		w.exceeds(t, a.String(), "%s at %s", a, w.clock(t))
	}
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

// clocks notes the first drop of a clock.
func (w *Watcher) clocks(s telemetry.Sample) {
	i := slices.IndexFunc(s.Faults, func(f sources.Fault) bool { return f.Kind == sources.Slow })
	if i < 0 || w.fell != nil {
		return
	}
	f := s.Faults[i]
	clock, _, _ := strings.Cut(f.Source, " ")
	w.fell = &Throttled{AtS: w.At(s.T), Clock: clock, From: f.Freq(f.Was), To: f.Freq(f.Is)}
	tj := ""
	if w.nowC.OK {
		tj = fmt.Sprintf(", tj %.0f °C", w.nowC.V)
	}
	w.broke(s.T, "%s at %s%s", f, w.clock(s.T), tj)
}

// check compares a sample with the limits.
func (w *Watcher) check(t time.Duration, r tegra.Reading) {
	for b := range w.limits.Each() {
		switch {
		case b.Metric == metric.Power:
			if w.minute.over(b.Value) {
				w.tooMuchPower(t)
			}
		case b.Rail != nil:
			for rail, v := range b.Rails(r, w.voltsRail()) {
				w.over(t, b, v, " of "+rail)
			}
		default:
			if v := b.Board(r); v.OK {
				w.over(t, b, v.V, "")
			}
		}
	}
}

// over notes that a value of a rail, or of the module, exceeds a bound.
func (w *Watcher) over(t time.Duration, b metric.Bound, v float64, of string) {
	if beyond := map[bool]string{true: "below", false: "over"}; b.Over(v) > 0 {
		w.exceeds(t, string(b.Unit)+of, "%.*f %s%s at %s, %s %g %s", b.Digits, v, b.Unit, of, w.clock(t),
			beyond[b.Least], b.Value, b.Unit)
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
		units.SpanOf(w.minute.sum.s), w.limits.Of(metric.Power))
}

// voltsRail returns the rail to which a limit in volts applies.
func (w *Watcher) voltsRail() string {
	if b, ok := w.limits.On(metric.Voltage); ok && b.On != "" {
		return b.On
	}
	if supply := w.peaks.Supply(w.board); supply != nil {
		return supply.Name
	}
	return ""
}

package harness

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/harness/detect"
)

// ErrNotUnderstood reports that no steps could be read from a program's output.
var ErrNotUnderstood = errors.New("its output was not understood")

// NotUnderstood says why no steps could be read from the output of a command.
type NotUnderstood struct {
	Command   string
	Undecided *detect.Undecided
}

func (e *NotUnderstood) Error() string {
	return fmt.Sprintf("%s: %s; %s", e.Command, text.OneLine(e.Undecided.Why), remedy(e.Undecided))
}

// remedy returns what to do when no steps could be read.
func remedy(u *detect.Undecided) string {
	var patterns []string
	for _, c := range u.Rivals {
		if c.Pattern != "" {
			patterns = append(patterns, usage.Pattern.String()+" '"+c.Pattern+"'")
		}
	}
	switch {
	case len(u.Rivals) > 0:
		return "choose one with " + cmp.Or(strings.Join(patterns, " or "), usage.Pattern.Value())
	case u.Lines == 0 && len(u.Candidates) == 0:
		return "let it write its steps to standard output and flush each of them"
	}
	return cmp.Or(u.Try, nameLine())
}

// nameLine is the advice to name the line that counts steps.
func nameLine() string {
	return "name the line that counts: " + usage.Pattern.String() + ` 'step (?P<batch>\d+)'`
}

// Is makes every NotUnderstood match ErrNotUnderstood.
func (e *NotUnderstood) Is(target error) bool { return target == ErrNotUnderstood }

// Detect configures how the output of an unknown program is read.
type Detect struct {
	detect.Options
	Infer bool // its steps are batches of inference
	// ToEnd lets a program end without a readable step: it is then measured as a whole.
	ToEnd bool
	// PerRun makes each run of the program one reading, by its output, or else by its duration.
	PerRun bool
}

// Detecting is a harness that detects how a program counts its steps.
type Detecting interface {
	// Detected returns the reading so far. The error wraps ErrNotUnderstood when there is none; ok is false when the
	// harness has a fixed pattern.
	Detected() (r detect.Reading, err error, ok bool)
}

// detecting reads the output of an unknown program.
type detecting struct {
	Detect
	d       *detect.Detector
	own     *pattern // the user's own expression; nil: none
	events  parser
	told    bool // events of the protocol arrived: only these are read
	speaks  bool // the program speaks the protocol
	reports map[string]*reporting
	tried   time.Duration // last attempt to choose
	watched time.Duration // last check of the choice
	noted   string        // why nothing is decided, as last noted
	still   bool          // the choice stands still, which was noted
	err     error
	most    time.Duration // the longest that a line may have waited before it was read
	calm    bool          // the last line told its own time
	count   int           // batches reported
	start   time.Duration
}

const (
	// chooseEvery is the interval of attempts to choose; watchEvery that of checks of the choice.
	chooseEvery = 500 * time.Millisecond
	watchEvery  = 5 * time.Second
	// After doubtLines lines, or doubtWork, without a step jtune notes that none is understood.
	doubtLines = 20
	doubtWork  = 10 * time.Second
	// disagreeLimit is how long lines may give two times.
	disagreeLimit = 20 * time.Second
)

func newDetecting(o Detect, command []string) *detecting {
	if o.Batch == 0 {
		o.Batch = detect.BatchIn(strings.Join(command, " "))
	}
	r := &detecting{Detect: o, d: detect.New(o.Options), reports: map[string]*reporting{}}
	for name, of := range reports {
		r.reports[name] = newReporting(of, command)
	}
	return r
}

func (r *detecting) read(line []byte, now time.Duration, whole bool) (events []Event, ok bool) {
	if len(line) > 0 && line[0] == '{' && whole && !r.d.Chosen() {
		if e, err := r.events.parse(line); err == nil && e.taken(&r.speaks) {
			var at time.Duration
			at, r.calm = r.events.when(now, r.most)
			r.told = r.told || e.Timed()
			r.calm = r.calm && r.told
			return []Event{stamp(e, at)}, true
		}
	}
	r.calm = false
	switch {
	case r.told:
		return nil, false
	case r.own != nil:
		return r.readOwn(line, now, whole)
	}
	if whole {
		for _, t := range r.reports {
			t.read(line, now, true)
		}
	}
	ok = r.d.Line(line, now, whole)
	switch {
	case r.err != nil:
	case !r.d.Chosen() && now-r.tried >= chooseEvery:
		r.tried, r.watched = now, now
		if reading, chosen, err := r.d.Choose(now); err != nil && !r.ToEnd {
			r.err = err
		} else if chosen {
			events = append(events, Event{Kind: Note, T: now, Message: Reads(reading)})
		}
	case r.d.Chosen() && now-r.watched >= watchEvery:
		r.watched = now
		if was, reading, yes := r.d.Overtaken(); yes {
			events = append(events, Event{Kind: Withdrawn, T: now, Message: fmt.Sprintf("%q was not the job: what was "+
				"measured of it is withdrawn; %s", text.OneLine(was), Reads(reading)),
				Info: map[string]string{NotJob: was}})
		} else if still := r.d.Still(now); (still != "") != r.still {
			if r.still = still != ""; r.still {
				events = append(events, Event{Kind: Note, T: now, Message: text.OneLine(still)})
			}
		}
	}
	return append(events, r.steps(false)...), ok
}

// readOwn reads a line with the user's expression.
func (r *detecting) readOwn(line []byte, now time.Duration, whole bool) ([]Event, bool) {
	f, matched, ok := r.own.find(line, whole)
	r.d.Own(now, matched, line, whole)
	switch {
	case ok && f.ms > 0:
		r.d.OwnTime(f.ms, f.epoch, now)
	case ok:
		r.d.OwnCount(f.done, f.of, f.epoch, now)
	case f.of != r.own.of:
		r.d.OwnElse()
	}
	return r.steps(false), matched
}

// steps returns the events of what was counted.
func (r *detecting) steps(all bool) (events []Event) {
	for _, s := range r.d.Take(all) {
		if r.PerRun {
			continue
		}
		n := min(s.N, maxAtOnce)
		each := time.Duration(s.TimeMS * float64(time.Millisecond))
		for i := range n {
			e := Event{Kind: Minibatch, Epoch: s.Epoch, Batch: s.First + i, TimeMS: s.TimeMS, Unclean: s.Pause,
				T: s.End - each*time.Duration(n-1-i), Shared: s.Begin}
			if r.Infer {
				e.Kind, e.N, e.Batch, e.Epoch = Infer, 1, r.count, 0
			}
			r.count++
			events = append(events, e)
		}
	}
	return events
}

// doubt returns a note when the program has worked for a while and nothing was decided, and again when the reason
// changes; otherwise "".
func (r *detecting) doubt(now time.Duration) string {
	if r.told || r.d.Chosen() || r.d.Lines() == 0 || r.d.Since(now)-r.d.Prepared() < doubtWork-watchEach &&
		(r.d.Begun() || r.d.Strange() < doubtLines) {
		return ""
	}
	_, err := r.d.Read()
	u, bad := errors.AsType[*detect.Undecided](err)
	note, key := "", ""
	switch {
	case bad && r.d.Begun() && u.Kind == detect.Few: // its steps are slow
		key, note = "few", text.OneLine(u.Why)+" so far. The command continues."
	case !bad:
		if key = r.d.Waits(); key != "" {
			note = text.OneLine(key) + ". The command continues."
		}
	default:
		key = fmt.Sprint(u.Kind, len(u.Rivals))
		note = fmt.Sprintf("%s. The command continues. Next time %s", text.OneLine(u.Why), remedy(u))
	}
	if key == "" || key == r.noted {
		return ""
	}
	r.noted = key
	return note
}

// finish reads a program's own report at its end, and steps that were too few to choose by.
func (r *detecting) finish(now time.Duration) (events []Event) {
	if r.told {
		return nil
	}
	for name, t := range r.reports {
		if e := t.summary(); e != nil {
			r.d.Report(detect.Report{Form: name, Unit: t.unit, TimeMS: e.Summary.TimeMS, Units: float64(e.N)})
			return []Event{*e}
		}
	}
	if r.PerRun && r.own == nil {
		return r.wholeRun(now)
	}
	if e := r.ownResult(); e != nil {
		return []Event{*e}
	}
	if got, err := r.d.Read(); err == nil && got.Summary && !r.d.Chosen() && !r.ToEnd {
		return r.wholeRun(now)
	}
	if !r.d.Chosen() && r.err == nil {
		if err := r.d.ChooseAtEnd(); err != nil && !r.ToEnd {
			r.err = err
		}
	}
	return r.steps(true)
}

// wholeRun returns a run of a program as one reading.
func (r *detecting) wholeRun(now time.Duration) []Event {
	span, units, ms := now-r.start, 1.0, millis(now-r.start)
	if got, err := r.d.Read(); err == nil && (got.Unit != detect.Run || got.Summary) {
		units, ms = float64(got.Steps), got.TimeMS
		span = time.Duration(units * got.TimeMS * float64(time.Millisecond))
	}
	if e := summed(now, span, units, Summary{TimeMS: ms}); e != nil {
		return []Event{*e}
	}
	return nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// ownResult returns the only result that the user's expression found at the end of a run; nil when it found several.
func (r *detecting) ownResult() *Event {
	if r.own == nil || r.own.results == 0 || r.own.results > 2 {
		return nil
	}
	ms, at, span := r.d.OwnResult()
	return summed(at, span, max(1, float64(r.own.units)), Summary{TimeMS: ms})
}

// took reports whether anything usable was read.
func (r *detecting) took() bool { return r.told || r.d.Chosen() }

// Each returns a unit with its article.
func Each(unit string) string {
	if strings.ContainsAny(unit[:min(1, len(unit))], "aeio") {
		return "an " + unit
	}
	return "a " + unit
}

// Reads describes in a line what is read of a program, and what is left out.
func Reads(r detect.Reading) string {
	of := ""
	if r.Of > 0 && r.Unit == detect.Step {
		of = fmt.Sprintf(", %d an epoch", r.Of)
	}
	if r.Samples > 0 {
		of += fmt.Sprintf(", of %d samples each", r.Samples)
		if r.Assumed {
			of += " (assumed: " + usage.Batch.Value() + " changes it)"
		}
	}
	line := fmt.Sprintf("reads: %s %q%s, %s ms %s", r.Form, text.OneLine(r.What), of, text.Of(r.TimeMS),
		Each(r.Unit))
	var left []string
	for _, l := range r.LeftOut {
		left = append(left, fmt.Sprintf("%s (%d, %.1f s)", text.OneLine(l.What), l.Count, l.S))
	}
	if len(left) > 0 {
		line += "; left out: " + strings.Join(left, ", ")
	}
	return line
}

// Hopeless reports whether a program that must be understood never will be: its lines give two times, or it has taken
// longer than patience; 0: StartLimit.
func Hopeless(u *detect.Undecided, took, patience time.Duration) bool {
	took -= u.Prepared
	return took >= cmp.Or(patience, StartLimit) || u.Kind == detect.Disagree && took >= disagreeLimit
}

// giveUp notes that a program that must be understood will not be; took is the time since its start.
func (r *detecting) giveUp(took, patience time.Duration) bool {
	if r.ToEnd || r.PerRun || r.own != nil || r.took() || r.err != nil {
		return false
	}
	_, err := r.d.Read()
	if u, bad := errors.AsType[*detect.Undecided](err); bad && Hopeless(u, took, patience) {
		r.err = err
	}
	return r.err != nil
}

package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Candidate is one way to read a program's output, as shown to the user.
type Candidate struct {
	Form, What string
	Share      float64 // of the time since the first step
	TimeMS     float64 // per unit; 0: too few steps
	Pattern    string  // the expression that selects it; "" where there is none
}

// LeftOut is output that was read but does not count.
type LeftOut struct {
	What  string
	Count int
	S     float64
}

// Undecided says why no reading was taken.
type Undecided struct {
	Kind  Kind
	Why   string
	Lines int // read
	// Prepared is how long the program was busy with what an earlier run showed not to be the job.
	Prepared   time.Duration
	Rivals     []Candidate // candidates that disagree; nil for other reasons
	Candidates []Candidate
	Tails      []string // the last lines
	Try        string   // what to do when no expression could select; ""
}

func (u *Undecided) Error() string { return u.Why }

// Kind is the reason why no reading was taken.
type Kind int

// Kinds of reasons.
const (
	Nothing  Kind = iota // no line shows a step of the job
	Few                  // fewer than three steps
	Disagree             // two candidates give different times
)

// tie is the share of the time from which a counter that alternates with another cannot be passed over.
const tie = 0.1

// choose returns the counter that is the job: of those that could be, the one that advances during most of the time.
func (d *Detector) choose(field []view) (best view, rivals []view, no *Undecided) {
	var able []view
	for _, v := range field {
		if v.able(d) {
			able = append(able, v)
		}
	}
	able = passed(able, func(v, o *view) bool { return v.outer(o) || v.inner(o) })
	able = d.strongest(able)
	able = passed(able, func(v, o *view) bool {
		return v.polarity < unknown && o.polarity > against && o.share > tie/2 && !v.stages(o)
	})
	able = passed(able, func(v, o *view) bool { return v.before(o) })
	if len(able) == 0 {
		return best, nil, d.nothing(field)
	}
	best = slices.MaxFunc(able, func(a, b view) int {
		return cmp.Or(cmp.Compare(a.weight(), b.weight()), cmp.Compare(b.order, a.order))
	})
	if best.two[0] > 0 {
		return best, nil, &Undecided{Kind: Disagree,
			Why: fmt.Sprintf("bars %q that look the same take %s and %s ms a step by "+
				"turns, as training and validation do", best.title(), short(best.two[0]), short(best.two[1])),
			Try: "name the bar of the training, such as tqdm(…, desc='train')"}
	}
	if (best.share < 0.03 || best.finished() && best.share < 0.5) && !best.known {
		return best, nil, &Undecided{Why: fmt.Sprintf("%q, the longest counter, covers only %.0f %% of the time",
			best.title(), 100*best.share)}
	}
	for i := range able {
		if v := &able[i]; best.contradicts(v) {
			rivals = append(rivals, *v)
		}
	}
	if len(rivals) > 0 {
		rivals = append([]view{best}, rivals...)
		return best, rivals, &Undecided{Kind: Disagree, Why: "its lines show two different times: " + listed(rivals)}
	}
	return best, nil, nil
}

// passed returns the views without those that another one rules out.
func passed(all []view, out func(v, o *view) bool) (kept []view) {
	for i := range all {
		if !slices.ContainsFunc(all, func(o view) bool {
			return (o.counter != all[i].counter || o.of() != all[i].of()) && out(&all[i], &o)
		}) {
			kept = append(kept, all[i])
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// of returns the end of the newest run that counts.
func (v *view) of() int {
	if len(v.marks) == 0 {
		return 0
	}
	return v.counter.marks[v.marks[len(v.marks)-1]].of
}

// rank orders ways to read the same lines: a count that a word names, or its end, lines whose time the clock confirms,
// a number that counts without a word, and a rate, which is only stated.
func (v *view) rank() int {
	switch {
	case v.known:
		return 6
	case v.labelled && !v.loose && !v.derived:
		return 5
	case !v.stated && !v.loose:
		return 4
	case v.plain:
		return 3
	case v.loose:
		return 2
	case v.ticks:
		return 1
	}
	return 0
}

// strongest drops the weaker readings of the same lines, and rates where something is counted.
func (d *Detector) strongest(all []view) []view {
	return passed(all, func(v, o *view) bool {
		switch {
		case v.stated && !v.plain && !v.known && !o.stated: // the clock is more accurate
			perLine := len(o.took)*2 > len(v.took)
			return (o.unit != Epoch || perLine) && o.share > 1./3 &&
				(!o.loose || v.same(o) || o.beside(v) && !v.numbered(o))
		case o.numbered(v):
			return true
		case !v.beside(o) && !v.together(o):
			return v.plain && !o.stated && !o.loose && o.unit != Epoch && o.share > 1./3
		case v.plain && o.stated && !o.plain:
			return !o.ticks && o.unit != Step
		case v.restarts(o), o.restarts(v):
			return o.restarts(v)
		case o.plain && v.stated && !v.plain && !v.ticks && v.unit != Step:
			return false
		case v.unit == Epoch && o.derived, v.derived && o.unit == Epoch:
			return v.unit == Epoch
		case v.rank() != o.rank():
			return v.rank() < o.rank() && (o.unit != Epoch || len(o.took)*2 > len(v.took))
		case v.known:
			return false
		case v.loose:
			return o.order < v.order
		case v.unit != o.unit:
			return o.unit == Step && v.unit != Epoch && len(o.took)*2 > len(v.took)
		}
		return false
	})
}

// numbered reports whether a rate of whole pieces of work shows that a number in its lines, which no word explains,
// only numbers them: it rises by one where many pieces are done. A minibatch holds many samples and tokens.
func (v *view) numbered(o *view) bool {
	return v.stated && !v.plain && !v.known && !v.ticks && v.unit != Sample && v.unit != Token && o.loose &&
		o.step == 1 && v.beside(o) && !v.same(o)
}

// restarts reports whether v counts the units of o, and begins again with each epoch: what comes between two epochs is
// then known.
func (v *view) restarts(o *view) bool {
	return v.ratio && v.run > 0 && o.run == 0 && !o.stated && v.unit == o.unit &&
		v.est.Median < apart*o.est.Median && o.est.Median < apart*v.est.Median
}

// outer reports whether o advances within the units of v: v counts epochs, or the same units less often.
func (v *view) outer(o *view) bool {
	if o.stated || v.known || len(o.took) < 2*len(v.took) {
		return false
	}
	moves, fills, each := v.within(o)
	nested := o.run > 0 && 10*(o.run+1) >= 7*v.moves // it begins again in each
	switch {
	case moves < 0.6 || o.polarity < unknown:
		return false
	case v.unit == Epoch && o.unit != Epoch, nested:
		return fills > 0.25 || v.loose && fills > tie
	}
	return fills > 0.5 && (each < apart && apart*each > 1 || v.polarity <= o.polarity && (v.loose || !o.loose))
}

// inner reports whether v is a part of o's units, such as the validation of each epoch, or what loads beside it.
func (v *view) inner(o *view) bool {
	if v.stated || o.stated || len(v.took) < 2*len(o.took) || v.known {
		return false
	}
	moves, fills, _ := o.within(v)
	if moves < 0.6 || o.outer(v) {
		return false
	}
	return v.polarity < o.polarity || v.polarity == o.polarity && fills < 0.5
}

// before reports whether v ran before o and is over: preparation.
func (v *view) before(o *view) bool {
	if o.begin < v.end || o.polarity < v.polarity || o.stated {
		return false
	}
	if v.finished() {
		return o.time > v.time/10
	}
	return o.time > v.time/2 || o.polarity > v.polarity
}

// weight orders the views that are left.
func (v *view) weight() float64 {
	w := v.share + 0.01*float64(v.rank())
	if v.unit == Epoch && !v.known {
		w -= 0.01
	}
	return w
}

// contradicts reports whether two views cannot both be right.
func (v *view) contradicts(o *view) bool {
	if v.counter == o.counter && v.of() == o.of() || o.share <= tie || v.known && !o.known ||
		v.polarity > o.polarity && !v.stages(o) || o.loose && !v.loose {
		return false
	}
	if v.plain && o.stated && !o.plain && !o.ticks && !o.beside(v) {
		return true
	}
	if v.unit != o.unit {
		// Counts of different things differ in time; but when neither is the step, it is unknown which one is meant.
		return v.unit != Step && o.unit != Step && v.unit != Epoch && o.unit != Epoch && !v.known
	}
	return !v.same(o)
}

// stages reports whether two rates in the same lines describe stages of one pipeline: its slowest gives the time of a
// frame, and which one is meant is unknown.
func (v *view) stages(o *view) bool {
	return v.stated && o.stated && v.unit == Frame && o.unit == Frame && v.beside(o)
}

// nothing says why no counter is usable.
func (d *Detector) nothing(field []view) *Undecided {
	for _, v := range field {
		switch {
		case v.stamps(v.ms):
			return &Undecided{Why: fmt.Sprintf("%q rises by %d from line to line: whether it counts steps is unknown",
				v.title(), v.step)}
		case v.unit == byteUnit, v.loose:
		case v.ambiguous && v.stated && !v.plain:
			return &Undecided{Why: fmt.Sprintf("%q may be a decimal or a large number: let it print a point, "+
				"such as LC_ALL=C", clip(v.example))}
		case (v.plain || v.part()) && len(v.took) >= least && v.polarity >= unknown:
			return &Undecided{Why: fmt.Sprintf("the time in %q is not the time between its lines: what it "+
				"times is unknown", clip(v.example))}
		case v.polarity >= unknown && (v.est.Units < least || len(v.took) < 2):
			return tooFew(v.counter)
		}
	}
	for _, c := range d.all {
		if c.moves > 0 && !c.loose && c.polarity >= unknown && !c.stated && c.unit != byteUnit && len(field) == 0 {
			return tooFew(c)
		}
	}
	if d.lines == 0 {
		return &Undecided{Why: "it printed nothing"}
	}
	last := ""
	if n := len(d.tails); n > 0 {
		last = "; the last: " + clip(d.tails[n-1])
	}
	return &Undecided{Why: fmt.Sprintf("none of its %d lines counts steps%s", cmp.Or(d.strange, d.lines), last)}
}

// tooFew is the reason for a counter that has just begun.
func tooFew(c *counter) *Undecided {
	return &Undecided{Kind: Few, Why: fmt.Sprintf("fewer than %d steps were read (%q)", least, c.title()),
		Candidates: []Candidate{{Form: c.form, What: c.title()}}}
}

func short(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func listed(all []view) string {
	var out []string
	for _, v := range all {
		out = append(out, fmt.Sprintf("%s %q %s ms a %s", v.form, v.title(), short(v.ms), v.unit))
	}
	return strings.Join(out, ", ")
}

// title returns the name of a counter.
func (c *counter) title() string { return cmp.Or(c.what, c.form) }

// candidates returns the views for display: 8 at most.
func (d *Detector) candidates(field []view) (out []Candidate) {
	for _, v := range field {
		if v.able(d) && len(out) < 8 && !v.loose {
			out = append(out, Candidate{Form: v.form, What: v.title(), Share: math.Round(1000*v.share) / 1000,
				TimeMS: v.ms, Pattern: v.pattern()})
		}
	}
	return out
}

// leftOut lists what was read but does not count.
func (d *Detector) leftOut(best view, field []view) (out []LeftOut) {
	names := make([]string, len(d.log.moved)+1)
	for name, k := range d.log.names {
		names[k] = name
	}
	add := func(what string, l LeftOut) {
		if l.Count > 0 && l.S > 0 && len(out) < 6 {
			l.What = what
			out = append(out, l)
		}
	}
	add("between its runs", best.between)
	add("load, prompt and waiting", best.parts)
	lines := best.lines
	for _, v := range field {
		if v.counter == best.counter || v.stated || v.loose || v.beside(&best) || v.outer(&best) || v.share < 0.005 {
			continue
		}
		for k := range v.own {
			delete(lines, k)
		}
		add(v.title(), LeftOut{Count: int(v.est.Units + 0.5), S: v.time.Seconds()})
	}
	for k, l := range lines {
		add(clip(names[k]), l)
	}
	if at := best.est.Outlier; at >= 0 {
		add("an outlier", LeftOut{Count: 1, S: best.took[at] / 1000})
	}
	return out
}

// first returns when the work of a program began; ok is false where none was seen.
func (d *Detector) firstUnit() (at time.Duration, ok bool) {
	for _, c := range d.all {
		if len(c.marks) > 0 && c.spans > 0 && !c.loose && c.unit != byteUnit && (!ok || c.marks[0].at < at) {
			at, ok = c.marks[0].at, true
		}
	}
	return at, ok
}

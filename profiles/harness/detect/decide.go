package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jtune/internal/stats"
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

// Reading is the interpretation of a program's output.
type Reading struct {
	Form, What string
	Unit       string  // Step and others
	Samples    int     // per minibatch, where the program counts samples; 0: it counts steps
	Assumed    bool    // Samples is the usual number; the program does not say
	Steps      int     // units read
	TimeMS     float64 // median per unit
	MeanMS     float64 // mean without pauses
	Epochs     int     // started; 0: unknown
	Of         int     // units per epoch; 0: unknown
	Example    string  // an example line
	LeftOut    []LeftOut
	Candidates []Candidate
	Summary    bool // read from the program's own report at its end
}

// Undecided says why no reading was taken.
type Undecided struct {
	Kind       Kind
	Why        string
	Lines      int         // read
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

// rival is a candidate with its measurements.
type rival struct {
	*candidate
	measured
	share float64
}

const (
	// apart is the ratio above which two times belong to different things.
	apart = 1.10
	// At least enoughRates rates that drift in one direction by the factor drifts are averages since the start.
	enoughRates = 5
	drifts      = 1.03
	// claims is the least share of the time of a candidate that can be the job.
	claims = 1.0 / 3
)

// Read decides by the lines read so far. It returns *Undecided when no reading is possible.
func (d *Detector) Read() (Reading, error) {
	field := d.field()
	shown := candidates(field)
	if r, ok := d.ofReport(); ok && (d.o.Only == "" || d.only(r.Form)) {
		r.Candidates = shown
		return r, nil
	}
	best, rivals, err := d.settle(field)
	if err != nil {
		if shown != nil {
			err.Candidates = shown
		}
		err.Tails, err.Rivals, err.Lines = d.tails, candidates(rivals), d.lines
		return Reading{}, err
	}
	return d.reading(best, field, shown), nil
}

// ofReport returns the program's own report: the mean of equal ones.
func (d *Detector) ofReport() (r Reading, ok bool) {
	if len(d.reports) == 0 {
		return r, false
	}
	last := d.reports[len(d.reports)-1]
	var of []span
	units := 0.0
	for _, p := range d.reports {
		if p.Form == last.Form {
			of = append(of, span{n: 1, ms: p.TimeMS})
			units += p.Units
		}
	}
	lo, hi := of[0].ms, of[0].ms
	for _, s := range of {
		lo, hi = min(lo, s.ms), max(hi, s.ms)
	}
	if hi > apart*lo && len(of) > 1 && (len(of) < least || d.ranks[last.Form] == eachModel) {
		return r, false
	}
	mean := 0.0
	for _, s := range of {
		mean += s.ms / float64(len(of))
	}
	return Reading{Form: last.Form, What: "its own report", Unit: last.Unit, Steps: max(1, int(units)),
		TimeMS: weighted(of, 0.5), MeanMS: mean, Summary: true}, true
}

// field returns all candidates with their measurements.
func (d *Detector) field() (out []rival) {
	first := d.last
	for _, c := range d.all {
		if c.polarity != before && len(c.spans) > 0 {
			first = min(first, c.first)
		}
	}
	total := max(d.last-first, time.Nanosecond)
	for _, c := range d.all {
		if len(c.spans) == 0 {
			continue
		}
		m := c.measure()
		if m.steps <= 0 || m.medianMS <= 0 {
			continue
		}
		out = append(out, rival{c, m, min(1, float64(m.time)/float64(total))})
	}
	slices.SortStableFunc(out, func(a, b rival) int { return cmp.Compare(b.share, a.share) })
	return out
}

func (d *Detector) only(form string) bool {
	switch {
	case d.o.Only == "", d.o.Only == form, d.o.Only == form+"-server", d.o.Only == "llama-server" &&
		form == "llama.cpp":
		return true
	case slices.Contains(bars, d.o.Only):
		return slices.Contains(bars, form) || form == "rich"
	case d.o.Only == "it/s":
		return form == "rate" || form == "tensorflow"
	}
	// The names of trainers are families of line formats, not programs.
	return slices.Contains([]string{"counter", "step", "rate", "keras"}, form) &&
		!slices.Contains(knownForms(), d.o.Only)
}

// able returns the candidates that can be the job.
func (d *Detector) able(field []rival) (out []rival) {
	for _, r := range field {
		switch {
		case r.steps < least || r.kept < 2 || r.unit == "byte" || !d.only(r.form):
		case r.stated && r.moving(field):
		case r.loose && 4*r.run > len(r.spans), r.erratic(): // it goes up and down
		case r.stated && !r.known && r.partial(): // covers only part of the work
		case r.stated && r.validates(): // of an epoch, including its validation
		case r.plain && !r.agrees(), r.averaged():
		case !r.stated && r.outer(field):
		default:
			out = append(out, r)
		}
	}
	return out
}

// moving reports whether a counter of the same line advances; the clock then gives its time. A counter of epochs gives
// no time of a step.
func (r rival) moving(field []rival) bool {
	return slices.ContainsFunc(r.with, func(c *candidate) bool {
		if c.unit == Epoch && !r.plain || c.unit == Request && r.unit == Token || c.unit == Run && r.unit == Token {
			return false
		}
		return slices.ContainsFunc(field, func(o rival) bool { return o.candidate == c && o.steps >= least })
	})
}

// validates reports whether a time per step is printed once an epoch, in a line with validation results: 60/60 - 3s -
// 53ms/step - val_loss: 1.2.
func (r rival) validates() bool {
	return valueNames.MatchString(r.example) && slices.ContainsFunc(r.with, func(c *candidate) bool {
		return c.of > 0 && c.done == c.of && len(c.spans) == 0
	})
}

// erratic reports whether a number goes up and down by steps of all sizes and so is not a count.
func (r rival) erratic() bool {
	if r.stated || r.known || 3*r.run <= len(r.spans) {
		return false
	}
	var jumps []float64
	for _, s := range r.spans {
		jumps = append(jumps, s.n)
	}
	return stats.Quantile(jumps, 0.9) > 5*stats.Quantile(jumps, 0.1)
}

// partial reports whether a rate covers only part of the work: its lines come once per unit, but take longer than it
// states.
func (r rival) partial() bool {
	if r.plain || r.unit == Token || len(r.spans) < least {
		return false
	}
	var each []span
	for _, s := range r.spans {
		each = append(each, span{n: 1, ms: millis(s.d) / s.ms})
	}
	n := weighted(each, 0.5)
	return n < 1/apart || n > apart && n < 1.6
}

// agrees reports whether a time without a unit equals the time between its lines.
func (r rival) agrees() bool {
	var said []span
	for _, s := range r.spans {
		said = append(said, span{n: 1, ms: s.said})
	}
	ms := weighted(said, 0.5)
	return ms > 0 && r.medianMS < apart*ms && ms < apart*r.medianMS
}

// averaged reports whether a rate is an average since the start: it drifts in one direction. Such an average includes
// the first units, which select kernels.
func (r rival) averaged() bool {
	if !r.rates() || r.known || len(r.spans) < enoughRates {
		return false
	}
	up, down := 0, 0
	for i, s := range r.spans[1:] {
		switch was := r.spans[i].ms; {
		case s.ms > was:
			up++
		case s.ms < was:
			down++
		}
	}
	first, last := r.spans[0].ms, r.spans[len(r.spans)-1].ms
	return max(first, last) > drifts*min(first, last) && 10*max(up, down) >= 9*(up+down)
}

// outer reports whether another candidate advances within the steps of this one: this one counts epochs, or the same
// steps less often.
func (r rival) outer(field []rival) bool {
	return slices.ContainsFunc(field, func(o rival) bool {
		if o.candidate == r.candidate || o.stated || o.polarity < unknown || o.steps < least {
			return false
		}
		if r.unit == Epoch && o.unit != Epoch && 4*o.time > r.time {
			return true
		}
		if r.known {
			return false
		}
		within, took := inside(o.spans, r.spans), r.time+r.paused
		if 5*r.renews >= 4*len(r.spans) && 4*within > took { // it advances when the other restarts
			return true
		}
		return len(o.spans) >= 3*len(r.spans) && 2*within > took
	})
}

// inside returns how much of the time of spans overlaps others.
func inside(spans, others []span) (sum time.Duration) {
	i := 0
	for _, s := range spans {
		for i < len(others) && others[i].end <= s.end-s.d {
			i++
		}
		for j := i; j < len(others) && others[j].end-others[j].d < s.end; j++ {
			sum += min(s.end, others[j].end) - max(s.end-s.d, others[j].end-others[j].d)
		}
	}
	return sum
}

// settle keeps the earlier choice as long as it claims its share of the time and nothing contradicts it. A run to the
// end then gives the same quantity as a search, which has to choose early. Otherwise it takes the candidate that
// accounts for the most time.
func (d *Detector) settle(field []rival) (best rival, rivals []rival, err *Undecided) {
	able := d.able(field)
	best, rivals, err = d.choose(able, field)
	if err != nil || d.chosen == nil || best.candidate == d.chosen {
		return best, rivals, err
	}
	for _, r := range able {
		ratio := r.medianMS / best.medianMS
		if r.candidate == d.chosen && r.share > claims && (r.unit != best.unit || ratio < apart && ratio > 1/apart) {
			return r, nil, nil
		}
	}
	return best, rivals, err
}

// choose returns the candidate that accounts for the most time.
func (d *Detector) choose(able, field []rival) (best rival, rivals []rival, err *Undecided) {
	if len(able) == 0 {
		return best, nil, d.nothing(field)
	}
	timed := slices.ContainsFunc(able, func(r rival) bool {
		return !r.stated && r.unit != Epoch && r.polarity >= unknown && r.share > claims
	})
	weight := func(r rival) float64 {
		w := r.share
		switch {
		case r.known:
			w += 10
		case r.polarity == before:
			return 0
		case r.polarity == aside:
			w *= 0.1
		}
		if r.stated && !r.known { // the clock is more accurate
			w *= 0.9
			if timed {
				w *= 0.3
			}
		}
		if r.plain {
			w *= 0.5
		}
		return w + 0.001*rankOf(r)
	}
	best = slices.MaxFunc(able, func(a, b rival) int { return cmp.Compare(weight(a), weight(b)) })
	if best.polarity == before {
		return best, nil, &Undecided{Why: fmt.Sprintf("only %q was read, which comes before the work", best.title())}
	}
	if best.twoMS[0] > 0 {
		return best, nil, &Undecided{Kind: Disagree,
			Why: fmt.Sprintf("bars %q that look the same take %s and %s ms a step by "+
				"turns, as training and validation do", best.title(), short(best.twoMS[0]), short(best.twoMS[1])),
			Try: "name the bar of the training, such as tqdm(…, desc='train')"}
	}
	if best.share < 0.03 && !best.known || best.share < 0.08 && best.polarity != forJob && !best.known {
		return best, nil, &Undecided{Why: fmt.Sprintf("%q is the most that was read, and only %.0f %% of the time",
			best.title(), 100*best.share)}
	}
	for _, r := range able {
		if r.candidate != best.candidate && d.contradicts(best, r) {
			rivals = append(rivals, r)
		}
	}
	if len(rivals) > 0 {
		rivals = append([]rival{best}, rivals...)
		return best, rivals, &Undecided{Kind: Disagree, Why: "its lines show two different times: " + listed(rivals)}
	}
	return best, nil, nil
}

// rankOf ranks candidates that claim the same time: plainer ones first.
func rankOf(r rival) float64 {
	switch {
	case r.of > 0:
		return 3 - 0.01*float64(min(r.order, 90))
	case !r.stated:
		return 2 - 0.01*float64(min(r.order, 90))
	}
	return 1 - 0.01*float64(min(r.order, 90))
}

// contradicts reports whether two candidates cannot both be right.
func (d *Detector) contradicts(best, r rival) bool {
	if best.known && !r.known || r.polarity < unknown && best.polarity >= unknown || r.plain && !best.plain {
		return false
	}
	if r.share <= claims || best.share <= claims {
		return false
	}
	if r.stated && !best.stated && 5*len(r.spans) <= len(best.spans) { // of an epoch, with everything in it
		return false
	}
	if best.unit != r.unit {
		// Counts of different things differ in time; but when neither is the step, it is unknown which one the user
		// means.
		return best.unit != Step && r.unit != Step && best.unit != Epoch && r.unit != Epoch && !best.known
	}
	if ratio := best.medianMS / r.medianMS; ratio < apart && ratio > 1/apart {
		return false
	}
	// A count that agrees with the other in the mean is the same count with pauses.
	return true
}

// nothing says why no candidate is usable.
func (d *Detector) nothing(field []rival) *Undecided {
	for _, r := range field {
		if r.polarity >= unknown && !r.plain && (r.steps < least || r.kept < 2) {
			return tooFew(r.candidate)
		}
		if r.plain {
			return &Undecided{Why: fmt.Sprintf("%q tells a time, and not of what: its lines come in other times",
				clip(r.example))}
		}
	}
	for _, c := range d.all {
		if c.moved > 0 && c.polarity >= unknown && !c.stated && c.unit != "byte" && len(field) == 0 {
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

func short(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func listed(rs []rival) string {
	var out []string
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%s %q %s ms a %s", r.form, r.title(), short(r.medianMS), r.unit))
	}
	return strings.Join(out, ", ")
}

// title returns the name of a candidate.
func (c *candidate) title() string {
	if c.what != "" {
		return c.what
	}
	return c.form
}

// candidates returns those with enough steps, for display: 8 at most.
func candidates(field []rival) (out []Candidate) {
	for _, r := range field {
		if r.steps >= least && !r.plain && len(out) < 8 && !(r.stated && r.moving(field)) {
			out = append(out, Candidate{Form: r.form, What: r.title(), Share: math.Round(1000*r.share) / 1000,
				TimeMS: r.medianMS, Pattern: r.pattern()})
		}
	}
	return out
}

// reading describes the chosen candidate.
func (d *Detector) reading(best rival, field []rival, shown []Candidate) Reading {
	r := Reading{Form: best.form, What: best.title(), Unit: best.unit, Steps: int(best.steps + best.before + 0.5),
		TimeMS: best.medianMS, MeanMS: best.meanMS, Of: best.of, Candidates: shown, Example: best.example,
		LeftOut: d.leftOut(best, field)}
	if best.run > 0 || best.epoch > 0 {
		r.Epochs = best.run + 1
	}
	return d.ofSamples(r, best)
}

// leftOut lists what was read but does not count.
func (d *Detector) leftOut(best rival, field []rival) (out []LeftOut) {
	if best.pauses > 0 {
		out = append(out, LeftOut{What: "pauses", Count: best.pauses, S: best.paused.Seconds()})
	}
	for _, r := range field {
		if r.candidate == best.candidate || r.stated || slices.Contains(best.with, r.candidate) ||
			r.outer([]rival{best}) || r.share < 0.005 {
			continue
		}
		if r.unit == best.unit && r.medianMS < apart*best.medianMS && best.medianMS < apart*r.medianMS {
			continue
		}
		out = append(out, LeftOut{What: r.title(), Count: int(r.steps + 0.5), S: r.time.Seconds()})
		if len(out) == 6 {
			break
		}
	}
	return out
}

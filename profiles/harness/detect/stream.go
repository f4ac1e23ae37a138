package detect

import (
	"time"

	"jtune/internal/stats"
)

const (
	// enoughSteps and enoughWork are what a choice waits for; mostWork since the first step is enough alone.
	enoughSteps = 20
	enoughWork  = 3 * time.Second
	mostWork    = 10 * time.Second
	// asideWork is how long a choice waits when only validation, or a rate in few lines, advances.
	asideWork = 30 * time.Second
	// window is how many recent times determine the usual one.
	window = 20
)

// Done are units completed since the last call.
type Done struct {
	N      int
	TimeMS float64       // of each unit
	Begin  time.Duration // of the span in which they were done
	End    time.Duration // of the last unit
	Epoch  int           // from 0
	First  int           // number of the first unit, from 0
	Pause  bool          // it is longer than ten usual ones and no step
}

// Chosen reports whether a candidate has been chosen.
func (d *Detector) Chosen() bool { return d.chosen != nil }

// Work returns how long ago the first step of the job was seen; 0 if none was.
func (d *Detector) Work(now time.Duration) time.Duration {
	work := time.Duration(0)
	for _, c := range d.all {
		if c.polarity != before && !c.plain && len(c.spans) > 0 {
			work = max(work, now-c.first)
		}
	}
	return work
}

// Choose chooses a candidate once there is enough output. It reports whether it did; the error says why the output is
// unusable. Earlier steps are not reported.
func (d *Detector) Choose(now time.Duration) (r Reading, done bool, err error) {
	work := d.Work(now)
	if d.chosen != nil || work < enoughWork {
		return r, false, nil
	}
	field := d.field()
	able := d.able(field)
	if len(able) == 0 {
		return r, false, nil
	}
	best, rivals, no := d.choose(able, field)
	switch {
	case no != nil && (len(rivals) > 0 || best.twoMS[0] > 0) && work >= mostWork:
		no.Candidates, no.Rivals, no.Tails = candidates(field), candidates(rivals), d.tails
		return r, false, no
	case no != nil, best.polarity == aside && work < asideWork, work < mostWork && best.steps < enoughSteps,
		best.rates() && !best.known && len(best.spans) < enoughRates && work < asideWork: // it may be an average
		return r, false, nil
	}
	d.chosen, d.handed = best.candidate, best.forgot+len(best.spans)
	if d.o.FromStart {
		d.handed = best.forgot
	}
	for _, s := range best.spans[max(0, len(best.spans)-window):] {
		d.ran = append(d.ran, s.ms)
	}
	r = d.reading(best, field, candidates(field))
	d.samples = r.Samples
	return r, true, nil
}

// Overtaken returns an error when another candidate now accounts for most of the time; nil while the choice holds.
func (d *Detector) Overtaken() error {
	if d.chosen == nil {
		return nil
	}
	r, err := d.Read()
	if err != nil || r.Summary || len(d.all) == 0 {
		return nil
	}
	field := d.field()
	for i := range field {
		if field[i].candidate == d.chosen {
			field[i].addSlower()
		}
	}
	best, _, no := d.settle(field)
	if no == nil && best.candidate != d.chosen {
		return &Undecided{Why: "most of the time passes in " + best.title() + ", not in " + d.chosen.title() +
			" as at first", Candidates: candidates(field)}
	}
	return nil
}

// addSlower adds the spans that seem to hold a pause to the time of a candidate: in a slower power mode all do. Those
// in which another candidate advanced stay out.
func (r *rival) addSlower() {
	total, was := time.Duration(0), r.time
	for _, s := range r.spans {
		if !s.dirty {
			total += s.d
		}
	}
	r.time = max(was, total)
	r.share = min(1, r.share*float64(r.time)/float64(was))
}

// Take returns what the chosen candidate has counted since the last call. It keeps back the newest count, because lines
// that arrive together count as one.
func (d *Detector) Take(all bool) (out []Done) {
	c := d.chosen
	if c == nil {
		return nil
	}
	last := c.forgot + len(c.spans)
	if !all {
		last--
	}
	for d.handed = max(d.handed, c.forgot); d.handed < last; d.handed++ {
		s := c.spans[d.handed-c.forgot]
		usual, uneven := d.usual()
		held := c.holdsPause(s, c.atOnce()*usual, c.atOnce()*uneven)
		if held = held && !d.slower(s); !held {
			d.paused = nil
		}
		if d.ran = append(d.ran, s.ms); len(d.ran) > window {
			d.ran = d.ran[1:]
		}
		n, ms := s.n, s.ms
		if d.samples > 0 {
			n, ms = n/float64(d.samples), ms*float64(d.samples)
		}
		done := Done{N: max(1, int(n+0.5)), TimeMS: ms, Begin: s.end - s.d, End: s.end,
			Epoch: d.epochFrom0(s.epoch, s.run)}
		if done.First = s.done - int(s.n+0.5); d.samples > 0 {
			done.First /= d.samples
		}
		done.First = max(0, done.First)
		if done.Pause = s.dirty && !c.rates() || held; done.Pause {
			done.N, done.TimeMS = 1, millis(s.d)
		}
		out = append(out, done)
	}
	return out
}

// slower reports whether a span that seems to hold a pause takes as long per unit as another since the last without
// one: the program has then become slower, as in another power mode, and the times before are forgotten.
func (d *Detector) slower(s span) bool {
	if s.dirty || s.n/d.chosen.atOnce() < least {
		return false
	}
	for _, ms := range d.paused {
		if max(s.ms, ms) < apart*min(s.ms, ms) {
			d.ran = []float64{ms}
			return true
		}
	}
	d.paused = append(d.paused, s.ms)
	return false
}

// usual returns the recent time of a unit, and the tolerance of the mean of many units without a pause.
func (d *Detector) usual() (ms, uneven float64) {
	ms = stats.Median(d.ran)
	return ms, max(slow*ms, wide*(stats.Quantile(d.ran, 0.3)-stats.Quantile(d.ran, 0.1)))
}

// epochFrom0 numbers epochs from 0, however they are printed, or by the runs of the counter if none are printed.
func (d *Detector) epochFrom0(printed, run int) int {
	if printed == 0 {
		return run
	}
	if !d.fromZero {
		return max(0, printed-1)
	}
	return printed
}

// ChooseAtEnd chooses by the whole output of a program that has ended, and makes its steps available.
func (d *Detector) ChooseAtEnd() error {
	if d.chosen != nil {
		return nil
	}
	r, err := d.Read()
	if err != nil || r.Summary {
		return err
	}
	field := d.field()
	best, _, no := d.choose(d.able(field), field)
	if no != nil {
		return no
	}
	d.chosen, d.samples = best.candidate, r.Samples
	for _, s := range best.spans {
		d.ran = append(d.ran, s.ms)
	}
	return nil
}

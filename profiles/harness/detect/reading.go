package detect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Reading is the interpretation of a program's output: one window of one counter.
type Reading struct {
	Form, What string
	Unit       string  // Step and others
	Samples    int     // per minibatch, where the program counts samples; 0: it counts steps
	Assumed    bool    // Samples is the usual number; the program does not say
	Steps      int     // units read
	TimeMS     float64 // mean per unit, with everything that recurs
	ErrorMS    float64 // its standard error; NaN: unknown
	MedianMS   float64 // per unit
	Why        string  // why median and mean differ by more than 5 %; "": they do not, or it is unknown
	Begin, End time.Duration
	Epochs     int    // started; 0: unknown
	Of         int    // units per epoch; 0: unknown
	Example    string // an example line
	LeftOut    []LeftOut
	Candidates []Candidate
	Summary    bool // read from the program's own report at its end
}

// Read decides by the lines read so far. It returns *Undecided when no reading is possible.
func (d *Detector) Read() (Reading, error) {
	field := d.field()
	shown := d.candidates(field)
	if r, ok := d.ofReport(); ok && (d.o.Only == "" || d.only(r.Form)) {
		r.Candidates = shown
		return r, nil
	}
	best, rivals, err := d.settle(field)
	if err != nil {
		if shown != nil {
			err.Candidates = shown
		}
		err.Tails, err.Rivals, err.Lines, err.Prepared = d.tails, d.candidates(rivals), d.lines, d.Prepared()
		return Reading{}, err
	}
	return d.reading(best, field, shown), nil
}

// Prepared returns until how long after the first line a counter advanced that an earlier run showed not to be the job.
func (d *Detector) Prepared() (took time.Duration) {
	for _, c := range d.all {
		if n := len(c.marks); n > 0 && slices.Contains(d.o.Not, c.title()) {
			took = max(took, c.marks[n-1].at-d.begun)
		}
	}
	return took
}

// settle keeps the earlier choice as long as it claims its share of the time and nothing contradicts it. A run to the
// end then gives the same quantity as a search, which has to choose early.
func (d *Detector) settle(field []view) (best view, rivals []view, no *Undecided) {
	best, rivals, no = d.choose(field)
	if d.chosen == nil || no == nil && best.counter == d.chosen {
		return best, rivals, no
	}
	for _, v := range field {
		if v.counter == d.chosen && v.able(d) && v.two[0] == 0 && (no != nil && len(v.took) > 1 && v.share > tie ||
			no == nil && v.share > 1./3 && !v.before(&best) && (v.unit != best.unit || v.same(&best))) {
			return v, nil, nil
		}
	}
	return best, rivals, no
}

// reading describes the chosen view.
func (d *Detector) reading(best view, field []view, shown []Candidate) Reading {
	r := Reading{Form: best.form, What: best.title(), Unit: best.unit, Steps: int(best.est.Units + best.dropped + 0.5),
		TimeMS: best.ms, ErrorMS: best.est.Error, MedianMS: best.est.Median, Why: best.why(), Begin: best.begin,
		End: best.end, Of: best.of(), Candidates: shown, Example: best.example, LeftOut: d.leftOut(best, field)}
	if best.run > 0 || best.epoch > 0 {
		r.Epochs = best.run + 1
	}
	if r = d.ofSamples(r, best); r.Unit == Step {
		r.Unit = cmp.Or(d.o.Step, Step)
	}
	return r
}

// why says why the mean differs from the median by more than 5 %.
func (v *view) why() string {
	e := v.est
	if math.Abs(e.Mean/e.Median-1) <= 0.05 || len(v.took) == 0 {
		return ""
	}
	if e.Period == 0 || e.From+e.Peak >= len(v.took) {
		return "its spans are uneven"
	}
	at := e.From + e.Peak
	if units := v.units[at]; units > 1 {
		return fmt.Sprintf("every %s group of %.0f takes %s ms a %s", ordinal(e.Period), units, short(v.took[at]/units),
			v.unit)
	}
	return fmt.Sprintf("every %s %s takes %s ms", ordinal(e.Period), v.unit, short(v.took[at]))
}

func ordinal(n int) string {
	switch {
	case n == 2:
		return "second"
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

func (d *Detector) only(form string) bool {
	switch {
	case d.o.Only == "", d.o.Only == form, d.o.Only == form+"-server", d.o.Only == "llama-server" &&
		form == "llama.cpp":
		return true
	case slices.Contains(bars, d.o.Only):
		return slices.Contains(bars, form) || form == "rich"
	case d.o.Only == "it/s":
		return form == "rate"
	}
	// The names of trainers are families of line formats, not programs.
	return slices.Contains([]string{"counter", "step", "rate"}, form) &&
		!slices.Contains(knownForms(), d.o.Only)
}

package fidelity

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// Result is a figure, and what the virtual boards say to it.
type Result struct {
	Figure
	Values  []float64 // one of each job and setup; empty if not simulated
	Off     float64   // tolerances that the worst of them is off; NaN if not simulated
	Verdict Verdict
	Lacks   string // why there is no value
}

// Why is the reason of a verdict that is no success; "" else.
func (r Result) Why() string {
	if r.Verdict.Holds() {
		return ""
	}
	return cmp.Or(r.Lacks, r.Note)
}

// Counts sums verdicts up. Within, near and outside are those of simulated figures.
type Counts struct {
	Simulated     int `json:"simulated"`
	Within        int `json:"within"`
	Near          int `json:"near"`
	Outside       int `json:"outside"`
	Settings      int `json:"settings"`
	Stated        int `json:"stated"`
	Contradictory int `json:"contradictory"`
	NotSimulated  int `json:"not_simulated"`
	Restatements  int `json:"restatements"` // of simulated: they say what another figure says
	OnceWithin    int `json:"once_within"`  // within, restatements left out
	OfSettings    int `json:"of_settings"`
}

// Holding is how many figures the simulation meets, holds as a setting, or states.
func (c Counts) Holding() int { return c.Within + c.Settings + c.Stated }

// Total is how many figures there are.
func (c Counts) Total() int {
	return c.Simulated + c.OfSettings + c.Stated + c.Contradictory + c.NotSimulated
}

func (c *Counts) add(r Result) {
	switch r.Kind {
	case Simulated:
		c.Simulated++
		c.Restatements += int(truth(r.SameAs != ""))
		switch r.Verdict {
		case Within:
			c.Within++
			c.OnceWithin += int(truth(r.SameAs == ""))
		case Near:
			c.Near++
		default:
			c.Outside++
		}
	case Setting:
		c.OfSettings++
		c.Settings += int(truth(r.Verdict == AsSet))
	case Stated:
		c.Stated++
	case Contradictory:
		c.Contradictory++
	case NotSimulated:
		c.NotSimulated++
	}
}

// Names of counts besides those of boards.
const (
	All     = "all"
	Several = "several" // figures about more than one board
	Other   = "other"   // and about none of the virtual ones
)

// Place is whose count a figure belongs to: a board, Several or Other.
func (f Figure) Place() string {
	place := ""
	for _, j := range f.Jobs {
		if place != "" && j.Board != place {
			return Several
		}
		place = j.Board
	}
	return cmp.Or(place, Other)
}

// About reports whether a figure is about a board, alone or among others.
func (f Figure) About(board string) bool {
	for _, j := range f.Jobs {
		if j.Board == board {
			return true
		}
	}
	for _, s := range append(f.at, f.against...) {
		if s.board == board {
			return true
		}
	}
	return false
}

//go:embed verdicts.csv
var verdictsCSV string

// Expected are the verdicts of the boards as they were released, by figure.
var Expected = sync.OnceValue(func() map[string]Verdict {
	out := map[string]Verdict{}
	for line := range strings.Lines(verdictsCSV) {
		id, verdict, _ := strings.Cut(strings.TrimSpace(line), ",")
		out[id] = Verdict(verdict)
	}
	return out
})

// Lost lists the results that held when the boards were released and hold no more.
func Lost(results []Result) (out []Result) {
	for _, r := range results {
		if Expected()[r.ID].Holds() && !r.Verdict.Holds() {
			out = append(out, r)
		}
	}
	return out
}

// Evaluate works figures out, one after another.
func Evaluate(ctx context.Context, figures []Figure, seed uint64) ([]Result, error) {
	b := newBench(builtIn(), seed)
	var out []Result
	for _, f := range figures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := b.evaluate(f)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.ID, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (b *bench) evaluate(f Figure) (Result, error) {
	r := Result{Figure: f}
	switch work, ok := methods[f.method]; {
	case f.method == "":
		r.Lacks = f.Note
	case !ok:
		r.Kind, r.Lacks = NotSimulated, "not simulated yet"
	default:
		values, err := work(b, f)
		if err != nil {
			return r, err
		}
		r.Values = values
	}
	r.Off, r.Verdict = r.Judge(r.Values)
	return r, nil
}

// Summary counts the verdicts by Place, and all of them.
func Summary(results []Result) map[string]Counts {
	out := map[string]Counts{}
	for _, r := range results {
		for _, place := range []string{r.Place(), All} {
			c := out[place]
			c.add(r)
			out[place] = c
		}
	}
	return out
}

// Simulation says what a report is.
const Simulation = "Simulated on virtual boards, not measured."

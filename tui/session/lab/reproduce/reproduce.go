// Package reproduce runs the studies of the papers again: each published result of a method beside this program's own.
//
//	figures.csv ──► Figure ──► lab (sweeps: measured files, else virtual boards) ──► own values
//	                                └── optimize/lab/bench, learn, profiles       └──► verdict ──► Report
//
// Package fidelity holds the virtual boards against the figures of hardware; here are those of methods: errors of
// predictors, penalties of choices, sizes of spaces. No value is stored.
package reproduce

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"jtune/internal/figure"
	"jtune/tui/session/lab/fidelity"
)

// Figure is one published result and how it is worked out again.
type Figure struct {
	fidelity.Figure
	Group string // the study that it belongs to: Study.Name
	Item  string // what it is about, in words
	of    string // the operations that give own values; "" for what is stated
}

//go:embed figures.csv
var figuresCSV string

// Figures are all published results of methods, by study. Tolerances are this project's.
var Figures = sync.OnceValue(func() (out []Figure) {
	err := fidelity.Parse(figuresCSV, func(f fidelity.Figure, cell map[string]string) error {
		out = append(out, Figure{f, cell["group"], cell["item"], cell["of"]})
		return nil
	})
	if err != nil {
		panic("reproduce: figures.csv: " + err.Error())
	}
	return out
})

// Study is a table or figure of a paper.
type Study struct{ Name, Title string }

// Studies are those that can be run, in the order of the report.
var Studies = []Study{
	{"spaces", "How many power modes each board has, and how many were profiled"},
	{"settings", "What the studies chose and counted"},
	{"four-modes", "Linear time model from four modes (2022 study, section 5.7, figure 10a)"},
	{"universal-energy", "One linear energy model for all workloads (2022 study, figure 10b)"},
	{"minibatches", "Profiling with 10 to 40 minibatches per mode (PowerTrain, section 2.5)"},
	{"references", "Which workload serves as reference (PowerTrain, figure 6)"},
	{"reference-size", "How many modes the reference needs (PowerTrain, section 3.2)"},
	{"sizes", "Error by the number of profiled modes (PowerTrain, figures 7 and 8)"},
	{"overlap", "Transfer where model or data are shared (PowerTrain, figure 9a)"},
	{"unseen-workloads", "Transfer to other workloads (PowerTrain, figure 9b)"},
	{"unseen-devices", "Transfer to other boards (PowerTrain, figures 9d and 9e)"},
	{"batch-sizes", "Transfer to other minibatch sizes (PowerTrain, figure 9c)"},
	{"losses", "Loss and frozen layers in a transfer (PowerTrain, sections 3.2 and 4.3.4)"},
	{"summary", "Errors in sum (PowerTrain, abstract)"},
	{"penalties", "What choices cost for limits of 17 to 50 W (PowerTrain, figures 12 and 13)"},
	{"at-30-w", "The mode that each strategy chooses for 30 W (PowerTrain, figure 11)"},
	{"vendor-estimator", "The vendor's power estimator (PowerTrain, figure 2)"},
	{"binary-search", "Multi-dimensional binary search (summer report, section 4.2)"},
	{"training-cost", "What training the predictors takes (PowerTrain, section 4)"},
	{"training-hours", "Hours of a whole training (PowerTrain, section 1.4)"},
}

// Result is a published figure with its own values.
type Result struct {
	Figure
	Own       []float64 // the worst of them counts; empty where it is not worked out
	Off       float64   // tolerances that the worst is off; NaN without own values
	Verdict   fidelity.Verdict
	Simulated bool   // own values rest on a virtual board
	Lacks     string // why there are no own values
}

// Worst is the own value that is farthest off; NaN without any.
func (r Result) Worst() float64 {
	worst, off := math.NaN(), -1.0
	for _, v := range r.Own {
		if o := r.Figure.Off(v); o > off {
			worst, off = v, o
		}
	}
	return worst
}

// Why is the reason of a verdict that is no success; "" else.
func (r Result) Why() string {
	if r.Verdict.Holds() {
		return ""
	}
	if r.Lacks != "" {
		return r.Lacks
	}
	return r.Note
}

// Row is a line of a study that is printed with it and has no published counterpart.
type Row struct {
	Item      string
	Cells     []string
	Simulated bool
}

// Table is what a study prints besides its figures.
type Table struct {
	Title string
	Head  []string
	Rows  []Row
}

// Report is one study run again.
type Report struct {
	Study   Study
	Results []Result
	Tables  []Table
	Drawn   []figure.Figure
	Notes   []string
}

// Options say what to run.
type Options struct {
	Studies  []string // by name; nil: all
	Quick    bool     // one sample of modes where the paper has ten, references of 600 modes, fewer steps of networks
	Sweeps   string   // folder with measured sweeps, see SweepFile; "": none
	Seed     uint64
	Progress func(done, total int, study string) // may be nil
}

// Find is a study by its name.
func Find(name string) (Study, bool) {
	i := slices.IndexFunc(Studies, func(s Study) bool { return s.Name == name })
	if i < 0 {
		return Study{}, false
	}
	return Studies[i], true
}

// Run runs studies one after another; what several need is worked out once.
func Run(ctx context.Context, o Options) (out []Report, err error) {
	names := o.Studies
	if names == nil {
		for _, s := range Studies {
			names = append(names, s.Name)
		}
	}
	l := newLab(ctx, o)
	for i, name := range names {
		s, ok := Find(name)
		if !ok {
			return nil, fmt.Errorf("no study %q", name)
		}
		if o.Progress != nil {
			o.Progress(i, len(names), name)
		}
		r, err := l.study(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (l *lab) study(s Study) (r Report, err error) {
	r.Study = s
	l.forget()
	for _, f := range Figures() {
		if f.Group != s.Name {
			continue
		}
		result, err := l.result(f)
		if err != nil {
			return r, fmt.Errorf("%s: %w", f.ID, err)
		}
		r.Results = append(r.Results, result)
	}
	if table := tables[s.Name]; table != nil {
		t, err := table(l)
		if err != nil {
			return r, err
		}
		r.Tables = append(r.Tables, t)
	}
	r.Drawn = drawn(r)
	if s.Name == "sizes" {
		curves, err := l.sizeCurves()
		if err != nil {
			return r, err
		}
		r.Drawn = append(curves, r.Drawn...)
	}
	r.Notes = l.notes()
	return r, l.ctx.Err()
}

func (l *lab) result(f Figure) (r Result, err error) {
	r.Figure = f
	if f.of == "" {
		r.Lacks = f.Note
	} else {
		before := l.simulated
		l.simulated = false
		if r.Own, err = l.evaluate(f.of); err != nil {
			return r, err
		}
		r.Simulated = l.simulated
		l.simulated = l.simulated || before
	}
	r.Off, r.Verdict = f.Judge(r.Own)
	return r, nil
}

// Counts sums results up.
func Counts(reports []Report) (holding, near, outside, without int) {
	for _, r := range reports {
		for _, f := range r.Results {
			switch {
			case f.Verdict.Holds():
				holding++
			case f.Verdict == fidelity.Near:
				near++
			case f.Verdict == fidelity.Outside:
				outside++
			default:
				without++
			}
		}
	}
	return holding, near, outside, without
}

// title prints a workload's place as a person reads it: "resnet18 on agx-orin".
func title(place string) string {
	board, workload, _ := strings.Cut(place, "/")
	return workload + " on " + board
}

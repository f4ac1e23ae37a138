// Package reproduce repeats the studies of the papers and compares each published result of a method with this
// program's.
//
//	figures.csv ──► evidence.Figure ──► lab (sweeps: measured files, else virtual boards) ──► own values
//	                                └── optimize/lab/bench, learn, profiles       └──► evidence.Result ──► Report
//
// Package fidelity compares the virtual boards with hardware figures; this one has the figures of methods: errors of
// predictors, penalties of choices, sizes of spaces. No value is stored.
package reproduce

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"jtune/internal/figure"
	"jtune/tui/session/lab/evidence"
)

//go:embed figures.csv
var figuresCSV string

// Figures returns all published results of methods, grouped by study. The tolerances are this project's.
var Figures = sync.OnceValue(func() (out []evidence.Figure) {
	err := evidence.Parse(figuresCSV, func(f evidence.Figure, _ map[string]string) error {
		out = append(out, f)
		return words.Check(f.Terms)
	})
	if err != nil {
		panic("reproduce: figures.csv: " + err.Error())
	}
	return out
})

// Study is a table or figure of a paper.
type Study struct{ Name, Title string }

// Studies are the studies that can be run, in the order of the report.
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
	{"summary", "Errors over all workloads (PowerTrain, abstract)"},
	{"penalties", "What choices cost for limits of 17 to 50 W (PowerTrain, figures 12 and 13)"},
	{"at-30-w", "The mode that each strategy chooses for 30 W (PowerTrain, figure 11)"},
	{"vendor-estimator", "The vendor's power estimator (PowerTrain, figure 2)"},
	{"binary-search", "Multi-dimensional binary search (summer report, section 4.2)"},
	{"training-cost", "What training the predictors takes (PowerTrain, section 4)"},
	{"training-hours", "Hours of a whole training (PowerTrain, section 1.4)"},
}

// Row is a line printed with a study that has no published counterpart.
type Row struct {
	Item      string
	Cells     []string
	Simulated bool
}

// Table is printed by a study besides its figures.
type Table struct {
	Title string
	Head  []string
	Rows  []Row
}

// Report is a repeated study.
type Report struct {
	Study   Study
	Results []evidence.Result
	Tables  []Table
	Drawn   []figure.Figure
	Notes   []string
}

// Options select what to run.
type Options struct {
	Studies  []string // by name; nil: all
	Quick    bool     // one sample of modes instead of the paper's ten, references of 600 modes, fewer network steps
	Sweeps   string   // folder with measured sweeps, see SweepFile; "": none
	Mode     string   // in which universal-energy also predicts an epoch; "": none
	Seed     uint64
	Progress func(done, total int, study string) // may be nil
}

// Find finds a study by name.
func Find(name string) (Study, bool) {
	i := slices.IndexFunc(Studies, func(s Study) bool { return s.Name == name })
	if i < 0 {
		return Study{}, false
	}
	return Studies[i], true
}

// Run runs studies one after another; shared results are computed once.
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
		if t.Rows != nil {
			r.Tables = append(r.Tables, t)
		}
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

// result computes a figure and records whether it comes from a virtual board.
func (l *lab) result(f evidence.Figure) (evidence.Result, error) {
	before := l.simulated
	l.simulated, l.drawn = false, 0
	r, err := words.Result(l, f)
	r.Simulated, r.Samples = l.simulated, l.drawn
	l.simulated = l.simulated || before
	return r, err
}

// title formats a workload's place for people: "resnet18 on agx-orin".
func title(place string) string {
	board, workload, _ := strings.Cut(place, "/")
	return workload + " on " + board
}

package optimize

import (
	"context"
	"io"

	"jtune/learn"
	"jtune/tegra"
)

// EvaluateOptions say what to compare on a measured sweep.
type EvaluateOptions struct {
	Truth     []tegra.Measured
	Name      string           // of the sweep, for the heading
	Reference *learn.Reference // for powertrain and gp+ref; nil: those rows are left out
	// Methods, see EvaluateMethods; nil: all that can run.
	Methods []string
	Sizes   []int // modes to learn from; nil: 10, 20, 50
	Seeds   int   // samples per size; 0: 10
	// BudgetFrom, BudgetTo and BudgetStep are power limits in watts; all 0:
	// 17 to 50 in steps of 1.
	BudgetFrom, BudgetTo, BudgetStep float64
	Presets                          []tegra.Preset
	Workers                          int // 0: one per core
	Seed                             uint64
	Progress                         func(done, total int) // from one goroutine at a time
}

// EvaluateMethods lists the names for EvaluateOptions.Methods.
func EvaluateMethods() []string {
	return []string{"gp", "gp+ref", "powertrain", "nn", "linear", "tune", "binary", "random", "maxn", "presets"}
}

// Quartiles of a sample.
type Quartiles struct {
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
}

// Report is the comparison.
type Report struct {
	Name string `json:"truth"`
	Rows []Row  `json:"rows"`
}

// Row is one method at one size.
type Row struct {
	Method string `json:"method"`
	Size   int    `json:"size"`
	Seeds  int    `json:"seeds"`
}

// Evaluate runs the papers' comparison.
func Evaluate(ctx context.Context, o EvaluateOptions) (*Report, error) { panic("not yet") }

// WriteText prints the report as a table.
func (r *Report) WriteText(w io.Writer) error { panic("not yet") }

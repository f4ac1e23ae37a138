package learn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
)

// Model is a fitted predictor with its samples, errors and warnings. It may be read
// from many goroutines.
type Model struct {
	Method    Method
	Space     *tegra.Space     // the modes that it knows
	Samples   []tegra.Measured // learned from, one per mode, or per mode and batch size
	Batches   []int            // batch sizes, ascending, where that is an input; else nil
	Batch     int              // of a model that At made
	CV        Errors
	Reference string // name of the reference and how much it counts; "" for none
	Warnings  []string
	// Suspicious are the outliers: their reading disagrees with all others and was not
	// confirmed by a second one.
	Suspicious []tegra.Setting
	Repeated   []tegra.Setting // measured more than once, with readings that agree
	Provenance Provenance
	Seed       uint64

	predictor Predictor
	whole     *Model           // from which At made this one
	reference []tegra.Measured // the residual reference's modes, for the file
	compact   *Compact         // or the reference itself, when it is compact
}

// Errors are cross-validated errors of a model: of predictions for measured
// modes by models that have not seen them.
type Errors struct {
	TimeMAPEPct, PowerMAPEPct float64 // power's is NaN where power was not measured
	How                       string  // "leave-one-out", "10 folds"; "" when not known
}

// MarshalJSON prints the errors; those that are not known are null.
func (e Errors) MarshalJSON() ([]byte, error) {
	known := func(pct float64) tegra.Val[float64] {
		v := tegra.Finite(pct)
		v.OK = v.OK && e.Known()
		return v
	}
	return json.Marshal(map[string]any{"time_mape_pct": known(e.TimeMAPEPct), "power_mape_pct": known(e.PowerMAPEPct)})
}

// Known reports whether cross-validation was done, which needs two modes at least.
func (e Errors) Known() bool { return e.How != "" }

var _ Predictor = (*Model)(nil)

// Predict predicts the given modes, which need not belong to the space.
func (m *Model) Predict(modes []tegra.Mode) []Prediction { return m.predictor.Predict(modes) }

// HasPower reports whether the model knows power. One whose samples have none predicts
// NaN watts: it has no front and no power limit.
func (m *Model) HasPower() bool { return hasPower(m.Samples) }

// Surrogate returns the model below a gp model; false for other methods.
func (m *Model) Surrogate() (*Surrogate, bool) {
	s, ok := m.predictor.(*Surrogate)
	return s, ok
}

func (m *Model) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// Trusted are the samples whose readings replace their predictions: all but the
// suspicious ones.
func (m *Model) Trusted() []tegra.Measured {
	return slices.DeleteFunc(slices.Clone(m.Samples), func(s tegra.Measured) bool {
		return slices.Contains(m.Suspicious, s.Setting)
	})
}

// Doubt is a warning about the suspicious readings; "" when there are none.
func (m *Model) Doubt() string {
	if len(m.Suspicious) == 0 {
		return ""
	}
	return fmt.Sprintf("%s with the model of all others, by a false reading or where the model errs, and %s for "+
		"nothing until a second reading agrees, measure again: %s",
		count(len(m.Suspicious), "measured mode disagrees", "measured modes disagree"),
		plural(len(m.Suspicious), "counts", "count"), m.list(m.Suspicious))
}

// mostListed bounds how many modes a message names.
const mostListed = 5

func (m *Model) list(settings []tegra.Setting) string {
	var names []string
	for _, a := range settings[:min(len(settings), mostListed)] {
		name := m.Space.Format(a.Mode)
		if a.Batch > 0 {
			name += fmt.Sprintf(" at batch size %d", a.Batch)
		}
		names = append(names, name)
	}
	if more := len(settings) - mostListed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count prints "1 mode was" or "3 modes were".
func count(n int, one, many string) string {
	return fmt.Sprintf("%d %s", n, plural(n, one, many))
}

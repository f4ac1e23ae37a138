package learn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"jtune/learn/baseline/nn"
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
	Means      []tegra.Mean    // of the samples that were measured more than once
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

// Known reports whether cross-validation was done with LeastJudged settings at least.
func (e Errors) Known() bool { return e.How != "" }

var _ Predictor = (*Model)(nil)

// Networks are the networks of powertrain and nn; false for other methods.
func (m *Model) Networks() (nn.Pair, bool) {
	b, ok := m.predictor.(*banded)
	if !ok {
		return nn.Pair{}, false
	}
	return b.Networks()
}

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

// Readings are what was measured of each sample: the mean, where Samples has the median
// that it was learned by.
func (m *Model) Readings() []tegra.Mean {
	out, several := make([]tegra.Mean, len(m.Samples)), meansOf(m.Means)
	for i, s := range m.Samples {
		if out[i] = several[s.Setting]; out[i].N == 0 {
			out[i] = tegra.Mean{Measured: s, N: 1}
		}
	}
	return out
}

// Trusted are the readings that replace their predictions: all but the suspicious ones.
func (m *Model) Trusted() []tegra.Measured {
	var out []tegra.Measured
	for _, r := range m.Readings() {
		if !slices.Contains(m.Suspicious, r.Setting) {
			out = append(out, r.Measured)
		}
	}
	return out
}

const (
	// LeastJudged is how many measured settings a model needs for an error to be told.
	LeastJudged = 6
	// MostErrorPct is the cross-validated error of time or power up to which a model's
	// choice is no guess.
	MostErrorPct = 20
)

// ErrorPct is the larger of the cross-validated errors of time and power; absent where
// they are not known.
func (m *Model) ErrorPct() tegra.Val[float64] {
	if !m.CV.Known() {
		return tegra.Val[float64]{}
	}
	worst := m.CV.TimeMAPEPct
	if m.HasPower() {
		worst = max(worst, m.CV.PowerMAPEPct)
	}
	return tegra.Finite(worst)
}

// Weakness is the reason why what the model chooses is a guess, for one line; "" where
// it is none.
func (m *Model) Weakness() string {
	n := len(m.Whole().Samples)
	switch pct := m.ErrorPct(); {
	case n < LeastJudged:
		return fmt.Sprintf("%s: too few to know the error", count(n, "mode", "modes"))
	case !pct.OK:
		return "its error is not known"
	case pct.V > MostErrorPct:
		return fmt.Sprintf("its own error is %.0f %%", pct.V)
	}
	return ""
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

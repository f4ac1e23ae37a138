package learn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// Model is a fitted predictor with its samples, errors and warnings. It is safe for concurrent reads.
type Model struct {
	Method    Method
	Space     *tegra.Space     // modes of the device
	Samples   []tegra.Measured // training data, one per mode, or per mode and batch size
	Batches   []int            // batch sizes, ascending, at least one; several are an input
	Batch     int              // the one batch size; of several: of what At returned
	CV        Errors
	Reference string // name and weight of the reference; "" for none
	Warnings  []string
	// Suspicious are outliers: readings that disagree with all others, without a confirming second reading.
	Suspicious []tegra.Setting
	Repeated   []tegra.Setting // measured more than once, with consistent readings
	Means      []tegra.Mean    // means of samples measured more than once
	Provenance Provenance
	Seed       uint64

	predictor Predictor
	whole     *Model           // model from which At derived this one
	reference []tegra.Measured // the residual reference's modes, for the file
}

// Errors are cross-validated errors of a model: each measured mode is predicted by a model fitted without it.
type Errors struct {
	TimeMAPEPct, PowerMAPEPct float64 // power's is NaN if power was not measured
	How                       string  // "leave-one-out", "10 folds"; "" if unknown
}

// MarshalJSON prints the errors; unknown ones are null.
func (e Errors) MarshalJSON() ([]byte, error) {
	known := func(pct float64) tegra.Val[float64] {
		v := tegra.Finite(pct)
		v.OK = v.OK && e.Known()
		return v
	}
	return json.Marshal(map[string]any{"time_mape_pct": known(e.TimeMAPEPct), "power_mape_pct": known(e.PowerMAPEPct)})
}

// Known reports whether cross-validation was done, which takes at least LeastJudged settings.
func (e Errors) Known() bool { return e.How != "" }

// Fitted reports whether the model predicts; LoadUnfitted reads one that does not.
func (m *Model) Fitted() bool { return m.predictor != nil }

var _ Predictor = (*Model)(nil)

// Networks returns the networks of powertrain and nn; false for other methods.
func (m *Model) Networks() (nn.Pair, bool) {
	b, ok := m.predictor.(*banded)
	if !ok {
		return nn.Pair{}, false
	}
	return b.Networks()
}

// Predict predicts modes, which need not belong to the space, at the largest batch size.
func (m *Model) Predict(modes []tegra.Mode) []Prediction {
	return m.PredictSettings(tegra.Settings(modes, m.Batches[len(m.Batches)-1:]))
}

// HasPower reports whether the model predicts power. Without power in its samples it predicts NaN watts: it has no
// front and no power limit.
func (m *Model) HasPower() bool { return hasPower(m.Samples) }

// surrogate returns the surrogate of a gp model; false for other methods.
func (m *Model) surrogate() (*Surrogate, bool) {
	s, ok := m.predictor.(*Surrogate)
	return s, ok
}

func (m *Model) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// Readings returns the measurement of each sample: the mean of its readings, while Samples has the median.
func (m *Model) Readings() []tegra.Mean {
	out, several := make([]tegra.Mean, len(m.Samples)), meansOf(m.Means)
	for i, s := range m.Samples {
		if out[i] = several[s.Setting]; out[i].N == 0 {
			out[i] = tegra.Mean{Measured: s, N: 1}
		}
	}
	return out
}

// Trusted returns the readings that replace their predictions: all except the suspicious ones.
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
	// LeastJudged is the number of measured settings from which a model reports errors.
	LeastJudged = 6
	// MostErrorPct is the largest cross-validated error of time or power, in percent, at which a model's choice is
	// reliable.
	MostErrorPct = 20
)

// ErrorPct returns the larger of the cross-validated errors of time and power, in percent; absent if unknown.
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

// Weakness returns in one line why the model's choice is a guess; "" if it is not.
func (m *Model) Weakness() string {
	n := len(m.Whole().Samples)
	switch pct := m.ErrorPct(); {
	case n < LeastJudged:
		return fmt.Sprintf("only %s: error unknown", count(n, "mode", "modes"))
	case !pct.OK:
		return "its error is not known"
	case pct.V > MostErrorPct:
		return fmt.Sprintf("its own error is %.0f %%", pct.V)
	}
	return ""
}

// Doubt returns a warning about suspicious readings; "" if there are none.
func (m *Model) Doubt() string {
	if len(m.Suspicious) == 0 {
		return ""
	}
	return fmt.Sprintf("%s with the model of all others (a false reading, or an error of the model) and %s "+
		"only if a second reading agrees; measure again: %s",
		count(len(m.Suspicious), "measured mode disagrees", "measured modes disagree"),
		plural(len(m.Suspicious), "counts", "count"), m.list(m.Suspicious))
}

// mostListed is the largest number of modes in a message.
const mostListed = 5

func (m *Model) list(settings []tegra.Setting) string {
	var names []string
	for _, a := range settings[:min(len(settings), mostListed)] {
		names = append(names, m.Space.Format(a.Mode)+text.IfAny(" at batch size %d", a.Batch))
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

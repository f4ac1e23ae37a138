// Package answers holds the answer of a search or a model to a limit: commands print it, screens draw it, and it
// marshals itself to JSON.
package answers

import (
	"cmp"
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
)

// Answer is the setting found for a limit, with everything known about it.
type Answer struct {
	tegra.Setting
	outlook.About                   // prediction (no time if nothing was predicted) and measurement
	Device        string            // board; "" if unknown
	Virtual       bool              // the board is simulated
	Workload      string            // "" if unknown
	Limit         metric.Goal       // the requested limit
	Ask           mix.Ask           // the question with its load, if there is one
	Standing      standing.Standing // how the setting relates to Limit
	Feasible      bool              // false: no setting meets the limit; this is the nearest
	Verified      bool              // measured twice
	// True and Chance are the search's belief in the setting's true values and in keeping Limit, and Alternative is a
	// better mode of less chance; absent: there was no search, or one of an older version.
	True        tegra.Val[learn.Prediction]
	Chance      tegra.Val[float64]
	Alternative tegra.Val[optimize.Believed]
	Exchange    *Exchange           // what a little more of the limit would give; nil unless it is much
	Versus      outlook.Comparisons // empty if no model could be fitted
	Error       Errors              // error of its measurement
	Before      *Baseline           // the mode that the board was in; nil if it was not measured
	Preset      *Baseline           // the vendor's best preset for the goal; nil if none was measured
	Gain        *Gain               // over Before or Preset; nil if no baseline is known
	Served      *mix.Outcome        // predicted under the load of Ask; nil without one
	Serving     *record.Served      // inference figures of its newest measurement; nil for training
	Trial       *Trial              // what it did with real requests; nil if that was not tried
	Training    *outlook.Projection // full training runs; nil unless asked for
	Probes      []optimize.Probe    // probes of the search; nil: chosen from a model
	Ended       optimize.Ended      // how the search ended
	Took        time.Duration       // device time of the search
	Soak        *hold.Result        `toml:"-"` // its soak test, kept in a separate folder; nil without one
}

// Chosen returns setting `at` of an outlook as the answer to a limit, feasible or only the nearest. rows are its
// measurements as far as they are known; they give the error band of the gain, as in a search.
func Chosen(o *outlook.Outlook, at int, l metric.Goal, presets []tegra.Preset, present tegra.Setup,
	rows []record.Row, feasible bool) Answer {
	of := o.Model.Provenance
	a := Answer{Setting: o.Predicted[at].Setting, About: o.At(at), Device: of.Device, Virtual: of.Virtual,
		Workload: of.Workload, Limit: l, Feasible: feasible, Standing: o.Standing(at, l),
		Versus: o.Compare(at, presets, present)}
	a.Exchange = ExchangeAt(o, a)
	a.fromReadings(o, presets, rows)
	return a
}

// Under returns the answer evaluated under a load, with its outcome and standing there.
func (a Answer) Under(ask mix.Ask, found mix.Outcome, s standing.Standing) Answer {
	a.Ask, a.Served, a.Standing, a.Gain, a.Exchange = ask, &found, s, nil, nil
	a.Compared()
	a.Guessed()
	return a
}

// fromReadings sets the baselines from the measurements of the modes that the answer is compared with. Like a search it
// compares with the best preset within the limit; there is none if that is the present mode, or has no reading: against
// a lesser preset the answer would look better than it is.
func (a *Answer) fromReadings(o *outlook.Outlook, presets []tegra.Preset, rows []record.Row) {
	read := func(c *outlook.Comparison) *Baseline {
		switch {
		case c == nil:
			return nil
		case !c.Measured:
			return atItsSize(o, c, rows)
		}
		n := max(1, o.About(c.Other.Mode).Reading.N)
		return &Baseline{Name: c.Name, Mean: tegra.Mean{Measured: c.Other.Measured, N: n},
			Error: ErrorsOf(c.Other.Setting, n, rows)}
	}
	a.Error, a.Before = ErrorsOf(a.Setting, a.Reading.N, rows), read(a.Versus.Present)
	var best tegra.Measured
	for i := range a.Versus.Presets {
		c := &a.Versus.Presets[i]
		b, value := read(c), worst(c.Other)
		if b != nil {
			value = b.Measured
		}
		if a.Limit.Met(value) && (best.TimeMS == 0 || a.Limit.Better(value, best)) {
			best, a.Preset = value, b
		}
	}
	if a.Preset != nil && a.Before != nil && a.Preset.Setting == a.Before.Setting {
		a.Preset = nil
	}
	for _, p := range presets {
		if a.Preset != nil && p.Name == a.Preset.Name {
			a.Preset.Name = MeasuredAs(p)
		}
	}
	a.Compared()
	a.Guessed()
}

// worst returns the slow and hungry ends of a prediction's bands.
func worst(p learn.Prediction) tegra.Measured {
	m := p.Measured
	m.TimeMS, m.PowerW = p.TimeHiMS, p.PowerHiW
	return m
}

// atItsSize returns the first measurement of a mode at a batch size other than the answer's, as a search uses it for a
// baseline: the present mode at the workload's usual size. nil if there is none, or the size is not searched.
func atItsSize(o *outlook.Outlook, c *outlook.Comparison, rows []record.Row) *Baseline {
	if !o.Several() {
		return nil
	}
	for _, r := range rows {
		if m, known := o.Readings()[r.Setting]; known && r.Mode == c.Other.Mode {
			return &Baseline{Name: c.Name, Mean: m, Error: ErrorsOf(r.Setting, m.N, rows)}
		}
	}
	return nil
}

// asClocks ends the name of a preset that was measured by its cores and clocks alone.
const asClocks = "'s clocks"

// MeasuredAs returns the name of a preset as measured: a preset that needs a reboot is measured by its cores and clocks
// alone.
func MeasuredAs(p tegra.Preset) string {
	if p.NeedsReboot {
		return p.Name + asClocks
	}
	return p.Name
}

// Read returns the measurement, even a doubtful one (an unrepeated outlier, for which the prediction counts); absent if
// nothing was measured.
func (a Answer) Read() tegra.Val[tegra.Measured] {
	if a.Measured() {
		return tegra.Some(a.Reading.Measured)
	}
	return a.Doubted
}

// Trial is what a setting did with requests at the requested rate, or with those that a server's users sent.
type Trial struct {
	tegra.Setting
	N         int                // readings averaged
	Serving   record.Served      // zero: no requests were answered
	MeanW     tegra.Val[float64] // idle time between requests included
	LatencyMS tegra.Val[float64] // at the quantile, from the scheduled arrival; absent with too few requests
	Why       string             // why it misses the limits; "" if it meets them
	Unsure    string             // why that is unknown; "" if it is known
	Users     bool               // the requests came from a server's users
	Dir       string             // campaign folder; "" if no requests were awaited
}

// Meets reports whether the setting meets the limits, as far as is known.
func (t Trial) Meets() bool { return t.Why == "" }

// Verdict returns what the requests say of the limits.
func (t Trial) Verdict() standing.Verdict {
	if t.Meets() {
		return standing.Keeps
	}
	return standing.Exceeds
}

// Remark returns why the setting misses the limits, or why that is unknown; "" if it meets them.
func (t Trial) Remark() string { return cmp.Or(t.Why, t.Unsure) }

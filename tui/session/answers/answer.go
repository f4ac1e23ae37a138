// Package answers holds what a search, or a model, answers to a limit. Commands print an answer, screens draw it, and
// it marshals itself.
package answers

import (
	"cmp"
	"time"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry/hold"
)

// Answer is the setting that was found for a limit, and what is known of it.
type Answer struct {
	tegra.Setting
	outlook.About                     // its prediction, without a time where there is none, and its reading
	Device        string              // the board; "" where it is not known
	Virtual       bool                // which is simulated
	Workload      string              // "" where it is not known
	Limit         optimize.Limit      // that it is the answer to
	Ask           mix.Ask             // with the load, where there is one
	Standing      optimize.Standing   // where it stands against Limit
	Feasible      bool                // false: it is the nearest
	Verified      bool                // it was measured twice
	Versus        outlook.Comparisons // empty where no model could be fitted
	Error         Errors              // of its reading
	Before        *Baseline           // the mode that the board was in; nil where it was not measured
	Preset        *Baseline           // the vendor's best preset for the goal; nil where none was measured
	Gain          *Gain               // over one of them; nil where no baseline is known
	Served        *mix.Outcome        // under the load of Ask; nil without one
	Serving       *record.Served      // what inference did in it, by its newest reading; nil for training
	Trial         *Trial              // what it did with requests; nil where that was not tried
	Training      *outlook.Projection // whole ones; nil where they are not asked for
	Probes        []optimize.Probe    // of its search; nil: it was chosen from a model
	Ended         optimize.Ended      // how the search did
	Took          time.Duration       // device time of the search
	Soak          *hold.Result        `toml:"-"` // its proof, which has a folder of its own; nil without one
}

// Chosen is setting number at of an outlook as the answer to a limit, feasible or only the nearest. rows are those that
// its readings were made of, as far as they are known: how sure a gain is follows from them, as it does in a search.
func Chosen(o *outlook.Outlook, at int, l optimize.Limit, presets []tegra.Preset, present tegra.Setup,
	rows []record.Row, feasible bool) Answer {
	of := o.Model.Provenance
	a := Answer{Setting: o.Predicted[at].Setting, About: o.At(at), Device: of.Device, Virtual: of.Virtual,
		Workload: of.Workload, Limit: l, Feasible: feasible, Standing: o.Standing(at, l),
		Versus: o.Compare(at, presets, present)}
	a.fromReadings(o, presets, rows)
	return a
}

// Under is an answer as one to a load, with what it does under it and where that stands.
func (a Answer) Under(ask mix.Ask, found mix.Outcome, s optimize.Standing) Answer {
	a.Ask, a.Served, a.Standing, a.Gain = ask, &found, s, nil
	a.Compared()
	a.Guessed()
	return a
}

// fromReadings takes what was measured of the modes that the answer is compared with for its baselines.
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
	for i := range a.Versus.Presets {
		b := read(&a.Versus.Presets[i])
		if b != nil && (a.Before == nil || b.Setting != a.Before.Setting) && a.Limit.Met(b.Measured) &&
			(a.Preset == nil || a.Limit.Better(b.Measured, a.Preset.Measured)) {
			a.Preset = b
		}
	}
	for _, p := range presets {
		if a.Preset != nil && p.Name == a.Preset.Name {
			a.Preset.Name = MeasuredAs(p)
		}
	}
	a.Compared()
	a.Guessed()
}

// atItsSize is what was measured first of a mode at another batch size than the answer's, which a search takes for a
// baseline: the present mode at the workload's usual size. nil where nothing was, or the size is not searched.
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

// MeasuredAs is the name of a preset as it was measured: one that needs a reboot by its cores and clocks alone.
func MeasuredAs(p tegra.Preset) string {
	if p.NeedsReboot {
		return p.Name + "'s clocks"
	}
	return p.Name
}

// Read is what was measured of the setting, also where it is in doubt, as it disagrees with all others and was not
// repeated: then the prediction counts. Absent where nothing was measured.
func (a Answer) Read() tegra.Val[tegra.Measured] {
	if a.Measured() {
		return tegra.Some(a.Reading.Measured)
	}
	return a.Doubted
}

// Saves is the saving against the mode that the board was in, or against MAXN where that is
// not known; absent where neither is, or the board was in the answer itself.
func (a Answer) Saves() (outlook.Comparison, bool) {
	for _, c := range []*outlook.Comparison{a.Versus.Present, a.Versus.MaxN} {
		if c != nil {
			out := *c
			for _, same := range a.Versus.Distinct() {
				if same.Other.Mode == c.Other.Mode {
					out.Name = same.Name
				}
			}
			return out, c.Other.Mode != a.Mode
		}
	}
	return outlook.Comparison{}, false
}

// Trial is what a setting did when requests came at the requested rate, or as the users of a server sent them.
type Trial struct {
	tegra.Setting
	N         int // readings, of which the mean counts
	Serving   *record.Served
	MeanW     tegra.Val[float64] // waiting included
	LatencyMS tegra.Val[float64] // at the quantile, from the scheduled arrival; absent with too few requests for it
	Why       string             // why it does not meet the limits; "" where it does
	Unsure    string             // why that is not known; "" where it is
	Users     bool               // the requests were those of a server's users
	Dir       string             // the campaign folder; "" where no requests were waited for
}

// Meets reports whether it does, as far as it is known.
func (t Trial) Meets() bool { return t.Why == "" }

// Remark is why it does not meet the limits, or why that is not known; "" where it does.
func (t Trial) Remark() string { return cmp.Or(t.Why, t.Unsure) }

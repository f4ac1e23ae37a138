package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tui/export"
	"jtune/tui/session"
)

// answerJSON is `jtune tune --json` and `jtune choose --json`.
type answerJSON struct {
	Device      *string       `json:"device"`
	Virtual     bool          `json:"virtual"`
	Workload    *string       `json:"workload"`
	Limit       any           `json:"limit"`
	Mode        *modeJSON     `json:"mode"`
	Predicted   *bandsJSON    `json:"predicted"`
	Measured    *measuredJSON `json:"measured"`
	Feasible    bool          `json:"feasible"`
	Probes      []probeJSON   `json:"probes"`
	ProfilingS  number        `json:"profiling_s"`
	Versus      versusJSON    `json:"versus"`
	export.Size               // of the answer, where the size of a minibatch is an input
}

type probeJSON struct {
	Mode   modeJSON     `json:"mode"`
	TimeMS number       `json:"time_ms"`
	PowerW number       `json:"power_w"`
	Why    optimize.Why `json:"why"`
	export.Size
}

type versusJSON struct {
	MaxN    *comparisonJSON  `json:"maxn"`
	Present *comparisonJSON  `json:"present"`
	Presets []comparisonJSON `json:"presets"`
}

// comparisonJSON is another mode; the percentages say how the answer differs.
type comparisonJSON struct {
	ID        *int     `json:"id"`
	Name      string   `json:"name"`
	Mode      modeJSON `json:"mode"`
	TimeMS    number   `json:"time_ms"`
	PowerW    number   `json:"power_w"`
	EnergyJ   number   `json:"energy_j"`
	Measured  bool     `json:"measured"`
	TimePct   number   `json:"time_pct"`
	PowerPct  number   `json:"power_pct"`
	EnergyPct number   `json:"energy_pct"`
	export.Size
}

func toVersusJSON(v session.Versus) versusJSON {
	out := versusJSON{MaxN: toComparisonJSON(v.MaxN), Present: toComparisonJSON(v.Present), Presets: []comparisonJSON{}}
	for i := range v.Presets {
		out.Presets = append(out.Presets, *toComparisonJSON(&v.Presets[i]))
	}
	return out
}

func toComparisonJSON(c *session.Comparison) *comparisonJSON {
	if c == nil {
		return nil
	}
	out := comparisonJSON{Name: c.Name, Mode: export.ModeOf(c.Mode), TimeMS: number(c.TimeMS), PowerW: number(c.PowerW), EnergyJ: number(c.TimeMS * c.PowerW / 1000),
		Measured: c.Measured, TimePct: number(c.TimePct), PowerPct: number(c.PowerPct), EnergyPct: number(c.EnergyPct),
		Size: export.SizeOf(optimize.Point{Batch: c.Batch, TimeMS: c.TimeMS})}
	if c.ID.OK {
		out.ID = &c.ID.V
	}
	return &out
}

// limitPart is one limit in JSON.
type limitPart struct {
	Kind     string   `json:"kind"`
	ValueW   *float64 `json:"value_w,omitempty"`
	ValueMS  *float64 `json:"value_ms,omitempty"`
	ValuePct *float64 `json:"value_pct,omitempty"`
}

// limitJSON gives one object, or an array when several limits hold at once.
func limitJSON(l optimize.Limit) any {
	var parts []limitPart
	if l.PowerW > 0 {
		parts = append(parts, limitPart{Kind: "power", ValueW: &l.PowerW})
	}
	if l.TimeMS > 0 {
		parts = append(parts, limitPart{Kind: "time", ValueMS: &l.TimeMS})
	}
	if l.Energy {
		parts = append(parts, limitPart{Kind: "energy"})
	}
	if l.MaxSlowdownPct > 0 {
		parts = append(parts, limitPart{Kind: "max_slowdown", ValuePct: &l.MaxSlowdownPct})
	}
	if l.Throughput {
		parts = append(parts, limitPart{Kind: "throughput"})
	}
	if l.Knee {
		parts = append(parts, limitPart{Kind: "knee"})
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return parts
}

// limitFlags are the ways to say what is wanted.
type limitFlags struct {
	power, time, slowdown float64
	energy, knee          bool
	throughput            bool
}

// limit checks the flags that were given and makes a limit of them.
func (f limitFlags) limit(given func(name string) bool) (optimize.Limit, error) {
	for _, v := range []struct {
		flag  string
		value float64
	}{{"power-limit", f.power}, {"time-limit", f.time}, {"max-slowdown", f.slowdown}} {
		if given(v.flag) && (!(v.value > 0) || math.IsInf(v.value, 0)) {
			return optimize.Limit{}, usagef("--%s %g: must be a positive number", v.flag, v.value)
		}
	}
	l := optimize.Limit{PowerW: f.power, TimeMS: f.time, Energy: f.energy, MaxSlowdownPct: f.slowdown, Knee: f.knee, Throughput: f.throughput}
	if l == (optimize.Limit{}) {
		return l, usagef("what is wanted? give --power-limit W, --time-limit MS, both, or --energy")
	}
	if (l.Energy || l.Knee || l.MaxSlowdownPct > 0) && (l.PowerW > 0 || l.TimeMS > 0) {
		return l, usagef("--power-limit and --time-limit may be given together, but not with --energy, --knee or --max-slowdown")
	}
	if err := l.Check(); err != nil {
		return l, usagef("%v", err)
	}
	return l, nil
}

// answer is a chosen mode with all that is to be told of it.
type answer struct {
	space     *tegra.Space
	mode      tegra.Mode
	batch     int    // samples per minibatch, where that is an input
	origin    string // "" for measurements of a real board
	predicted *learn.Prediction
	measured  *tegra.Measured
	// suspicious: the measurement disagrees with all others and was not repeated,
	// the prediction counts.
	suspicious bool
	feasible   bool
	versus     session.Versus
	advice     []string
}

// size is that of the answer's minibatch, with the measured time per sample, or
// the predicted one.
func (x answer) size() export.Size {
	p := optimize.Point{Batch: x.batch}
	switch {
	case x.measured != nil && !x.suspicious:
		p.TimeMS = x.measured.TimeMS
	case x.predicted != nil:
		p.TimeMS = x.predicted.TimeMS
	}
	return export.SizeOf(p)
}

// energyJ is that of a minibatch as it was measured, else as it is predicted.
func (x answer) energyJ() float64 {
	switch {
	case x.measured != nil && !x.suspicious:
		return x.measured.EnergyJ()
	case x.predicted != nil:
		return x.predicted.EnergyJ()
	}
	return math.NaN()
}

// print tells an answer in words.
func (x answer) print(w io.Writer) error {
	var rows [][]string
	if x.batch > 0 {
		fmt.Fprintf(w, "%s with minibatches of %d%s\n", x.space.Format(x.mode), x.batch, x.origin)
		s := x.size()
		rows = append(rows, []string{"per sample", figures.Of(float64(s.SampleMS)) + " ms", fmt.Sprintf("(%s samples per second)", figures.Of(1000/float64(s.SampleMS))), "", "", figures.Of(x.energyJ()/float64(x.batch)) + " J"})
	} else {
		fmt.Fprintln(w, x.space.Format(x.mode)+x.origin)
	}
	if p := x.predicted; p != nil {
		rows = append(rows, []string{"predicted", figures.Of(p.TimeMS) + " ms", "(" + between(p.TimeLoMS, p.TimeHiMS) + ")", figures.Of(p.PowerW) + " W", "(" + between(p.PowerLoW, p.PowerHiW) + ")", figures.Of(p.EnergyJ()) + " J"})
	}
	if m := x.measured; m != nil {
		name := "measured"
		if x.suspicious {
			name = "measured, in doubt"
		}
		rows = append(rows, []string{name, figures.Of(m.TimeMS) + " ms", "", figures.Of(m.PowerW) + " W", "", figures.Of(m.EnergyJ()) + " J"})
	}
	for _, c := range x.comparisons() {
		rows = append(rows, []string{"against " + c.Name, change(c.TimePct) + " time", "", change(c.PowerPct) + " power", "", change(c.EnergyPct) + " energy"})
	}
	if !x.feasible {
		rows = append(rows, []string{"does not meet the limit: the nearest there is"})
	}
	if err := table(w, rows...); err != nil {
		return err
	}
	return printAdvice(w, x.advice)
}

// printAdvice prints sentences below a table.
func printAdvice(w io.Writer, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, "\n"+strings.Join(lines, "\n"))
	return err
}

// comparisons lists the other modes, each once under all of its names: a
// preset may be MAXN itself, and the board may be in it.
func (x answer) comparisons() []session.Comparison {
	var out []session.Comparison
	add := func(c session.Comparison) {
		i := slices.IndexFunc(out, func(o session.Comparison) bool { return o.Mode == c.Mode })
		switch {
		case i < 0:
			out = append(out, c)
		case !slices.Contains(strings.Split(out[i].Name, sameAs), c.Name):
			out[i].Name += sameAs + c.Name
		}
	}
	for _, c := range []*session.Comparison{x.versus.MaxN, x.versus.Present} {
		if c != nil {
			add(*c)
		}
	}
	for _, c := range x.versus.Presets {
		add(c)
	}
	return out
}

// sameAs joins the names of one mode.
const sameAs = " = "

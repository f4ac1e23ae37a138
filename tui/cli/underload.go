package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session/measure"
	"jtune/tui/session/plots"
	"jtune/tui/session/search"
	"jtune/tui/session/workloads"
)

// servingFlagNames are those of servingFlags.
var servingFlagNames = []string{"rate", "arrivals", "outstanding", "latency", "quantile", "max-wait", "power-as",
	"idle-power"}

// servingFlags adds the flags of a load.
func servingFlags(f *pflag.FlagSet, v *arrivals.Spec) {
	f.Float64Var(&v.RatePerS, "rate", 0, "inference under a load of `R` requests per second (without: a closed loop)")
	f.StringVar(&v.Arrivals, "arrivals", "", "how they arrive: uniform, poisson (default with --rate), closed, a "+
		"scenario of MLPerf, or a `FILE` of seconds")
	countFlag(f, &v.Outstanding, "outstanding", "a closed loop with `N` requests outstanding (default 1)")
	f.Float64Var(&v.LatencyMS, "latency", 0, "limit of `MS` milliseconds from a request's arrival to its answer, "+
		"at --quantile")
	f.Float64Var(&v.Quantile, "quantile", 0.99, "share `Q` of the requests that keep --latency")
	f.Float64Var(&v.MaxWaitMS, "max-wait", 0, "a batch that is not full leaves `MS` milliseconds after its first "+
		"request "+
		"(default: when it is full)")
	f.StringVar(&v.PowerAs, "power-as", "peak", "--power-limit is on the peak of a batch, or on the mean with "+
		"waiting: peak or mean")
	f.Float64Var(&v.IdleW, "idle-power", 0, "module power of the board while it waits, in `W` watts, for mean power and "+
		"energy per request")
}

// limitLine is the value of --limit: limits and a load in one line, as the Tune dialog takes them.
type limitLine struct {
	text string
	to   func(mix.Goal)
}

func (l *limitLine) String() string { return l.text }
func (l *limitLine) Type() string   { return "limits such as " + mix.GoalForm }

func (l *limitLine) Set(text string) error {
	a, err := mix.ParseGoal(text)
	if err == nil {
		l.text = text
		l.to(a)
	}
	return err
}

// limitFlag adds --limit, which sets a load and hands the limits on.
func limitFlag(f *pflag.FlagSet, v *arrivals.Spec, limits func(optimize.Limit)) {
	f.Var(&limitLine{to: func(a mix.Goal) {
		if a.Loaded() {
			*v = a.Load
		}
		limits(a.Limit)
	}}, "limit", "limits and a load in one `LINE`, such as \""+mix.GoalForm+"\": watts, p99 of the latency, requests")
}

// underLoad reports whether a flag of a load was given, and checks the values.
func underLoad(v arrivals.Spec, given func(name string) bool) (bool, error) {
	any := false
	for _, name := range servingFlagNames {
		any = any || given(name)
	}
	any = any || given("limit") && (v.RatePerS > 0 || v.LatencyMS > 0)
	for _, c := range []struct {
		flag  string
		value float64
	}{{"rate", v.RatePerS}, {"latency", v.LatencyMS}, {"quantile", v.Quantile}, {"max-wait", v.MaxWaitMS},
		{"idle-power", v.IdleW}} {
		if given(c.flag) && (!(c.value > 0) || math.IsInf(c.value, 0)) {
			return any, usagef("--%s %g: must be a positive number", c.flag, c.value)
		}
	}
	return any, nil
}

// withConfigured takes what no flag gives, nor a line of --limit, from the workload's own load and limit, and reports
// whether there is a load or a latency limit at all.
func withConfigured(v arrivals.Spec, w workload.Workload, given func(name string) bool) (arrivals.Spec, bool) {
	own, configured := workloads.ServingOf(w)
	if !configured {
		return v, false
	}
	return v.Configured(own, func(name string) bool { return given(name) || given("limit") && v.Gives(name) }), true
}

// servedJSON is what a setting does under a load.
type servedJSON struct {
	ServedPerS float64            `json:"served_per_s"`
	LatencyMS  tegra.Val[float64] `json:"latency_ms"` // at the quantile; null where the queue only grows
	Quantile   float64            `json:"quantile"`
	RatePerS   tegra.Val[float64] `json:"rate_per_s"` // null in a closed loop
	Arrivals   string             `json:"arrivals"`
	PeakW      float64            `json:"peak_w"`
	MeanW      tegra.Val[float64] `json:"mean_w"` // null where the idle power is not known
	UnitJ      tegra.Val[float64] `json:"unit_j"`
	BusyUnitJ  float64            `json:"busy_unit_j"`
	BusyShare  float64            `json:"busy_share"`
	IdleShare  float64            `json:"idle_share"`
	Meets      bool               `json:"meets"`
	Why        text.Optional      `json:"why"`
}

func toServedJSON(a mix.Ask, o mix.Outcome) *servedJSON {
	out := &servedJSON{ServedPerS: o.ServedPerS, LatencyMS: tegra.Finite(o.LatencyMS), Quantile: a.Quantile,
		PeakW: o.PeakW, Arrivals: string(arrivals.Closed), MeanW: tegra.Finite(o.MeanW),
		UnitJ: tegra.Finite(o.JPerUnit), BusyUnitJ: o.BusyJPerUnit, BusyShare: min(o.Rho, 1),
		IdleShare: o.IdleShare, Meets: o.Meets, Why: text.Optional(o.Why())}
	if a.Load.Open() {
		out.RatePerS, out.Arrivals = tegra.Some(a.Load.MeanRate()), string(a.Load.Pattern)
	}
	return out
}

// servedLimitJSON is the limit of an ask.
func servedLimitJSON(a mix.Ask, l optimize.Limit) any {
	var parts []any
	switch one := limitJSON(l).(type) {
	case []map[string]any:
		for _, p := range one {
			parts = append(parts, p)
		}
	default:
		parts = append(parts, one)
	}
	if a.LatencyMS > 0 {
		p := map[string]any{"kind": "latency", "value_ms": a.LatencyMS, "quantile": a.Quantile, "rate_per_s": nil}
		if a.Load.Open() {
			p["rate_per_s"] = a.Load.MeanRate()
		}
		parts = append(parts, p)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return parts
}

// servedRows are the lines of an answer about the load.
func servedRows(a mix.Ask, o mix.Outcome) [][]string {
	mean, energy := "", text.Of(o.BusyJPerUnit)+" J per request (serving)"
	if !math.IsNaN(o.MeanW) {
		mean = text.Of(o.MeanW) + " W mean"
	}
	if !math.IsNaN(o.JPerUnit) {
		energy = text.Of(o.JPerUnit) + " J per request"
	}
	late := "the queue only grows"
	if !math.IsInf(o.LatencyMS, 1) {
		late = fmt.Sprintf("p%.4g %s ms", 100*a.Quantile, text.Of(o.LatencyMS))
	}
	rows := [][]string{{"under " + a.Load.String(), late,
		fmt.Sprintf("(%s served per second, busy %.0f %%)", text.Of(o.ServedPerS), 100*min(o.Rho, 1)),
		text.Of(o.PeakW) + " W peak", mean, energy}}
	if why := o.Why(); why != "" {
		rows = append(rows, []string{"", why})
	}
	return rows
}

// sentJSON is what happened with real requests at the rate.
type sentJSON struct {
	Requests   int                `json:"requests"`
	LatencyMS  tegra.Val[float64] `json:"latency_ms"` // at the quantile; null with too few requests
	Quantile   float64            `json:"quantile"`
	RatePerS   tegra.Val[float64] `json:"rate_per_s"` // null of those of users
	ServedPerS tegra.Val[float64] `json:"units_served_per_s"`
	MeanW      tegra.Val[float64] `json:"mean_w"` // waiting included
	UnitJ      tegra.Val[float64] `json:"unit_j"`
	Meets      tegra.Val[bool]    `json:"meets"` // null where it is not known
	Why        text.Optional      `json:"why"`
}

// toSentJSON is nil where no requests were sent.
func toSentJSON(a mix.Ask, s *measure.Sent) *sentJSON {
	if s == nil {
		return nil
	}
	out := &sentJSON{LatencyMS: s.LatencyMS, Quantile: a.Quantile, MeanW: s.MeanW,
		Why:      text.Optional(search.Remark(*s)),
		RatePerS: tegra.Val[float64]{V: a.Load.MeanRate(), OK: a.Load.Open()},
		Meets:    tegra.Val[bool]{V: s.Meets(), OK: s.Why != "" || s.Unsure == ""}}
	if v := s.Serving; v != nil {
		out.Requests, out.ServedPerS, out.UnitJ = v.Requests, v.ServedPerS, v.UnitJ
	}
	return out
}

// sentRow is the line of an answer about the requests that were sent.
func sentRow(a mix.Ask, s measure.Sent) []string {
	name := "with real requests"
	if s.Users {
		name = "with its users"
	}
	if s.Serving == nil {
		return []string{name, search.Remark(s)}
	}
	late := fmt.Sprintf("p%.4g n/a", 100*a.Quantile)
	if s.LatencyMS.OK {
		late = fmt.Sprintf("p%.4g %s ms", 100*a.Quantile, text.Of(s.LatencyMS.V))
	}
	how := text.Thousands(s.Serving.Requests) + " requests"
	if a.Load.Open() {
		how += " at " + a.Load.String()
	}
	return []string{name, late, "(" + how + ")", dash(s.MeanW, "%.4g W mean"), search.Remark(s),
		dash(s.Serving.UnitJ, "%.4g J per "+s.Serving.Unit)}
}

// servingRows are the lines of an answer about what inference did in its mode: all of it, and each phase.
func servingRows(v *record.Serving) [][]string {
	if v == nil {
		return nil
	}
	line := func(name string, perS, watts, unitJ tegra.Val[float64]) []string {
		power := ""
		if watts.OK {
			power = text.Of(watts.V) + " W"
		}
		return []string{name, unitsPerS(perS, v.Unit), "", power, "", dash(unitJ, "%.4g J per "+v.Unit)}
	}
	rows := [][]string{line("serving", v.PerS, tegra.Val[float64]{}, v.UnitJ)}
	for _, p := range v.Phases {
		rows = append(rows, line(p.Phase, p.PerS, p.PowerW, p.UnitJ))
	}
	return rows
}

// underLoad is choose under a load.
func (c *chooseCmd) underLoad(m *learn.Model) error {
	ask, err := c.goal.Ask(c.options.Seed)
	if err != nil {
		return err
	}
	list, err := c.modelSettings(m)
	if err != nil {
		return err
	}
	o := outlook.OutlookOf(m, list)
	service := serving.Under(o, ask)
	found, at, err := service.Answer()
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	c.doubts(m)
	plain := optimize.Limit{PowerW: c.goal.Limit.PowerW, TimeMS: c.goal.Limit.TimeMS, Margin: c.goal.Limit.Margin}
	x := c.chosen(m, o, at, plain, err == nil)
	x.served, x.ask, x.standing = &found, ask, service.Standing(found.Setting)
	if !c.asJSON {
		return errors.Join(err, x.print(c.out))
	}
	return errors.Join(err, printJSON(c.out, answerOf(x, m, c.goal.Limit)))
}

// underLoad is front under a load.
func (c *frontCmd) underLoad(o *outlook.Outlook) error {
	energy := c.y == "energy"
	ask, err := c.goal.Ask(c.options.Seed)
	if err != nil {
		return err
	}
	service := serving.Under(o, ask)
	list := service.Front(energy)
	standings := make([]optimize.Standing, len(list))
	for i := range list {
		standings[i] = service.Standing(list[i].Setting)
	}
	if len(list) == 0 {
		_, _, err := service.Answer()
		return err
	}
	if c.svg != "" {
		if err := writeFile(c.svg, export.FigureSVG(plots.Figure(service, list, energy))); err != nil {
			return err
		}
		if c.note("%s: the Pareto front of %s", c.svg, text.Count(len(list), "setting")); !c.asCSV && !c.asJSON {
			return nil
		}
	}
	if c.asCSV {
		return export.ServedCSV(c.out, ask, list, standings, o.Model.Provenance.Virtual)
	}
	type point struct {
		Mode    tegra.Mode `json:"mode"`
		Batch   int        `json:"batch"`
		TimeMS  float64    `json:"time_ms"`
		Virtual bool       `json:"virtual"`
		servedJSON
		export.Standing
	}
	points, rows := []point{}, [][]string{{"mode", "batch", fmt.Sprintf("p%.4g ms", 100*ask.Quantile), "W peak",
		"W mean", "J per request", "busy", ""}}
	for i, v := range list {
		points = append(points, point{v.Mode, v.Batch, v.TimeMS, o.Model.Provenance.Virtual, *toServedJSON(ask, v),
			export.StandingOf(standings[i])})
		p := points[len(points)-1]
		value := func(v tegra.Val[float64]) string {
			if !v.OK {
				return "n/a"
			}
			return text.Of(v.V)
		}
		rows = append(rows, []string{v.Mode.String(), fmt.Sprint(v.Batch), text.Of(v.LatencyMS), text.Of(v.PeakW),
			value(p.MeanW), value(p.UnitJ), fmt.Sprintf("%.0f %%", 100*p.BusyShare), standings[i].String()})
	}
	if c.asJSON {
		return printJSON(c.out, points)
	}
	fmt.Fprintln(c.out, strings.ToUpper(ask.Load.String()[:1])+ask.Load.String()[1:]+", predicted")
	return errors.Join(table(c.out, rows...), c.printOrigin(o.Model.Provenance.Origin()))
}

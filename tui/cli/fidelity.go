package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fidelity"
	"jtune/tui/session/lab/origin"
)

// fidelityCmd is `jtune lab fidelity`.
type fidelityCmd struct {
	*app
	Only   string
	Strict bool
	about  string        // the board that --device names; "": all
	fit    *fidelity.Fit // constants fitted to all figures; nil if only some figures are shown
}

func newFidelity(a *app) *cobra.Command {
	c := &fidelityCmd{app: a}
	return a.command("fidelity", nil, c.run, c)
}

func (c *fidelityCmd) check() (err error) {
	c.about, err = fidelityBoard(c.options.Device)
	return err
}

// fidelityBoard returns the board that --device names; "": all.
func fidelityBoard(device string) (string, error) {
	name, virtualBoard := strings.CutPrefix(device, "virtual:")
	switch {
	case device == "auto" || device == "all":
		return "", nil
	case !virtualBoard:
		return "", usagef("fidelity: --device %s: want all or virtual:NAME", device)
	case !slices.Contains(virtual.Names(), name):
		return "", fmt.Errorf("fidelity: %w: virtual:%s; there are virtual:%s", tegra.ErrNoDevice, name,
			strings.Join(virtual.Names(), ", virtual:"))
	}
	return name, nil
}

func (c *fidelityCmd) run(ctx context.Context) error {
	figures := slices.DeleteFunc(slices.Clone(fidelity.Figures()), func(f fidelity.Figure) bool {
		return c.about != "" && !f.About(c.about) || !strings.Contains(f.ID, c.Only)
	})
	switch {
	case len(figures) == 0 && c.Only == "":
		c.note("no published figure is about virtual:%s", c.about)
	case len(figures) == 0:
		return usagef("--only %s: no figure has that in its name; jtune lab fidelity lists them", c.Only)
	}
	results, err := fidelity.Evaluate(ctx, figures, c.options.Seed)
	if err != nil {
		return err
	}
	if len(results) == len(fidelity.Figures()) && !c.asCSV {
		all, err := fidelity.FitOf(c.options.Seed)
		if err != nil {
			return err
		}
		c.fit = &all
	}
	if err := c.print(results); err != nil || !c.Strict {
		return err
	}
	if lost := fidelity.Lost(results); len(lost) > 0 {
		return fmt.Errorf("fidelity: %d of the figures that held hold no more, %s first", len(lost), lost[0].ID)
	}
	return nil
}

// columns are the columns of `jtune lab fidelity`.
func (c *fidelityCmd) columns() report.Table[evidence.Result] {
	type r = evidence.Result
	most := func(x r) any { return tegra.Val[report.Exact]{V: report.Exact(x.Most), OK: x.Relation == "range"} }
	return report.Table[r]{
		{Key: "id", Title: "figure", Of: func(x r) any { return x.ID }},
		{Title: "source", Text: func(x r) string { return x.Study + " " + x.Where }},
		{Key: "source", Of: func(x r) any { return evidence.Studies[x.Study] }},
		{Key: "where", Of: func(x r) any { return x.Where }},
		{Key: "board", Title: "board", Form: report.CSV, Of: func(x r) any { return x.Place() }},
		{Key: "device", Form: report.JSON, Of: func(x r) any {
			return severalOf(x.Jobs, func(j evidence.Job) string { return j.Board })
		}},
		{Key: "workload", Form: report.JSON, Of: func(x r) any {
			return severalOf(x.Jobs, func(j evidence.Job) string { return j.Workload })
		}},
		{Key: "configuration", Form: report.JSON, Of: func(x r) any { return text.Optional(x.Item) }},
		{Key: "metric", Of: func(x r) any { return x.Metric }},
		{Key: "unit", Form: report.CSV, Of: func(x r) any { return x.Unit }},
		{Key: "relation", Form: report.CSV, Of: func(x r) any { return x.Relation }},
		{Key: "published", Of: func(x r) any { return report.Exact(x.Value) }},
		{Title: "published", Text: func(x r) string { return publishedText(x.Figure) }},
		{Key: "published_max", Of: most},
		{Key: "unit", Form: report.JSON, Of: func(x r) any { return x.Unit }},
		{Key: "relation", Form: report.JSON, Of: func(x r) any { return x.Relation }},
		{Key: "slack", Of: func(x r) any { return report.Exact(x.Slack(x.Value)) }},
		{Key: "simulated", Form: report.JSON, Of: func(x r) any { return listOf(x.Values) }},
		{Key: "simulated", Title: "simulated", Form: report.CSV, Of: exactValues, Text: simulatedText},
		{Key: "off", Title: "off", Of: func(x r) any {
			return tegra.Val[report.Exact]{V: report.Exact(x.Off), OK: !math.IsNaN(x.Off)}
		}, Text: func(x r) string { return dash(tegra.Val[float64]{V: x.Off, OK: !math.IsNaN(x.Off)}, "%.1f") }},
		{Key: "off_left_out", Form: report.JSON, Of: c.offLeftOut},
		{Key: "verdict", Title: "verdict", Of: func(x r) any { return x.Verdict }},
		{Key: "kind", Of: func(x r) any { return x.Kind }},
		{Key: "blind", Of: func(x r) any { return x.Blind() }}, // the tolerance is as large as the value
		{Key: "same_as", Of: func(x r) any { return text.Optional(x.SameAs) }},
		{Key: "note", Of: func(x r) any { return text.Optional(x.Why()) }},
		{Key: "virtual", Form: report.CSV, Of: func(x r) any { return x.Simulated }},
	}
}

// offLeftOut returns a figure's deviation when the constants are fitted without its fact.
func (c *fidelityCmd) offLeftOut(r evidence.Result) any {
	var off tegra.Val[float64]
	if c.fit != nil {
		off.V, off.OK = c.fit.Off[r.ID]
	}
	return off
}

// severalOf joins the distinct values of jobs; absent if there are none.
func severalOf(jobs []evidence.Job, of func(evidence.Job) string) text.Optional {
	var list []string
	for _, j := range jobs {
		if v := of(j); v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return text.Optional(strings.Join(list, " "))
}

// exactValues formats all values as one CSV cell.
func exactValues(r evidence.Result) any {
	var list []string
	for _, v := range r.Values {
		list = append(list, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return list
}

func (c *fidelityCmd) print(results []evidence.Result) error {
	if c.asCSV {
		return printTable(c.app, c.columns(), results)
	}
	var constants, leftOut any // null unless all figures are shown
	parts := []document.Part{c.columns().Document(results), document.Break{}}
	parts = append(append(parts, linesOf(reasons(results)...)...), document.Break{}, fidelitySums(results))
	if c.fit != nil {
		constants, leftOut = c.fit.Constants, c.fit.LeftOut
		parts = append(parts, c.fitted(results)...)
	}
	if blind := blindFigures(results); blind != nil {
		parts = append(parts, document.Text("the tolerance is as large as the value, so that no effect at all would "+
			"be within: "+strings.Join(blind, ", ")))
	}
	return c.show(report.Object{{"virtual", true}, {"figures", c.columns().Objects(results)},
		{"summary", evidence.Summary(results)}, {"constants", constants}, {"left_out", leftOut}},
		append(parts, document.Line(fidelity.Simulation))...)
}

// fitted says what the constants were fitted to, and which of them neither published nor shared data determine.
func (c *fidelityCmd) fitted(results []evidence.Result) []document.Part {
	k, l := c.fit.Constants, c.fit.LeftOut
	list := []string{fmt.Sprintf("fitted: %d constants; %d of them (%.1f effective) to %d of these "+
		"figures, %d of them within; with each fact left out in turn and the constants fitted again to the others "+
		"(%d facts), %d of %d are within; the other %d, of inference, were chosen by the published savings as a "+
		"whole", k.Fitted, k.Fitted-k.Savings, k.Effective, k.Figures, k.Within, l.Facts, l.Within, l.Figures,
		k.Savings)}
	if leaning := leaningOnTheFit(results, c.fit); leaning != nil {
		list = append(list, "within only because they were fitted to, with their tolerances off "+
			"otherwise: "+strings.Join(leaning, ", "))
	}
	list = append(list, fmt.Sprintf("%d constants have neither a published figure nor a shared sweep behind them:",
		k.Unfounded))
	for _, o := range origin.Unfounded() {
		source := ""
		if o.Source != "" {
			source = " (" + o.Source + ")"
		}
		list = append(list, fmt.Sprintf("%s: %s, %s%s", strings.Join(o.Of, ", "), strings.Join(o.Fields, " "), o.Kind,
			source))
	}
	return textsOf(list...)
}

// blindFigures lists the figures whose tolerance is so wide that any small value would be within it.
func blindFigures(results []evidence.Result) (out []string) {
	for _, r := range results {
		if r.Blind() {
			out = append(out, fmt.Sprintf("%s (%s %s)", r.ID, publishedText(r.Figure), toleranceText(r)))
		}
	}
	return out
}

// reasons explains results that do not hold, and proxies.
func reasons(results []evidence.Result) (list []string) {
	for _, r := range results {
		if why := r.Why(); why != "" {
			list = append(list, fmt.Sprintf("%s, %s: %s", r.ID, r.Verdict, why))
		}
	}
	return list
}

// leaningOnTheFit lists the figures that are within tolerance only if the constants were fitted to their fact too.
func leaningOnTheFit(results []evidence.Result, fit *fidelity.Fit) (out []string) {
	for _, r := range results {
		if off := fit.Off[r.ID]; r.Verdict == evidence.Within && off > 1 {
			out = append(out, fmt.Sprintf("%s (%.2f)", r.ID, off))
		}
	}
	return out
}

func publishedText(f evidence.Figure) string {
	relation := map[string]string{"lt": "< ", "le": "≤ ", "gt": "> ", "ge": "≥ ", "approx": "~ "}[f.Relation]
	value := evidence.Number(f.Value)
	if f.Relation == "range" {
		value += " to " + evidence.Number(f.Most)
	}
	return strings.TrimSpace(relation + value + " " + f.Unit)
}

// toleranceText formats the tolerance.
func toleranceText(r evidence.Result) string {
	if r.Tolerance == 0 {
		return "exact"
	}
	return "± " + evidence.Number(r.Slack(r.Value))
}

// simulatedText formats one value, or the minimum and maximum of several.
func simulatedText(r evidence.Result) string {
	switch n := len(r.Values); {
	case n == 0:
		return "–"
	case slices.Min(r.Values) == slices.Max(r.Values):
		return evidence.Number(r.Values[0])
	default:
		return evidence.Number(slices.Min(r.Values)) + " to " + evidence.Number(slices.Max(r.Values))
	}
}

// fidelitySums returns the counts per board and in total.
func fidelitySums(results []evidence.Result) document.Table {
	sums := evidence.Summary(results)
	places := slices.DeleteFunc(append(virtual.Names(), evidence.Several, evidence.Other, evidence.All),
		func(place string) bool { _, counted := sums[place]; return !counted })
	column := func(title string, keys ...string) report.Column[string] {
		return report.Column[string]{Title: title, Text: func(place string) string {
			var n []string
			for _, key := range keys {
				n = append(n, strconv.Itoa(sums[place][key]))
			}
			return strings.Join(n, " of ")
		}}
	}
	for _, c := range sums {
		c["facts"] = c["simulated"] - c["restatements"]
	}
	return report.Table[string]{
		{Title: "board", Text: func(place string) string { return place }},
		column("figures", evidence.Total), column("hold", evidence.Hold), column("simulated", "simulated"),
		column("within", "within"), column("each fact once", "once_within", "facts"), column("near", "near"),
		column("outside", "outside"), column("proxies within", "proxies_within", "proxies"),
		column("settings", "settings"), column("stated", "stated"), column("contradictory", "contradictory"),
		column("not simulated", "not_simulated"),
	}.Document(places)
}

package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session/lab/claims"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/reproduce"
)

// reproduceCmd is `jtune lab reproduce`.
type reproduceCmd struct {
	*app
	reproduce.Options
	SVG              string
	Claims, Plot, MD bool
}

func newReproduce(a *app) *cobra.Command {
	x := &reproduceCmd{app: a}
	c := a.command("reproduce", cobra.MaximumNArgs(1), x.run, x)
	c.ValidArgs = append([]string{"all"}, studyNames()...)
	return c
}

// studyList lists the studies for the command's help.
func studyList() string {
	var lines []string
	for _, s := range reproduce.Studies {
		lines = append(lines, fmt.Sprintf("  %-17s %s", s.Name, s.Title))
	}
	return strings.Join(lines, "\n")
}

func studyNames() (names []string) {
	for _, s := range reproduce.Studies {
		names = append(names, s.Name)
	}
	return names
}

func (c *reproduceCmd) check() error {
	if len(c.args) > 0 && c.args[0] != "all" {
		if _, ok := reproduce.Find(c.args[0]); !ok {
			return usagef("reproduce %s: no such study; there are %s, all", c.args[0], strings.Join(studyNames(), ", "))
		}
		c.Studies = c.args
	}
	if c.Sweeps != "" {
		if info, err := os.Stat(c.Sweeps); err != nil || !info.IsDir() {
			return usagef("--sweeps %s: is no folder", c.Sweeps)
		}
	}
	return nil
}

func (c *reproduceCmd) run(ctx context.Context) error {
	c.Seed = c.options.Seed
	c.Progress = func(done, total int, study string) { c.note("%d of %d: %s", done+1, total, study) }
	if c.Claims {
		judged, err := claims.Ledger(ctx, c.Options)
		if err != nil {
			return err
		}
		return c.printClaims(judged)
	}
	reports, err := reproduce.Run(ctx, c.Options)
	if err != nil {
		return err
	}
	var drawn []figure.Figure
	var all []evidence.Result
	for _, r := range reports {
		drawn, all = append(drawn, r.Drawn...), append(all, r.Results...)
	}
	if err := drawFigures(c.app, c.SVG, drawn); err != nil {
		return err
	}
	if !words(c.app) {
		return printTable(c.app, studyColumns(), all)
	}
	if !c.MD {
		return c.app.print(append(c.studies(reports), document.Break{}, document.Text(c.sum(all)))...)
	}
	page, err := c.page(ctx, reports, all)
	if err == nil {
		c.asFile = true
		_, err = fmt.Fprint(c.out, export.DocumentMarkdown(page))
	}
	return err
}

// studyColumns are the columns of `jtune lab reproduce`.
func studyColumns() report.Table[evidence.Result] {
	type r = evidence.Result
	own := func(x r) any { return tegra.Val[report.Exact]{V: report.Exact(x.Worst()), OK: !math.IsNaN(x.Worst())} }
	most := func(x r) any { return tegra.Val[report.Exact]{V: report.Exact(x.Most), OK: x.Relation == "range"} }
	return report.Table[r]{
		{Title: "result", Text: func(x r) string { return x.ID }},
		{Key: "study", Of: func(x r) any { return x.Group }},
		{Key: "item", Title: "item", Of: func(x r) any { return x.Item }},
		{Key: "id", Of: func(x r) any { return x.ID }},
		{Key: "source", Form: report.JSON, Of: func(x r) any { return evidence.Studies[x.Study] }},
		{Key: "where", Form: report.JSON, Of: func(x r) any { return x.Where }},
		{Key: "metric", Form: report.JSON, Of: func(x r) any { return x.Metric }},
		{Key: "own", Title: "own", Of: own, Text: ownText}, // the worst of values
		{Key: "values", Form: report.JSON, Of: func(x r) any { return listOf(x.Values) }},
		{Key: "published", Title: "published", Of: func(x r) any { return report.Exact(x.Value) },
			Text: func(x r) string { return publishedText(x.Figure) }},
		{Key: "published_max", Of: most},
		{Key: "unit", Of: func(x r) any { return x.Unit }},
		{Key: "relation", Of: func(x r) any { return x.Relation }},
		{Key: "samples", Title: "samples", Of: func(x r) any {
			return tegra.Val[int]{V: x.Samples, OK: x.Samples > 0} // number of modes that own is the median of
		}},
		{Key: "tolerance", Title: "tolerance", Of: func(x r) any { return report.Exact(x.Slack(x.Value)) },
			Text: toleranceText},
		{Key: "verdict", Title: "verdict", Of: func(x r) any { return x.Verdict },
			Text: func(x r) string { return joined(" ", x.Said(), simulatedMark(x.Simulated)) }},
		{Key: "side", Form: report.JSON, Of: func(x r) any { return text.Optional(x.Side()) }},
		{Key: "simulated", Of: func(x r) any { return x.Simulated }},
		{Key: "virtual", Of: func(x r) any { return x.Simulated }},
		{Key: "note", Title: "reason", Form: report.JSON, Of: func(x r) any { return text.Optional(x.Why()) },
			Text: func(x r) string { return x.Why() }},
	}
}

func ownText(r evidence.Result) string {
	w := r.Worst()
	if math.IsNaN(w) {
		return "–"
	}
	return strings.TrimSpace(evidence.Number(w) + " " + r.Unit)
}

func simulatedMark(simulated bool) string {
	if simulated {
		return "VIRTUAL"
	}
	return ""
}

// drawFigures writes figures as SVG files named by their kind; dir "" writes none.
func drawFigures(a *app, dir string, list []figure.Figure) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range list {
		path := filepath.Join(dir, f.Kind+".svg")
		if err := writeFile(path, export.FigureSVG(f)); err != nil {
			return err
		}
		a.note("%s: %s", path, f.Title)
	}
	return nil
}

// sum says how many results hold.
func (c *reproduceCmd) sum(all []evidence.Result) string {
	n, quick := evidence.Summary(all)[evidence.All], ""
	if c.Quick {
		quick = "; quick: one sample of modes, smaller references: no figures to quote"
	}
	return fmt.Sprintf("%d published results: %d hold, %d too good, %d near, %d outside, %d without an own value%s",
		len(all), n[evidence.Hold], n["better"], n["near"], n["outside"], n["contradictory"]+n["not_simulated"], quick)
}

// claimColumns are the columns of `jtune lab reproduce --claims`.
func claimColumns() report.Table[claims.Judged] {
	type j = claims.Judged
	return report.Table[j]{
		{Key: "id", Of: func(x j) any { return x.ID }},
		{Key: "claim", Of: func(x j) any { return x.Sentence }},
		{Key: "source", Of: func(x j) any { return evidence.Studies[x.Study] }},
		{Key: "where", Of: func(x j) any { return x.Where }},
		{Key: "outcome", Of: func(x j) any { return x.Outcome }},
		{Key: "holding", Of: func(x j) any { return x.Holding() }},
		{Key: "figures", Of: func(x j) any { return len(x.Evidence) }},
		{Key: "failed", Form: report.JSON, Of: func(x j) any { return listOf(x.Failed) }},
		{Key: "simulated", Of: func(x j) any { return x.Simulated }},
		{Key: "virtual", Of: func(x j) any { return x.Simulated }},
		{Key: "evidence", Form: report.JSON, Of: func(x j) any { return listOf(x.Evidence) }},
	}
}

func (c *reproduceCmd) printClaims(judged []claims.Judged) error {
	if !words(c.app) {
		return printTable(c.app, claimColumns(), judged)
	}
	var parts []document.Part
	for _, j := range judged {
		parts = append(parts, linesOf(
			fmt.Sprintf("%s  %s (%s)", strings.ToUpper(string(j.Outcome)), j.Sentence, j.Where),
			fmt.Sprintf("    %s%s: %s", conditions(j), map[bool]string{true: ", VIRTUAL"}[j.Simulated],
				strings.Join(evidenceTexts(j), "; ")))...)
	}
	return c.app.print(append(parts, document.Break{}, document.Line(c.claimSum(judged)))...)
}

// conditions says how many conditions of a claim hold, and names the others.
func conditions(j claims.Judged) string {
	says := fmt.Sprintf("%d of %s", j.Holding(), text.Count(len(j.Conditions), "condition"))
	if j.Failed != nil {
		says += ", not " + strings.Join(j.Failed, ", not ")
	}
	return says
}

// evidenceTexts describes the results that a claim names.
func evidenceTexts(j claims.Judged) (list []string) {
	for _, e := range j.Evidence {
		var own []string
		for _, v := range e.Own {
			own = append(own, evidence.Number(v))
		}
		verdict := string(e.Verdict)
		if e.Side == "worse" {
			verdict += ", " + e.Side
		}
		list = append(list, fmt.Sprintf("%s %s, published %s (%s)", e.ID, strings.Join(own, " "),
			publishedText(e.Figure()), verdict))
	}
	return list
}

func (c *reproduceCmd) claimSum(judged []claims.Judged) string {
	count, quick := map[claims.Outcome]int{}, ""
	for _, j := range judged {
		count[j.Outcome]++
	}
	if c.Quick {
		quick = "; quick: each figure of a method is of one sample, so that methods look better or worse than they are"
	}
	return fmt.Sprintf("%d claims: %d pass, %d fail, %d not testable here; a claim passes when each of its conditions "+
		"holds for every value%s", len(judged), count[claims.Pass], count[claims.Fail],
		count[claims.NotTestable], quick)
}

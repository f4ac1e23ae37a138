package cli

import (
	"context"
	"fmt"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session/lab/claims"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/reproduce"
)

// printPage prints studies as a page; if all are included, with the papers' take-aways.
func (c *reproduceCmd) printPage(ctx context.Context, reports []reproduce.Report) error {
	var judged []claims.Judged
	if c.Studies == nil {
		var err error
		if judged, err = claims.Judge(ctx, reports, c.Seed); err != nil {
			return err
		}
	}
	c.asFile = true
	_, err := fmt.Fprint(c.out, export.DocumentMarkdown(c.page(reports, judged)))
	return err
}

// page builds a document of studies with their results, tables and take-aways.
func (c *reproduceCmd) page(reports []reproduce.Report, judged []claims.Judged) document.Document {
	name, form := strings.Join(c.args, " "), ""
	if c.Quick {
		form = " --quick"
	}
	var all []evidence.Result
	for _, r := range reports {
		all = append(all, r.Results...)
	}
	d := document.Document{Title: "The papers' studies, run again",
		About: fmt.Sprintf("Made by jtune lab reproduce %s%s --md. VIRTUAL: simulated on virtual boards, not "+
			"measured on a Jetson.", name, form),
		Parts: []document.Part{document.Text(c.sum(all) + "."),
			document.Text("\"Too good\" is an error below the published one by more than the tolerance, which is " +
				"this project's. Each value is the median of the samples of modes that its row counts; the papers " +
				"have 10, for LSTM and BERT 20.")}}
	for _, r := range reports {
		d.Parts = append(d.Parts, document.Heading(r.Study.Name+": "+r.Study.Title))
		if len(r.Results) > 0 {
			d.Parts = append(d.Parts, resultTable(r.Results))
		}
		for _, t := range r.Tables {
			table := document.Table{Head: t.Head, Numbers: 1}
			for _, row := range t.Rows {
				table.Rows = append(table.Rows, append([]string{row.Item}, row.Cells...))
			}
			d.Parts = append(d.Parts, document.Text(t.Title+"."), table)
		}
	}
	if len(judged) > 0 {
		d.Parts = append(d.Parts, document.Heading("Take-aways"), document.Text(c.claimSum(judged)+"."))
		table := document.Table{Head: []string{"take-away", "where", "outcome", "conditions that hold"}, Numbers: 4}
		for _, j := range judged {
			table.Rows = append(table.Rows, []string{j.Sentence, j.Study + " " + j.Where, string(j.Outcome),
				conditions(j) + ": " + strings.Join(evidenceTexts(j), "; ")})
		}
		d.Parts = append(d.Parts, table)
	}
	return d
}

// resultTable is a table of a study's results, with the reason for each miss.
func resultTable(results []evidence.Result) document.Table {
	columns := report.Table[evidence.Result]{
		{Title: "result", Text: func(x evidence.Result) string { return x.ID }},
		{Title: "item", Text: func(x evidence.Result) string { return x.Item }},
		{Title: "own", Text: ownText},
		{Title: "published", Text: func(x evidence.Result) string { return publishedText(x.Figure) }},
		{Title: "tolerance", Text: toleranceText},
		{Title: "samples", Of: func(x evidence.Result) any { return tegra.Val[int]{V: x.Samples, OK: x.Samples > 0} }},
		{Title: "verdict", Text: func(x evidence.Result) string {
			return strings.TrimSpace(x.Said() + " " + simulatedMark(x.Simulated))
		}},
		{Title: "reason", Text: func(x evidence.Result) string { return x.Why() }},
	}
	t := document.Table{Numbers: len(columns)}
	for _, k := range columns {
		t.Head = append(t.Head, k.Title)
	}
	for _, r := range results {
		t.Rows = append(t.Rows, columns.Cells(r))
	}
	return t
}

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"jtune/internal/document"
	"jtune/tui/session/lab/claims"
	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/reproduce"
)

// studies returns the parts of a page about studies: results, tables, figures and notes.
func (c *reproduceCmd) studies(reports []reproduce.Report) (parts []document.Part) {
	for i, r := range reports {
		if i > 0 {
			parts = append(parts, document.Break{})
		}
		parts = append(parts, document.Heading(r.Study.Name+": "+r.Study.Title))
		if len(r.Results) > 0 {
			parts = append(parts, document.Break{}, studyColumns().Document(r.Results))
		}
		for _, t := range r.Tables {
			table := document.Table{Head: append(slices.Clone(t.Head), ""), Numbers: 1}
			for _, row := range t.Rows {
				cells := append([]string{row.Item}, row.Cells...)
				table.Rows = append(table.Rows, append(cells, simulatedMark(row.Simulated)))
			}
			parts = append(parts, document.Break{}, document.Text(t.Title+"."), document.Break{}, table)
		}
		if c.Plot {
			for _, f := range r.Drawn {
				parts = append(parts, document.Break{}, document.Drawing{Figure: f})
			}
		}
		for _, note := range r.Notes {
			parts = append(parts, document.Break{}, document.Text(note))
		}
	}
	return parts
}

// page builds a document of studies, of all with the papers' take-aways.
func (c *reproduceCmd) page(ctx context.Context, reports []reproduce.Report,
	all []evidence.Result) (d document.Document, err error) {
	name, form := strings.Join(c.args, " "), ""
	if c.Quick {
		form = " --quick"
	}
	d = document.Document{Title: "The papers' studies, run again",
		About: fmt.Sprintf("Made by jtune lab reproduce %s%s --md. VIRTUAL: simulated on virtual boards, not "+
			"measured on a Jetson.", name, form),
		Parts: append([]document.Part{document.Text(c.sum(all) + "."),
			document.Text("\"Too good\" is an error below the published one by more than the tolerance, which is " +
				"this project's. Each value is the median of the samples of modes that its row counts; the papers " +
				"have 10, for LSTM and BERT 20.")}, c.studies(reports)...)}
	if c.Studies != nil {
		return d, nil
	}
	judged, err := claims.Judge(ctx, reports, c.Seed)
	d.Parts = append(d.Parts, document.Heading("Take-aways"), document.Text(c.claimSum(judged)+"."))
	table := document.Table{Head: []string{"take-away", "where", "outcome", "conditions that hold"}, Numbers: 4}
	for _, j := range judged {
		table.Rows = append(table.Rows, []string{j.Sentence, j.Study + " " + j.Where, string(j.Outcome),
			conditions(j) + ": " + strings.Join(evidenceTexts(j), "; ")})
	}
	d.Parts = append(d.Parts, table)
	return d, err
}

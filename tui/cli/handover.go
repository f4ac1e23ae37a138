package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tui/export"
	"jtune/tui/session/handover"
)

// reportCommands are the commands that a report offers to copy.
var reportCommands = handover.Commands{
	Set: func(mode string) []string {
		return []string{"jtune apply " + mode, "sudo jtune apply " + mode + " --at-boot",
			"jtune lab convert export " + mode + " --name TUNED"}
	},
	SetSays: "apply sets the mode with locked clocks, reads each clock and the cores back, and reverts unless it is " +
		"kept. --at-boot sets it at every boot too. The last line prints a block for the board's nvpmodel.conf.",
	Prove: func(job, mode string) string { return "jtune soak " + job + " --mode " + mode },
}

// newReport makes `jtune report`.
func newReport(a *app) *cobra.Command {
	var c struct {
		Out string
		MD  bool
	}
	return a.command("report", cobra.MaximumNArgs(1), func(context.Context) error {
		if a.asJSON && c.Out == "-" {
			return usagef("report: --json prints where the page is; give --out FILE")
		}
		r, err := handover.Of(a.options, strings.Join(a.args, ""), reportCommands, time.Now())
		if err != nil {
			return err
		}
		a.notes(r.Notes)
		d := r.Document()
		page, ending := export.DocumentHTML(d), ".html"
		if c.MD {
			page, ending = export.DocumentMarkdown(d), ".md"
		}
		if c.Out == "-" {
			a.asFile = true
			_, err := fmt.Fprint(a.out, page)
			return err
		}
		file := cmp.Or(c.Out, safefile.Name(r.Name)+ending)
		if err := writeFile(file, page); err != nil {
			return err
		}
		if a.asJSON {
			return printJSON(a.out, report.Object{{"path", file}, {"title", d.Title}, {"bytes", len(page)},
				{"virtual", r.Header.Device.Virtual}})
		}
		a.note("%s: %s, %s kB", file, d.Title, text.Thousands((len(page)+999)/1000))
		return nil
	}, &c)
}

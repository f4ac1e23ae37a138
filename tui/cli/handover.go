package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tui/export"
	"jtune/tui/session/handover"
)

// reportCmd is `jtune report`.
type reportCmd struct {
	*app
	file     string
	markdown bool
}

func newReport(a *app) *cobra.Command {
	return command(&reportCmd{app: a}, "report", cobra.MaximumNArgs(1))
}

func (c *reportCmd) flags(f *pflag.FlagSet) {
	bind(f, "report", places{"out": &c.file, "md": &c.markdown})
	c.jsonFlag(f, "print the file's path and title as JSON")
}

func (c *reportCmd) check() error {
	if c.asJSON && c.file == "-" {
		return usagef("report: --json prints where the page is; give --out FILE")
	}
	return nil
}

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

func (c *reportCmd) run(context.Context) error {
	name := ""
	if len(c.args) > 0 {
		name = c.args[0]
	}
	r, err := handover.Of(c.options, name, reportCommands, time.Now())
	if err != nil {
		return err
	}
	c.notes(r.Notes)
	page, ending := export.DocumentHTML(r.Document()), ".html"
	if c.markdown {
		page, ending = export.DocumentMarkdown(r.Document()), ".md"
	}
	if c.file == "-" {
		c.asFile = true
		_, err := fmt.Fprint(c.out, page)
		return err
	}
	file := c.file
	if file == "" {
		file = safefile.Name(r.Name) + ending
	}
	if err := writeFile(file, page); err != nil {
		return err
	}
	title, kB := r.Document().Title, text.Thousands((len(page)+999)/1000)
	if c.asJSON {
		return printJSON(c.out, report.Object{{"path", file}, {"title", title}, {"bytes", len(page)},
			{"virtual", r.Header.Device.Virtual}})
	}
	c.note("%s: %s, %s kB", file, title, kB)
	return nil
}

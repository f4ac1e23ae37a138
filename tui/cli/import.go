package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// importCmd is `jtune campaigns import`.
type importCmd struct {
	*app
	dir, mode string
	strict    bool
	log       imports.Log
}

func newImport(a *app) *cobra.Command {
	return command(&importCmd{app: a}, "campaigns import", cobra.ExactArgs(1))
}

func (c *importCmd) flags(f *pflag.FlagSet) {
	bind(f, "campaigns import", places{"out": &c.dir, "strict": &c.strict, "epochs": &c.log.Times,
		"per-epoch": &c.log.PerEpoch, "mode": &c.mode, "every": &c.log.Every})
}

func (c *importCmd) run(context.Context) error {
	if c.mode != "" {
		m, err := imports.ModeOfName(c.mode)
		if err != nil {
			return usagef("--mode %v", err)
		}
		c.log.Mode = tegra.Some(m)
	}
	var space *tegra.Space
	if c.given("device") {
		s, err := session.Open(c.options)
		if err != nil {
			return err
		}
		space = s.Device.Space()
		if err := s.Close(); err != nil {
			return err
		}
	}
	dir, notes, err := campaigns.Import(c.options, c.args[0], c.dir, space, c.log, c.strict)
	return printFolder(c.app, dir, notes, err)
}

// mergeCmd is `jtune campaigns merge`.
type mergeCmd struct {
	*app
	dir string
}

func newMerge(a *app) *cobra.Command {
	return command(&mergeCmd{app: a}, "campaigns merge", cobra.MinimumNArgs(2))
}

func (c *mergeCmd) flags(f *pflag.FlagSet) {
	bind(f, "campaigns merge", places{"out": &c.dir})
}

func (c *mergeCmd) run(context.Context) error {
	notes, err := campaigns.Merge(c.args, c.dir)
	return printFolder(c.app, c.dir, notes, err)
}

// printFolder prints the content of a new campaign folder with notes, or the error.
func printFolder(a *app, dir string, notes []string, err error) error {
	a.notes(notes)
	if err != nil {
		return err
	}
	head, rows, err := record.Read(dir)
	if err != nil {
		return err
	}
	if a.asJSON {
		return printJSON(a.out, report.Object{{"path", dir}, {"rows", len(rows)},
			{"workload", text.Optional(head.Workload.Name)}, {"device", text.Optional(head.Device.Name)},
			{"virtual", head.Device.Virtual}})
	}
	from := " on " + orDash(head.Device.Name)
	if head.Plan.Kind == imports.Kind {
		from = ", imported: the board is not known"
	}
	_, err = fmt.Fprintf(a.out, "%s: %s of %s%s%s\n", dir, text.Count(len(rows), "row"),
		orDash(head.Workload.Name), from, originOf(head.Device.Board()))
	return err
}

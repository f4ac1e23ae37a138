package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// newImport makes `jtune campaigns import`.
func newImport(a *app) *cobra.Command {
	var c struct {
		Out, Mode string
		Strict    bool
		imports.Log
	}
	return a.command("campaigns import", cobra.ExactArgs(1), func(context.Context) error {
		if c.Mode != "" {
			m, err := imports.ModeOfName(c.Mode)
			if err != nil {
				return usagef("--mode %v", err)
			}
			c.Log.Mode = tegra.Some(m)
		}
		var space *tegra.Space
		if a.given("device") {
			s, err := session.Open(a.options)
			if err != nil {
				return err
			}
			space = s.Device.Space()
			if err := s.Close(); err != nil {
				return err
			}
		}
		dir, notes, err := campaigns.Import(a.options, a.args[0], c.Out, space, c.Log, c.Strict)
		return printFolder(a, dir, notes, err)
	}, places{"epochs": &c.Times}, &c)
}

// newMerge makes `jtune campaigns merge`.
func newMerge(a *app) *cobra.Command {
	var c struct{ Out string }
	return a.command("campaigns merge", cobra.MinimumNArgs(2), func(context.Context) error {
		notes, err := campaigns.Merge(a.args, c.Out)
		return printFolder(a, c.Out, notes, err)
	}, &c)
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
	from := " on " + orDash(head.Device.Name)
	if head.Plan.Kind == imports.Kind {
		from = ", imported: the board is not known"
	}
	return did(a, nil, report.Object{{"path", dir}, {"rows", len(rows)},
		{"workload", text.Optional(head.Workload.Name)}, {"device", text.Optional(head.Device.Name)},
		{"virtual", head.Device.Virtual}}, "%s: %s of %s%s%s", dir, text.Count(len(rows), "row"),
		orDash(head.Workload.Name), from, originOf(head.Device.Board()))
}

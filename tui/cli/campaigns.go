package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/handover"
	"jtune/tui/session/models"
	"jtune/tui/session/task"
)

// campaignsCmd is `jtune campaigns` and its subcommands.
type campaignsCmd struct {
	*app
	Deleted bool
}

func newCampaigns(a *app) *cobra.Command {
	c := &campaignsCmd{app: a}
	cmd := a.command("campaigns", nil, c.list, c)
	cmd.AddCommand(a.command("campaigns list", nil, c.list, the("campaigns", c)),
		a.verb("campaigns show", 1, 1, c.show),
		a.command("campaigns summary", nil, c.summary),
		a.verb("campaigns compare", 2, 2, c.compare))
	cmd.AddCommand(shelfVerbs(a, "campaigns", func() campaigns.Shelf { return models.CampaignShelf(a.options) })...)
	return cmd
}

// verb makes a command that acts on named things.
func (a *app) verb(of string, least, most int, do func(args []string) error) *cobra.Command {
	return a.command(of, func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "") { // an unset shell variable: it must not mean all
			return usagef("%s: an argument is empty; the form is: %s", commandName(cmd), cmd.UseLine())
		}
		return cobra.RangeArgs(least, most)(cmd, args)
	}, func(context.Context) error { return do(a.args) })
}

// shelfVerbs returns the commands that rename, delete, restore and purge kept things of one kind. They open the shelf
// when the flags are known.
func shelfVerbs(a *app, kind string, shelf func() campaigns.Shelf) []*cobra.Command {
	return []*cobra.Command{
		a.verb(kind+" rename", 2, 2, func(args []string) error {
			err := shelf().Rename(args[0], args[1])
			return did(a, err, report.Object{{"name", args[1]}, {"former", args[0]}}, "%s is now %s", args[0], args[1])
		}),
		a.verb(kind+" delete", 1, 1, func(args []string) error {
			aside, err := shelf().Delete(args[0])
			return did(a, err, report.Object{{"name", args[0]}, {"restore", aside}},
				"%s is deleted; jtune %s restore %s restores it", args[0], shelf().Kind, aside)
		}),
		a.verb(kind+" restore", 1, 1, func(args []string) error {
			return did(a, shelf().Restore(args[0]), report.Object{{"name", args[0]}}, "%s is restored", args[0])
		}),
		a.verb(kind+" purge", 0, 1, func(args []string) error {
			gone, err := shelf().Purge(args...)
			return did(a, err, report.Object{{"purged", listOf(gone)}}, "%s removed for good",
				text.Count(len(gone), shelf().One()))
		}),
	}
}

// did prints what was done unless it failed: as an object with --json, otherwise as a sentence.
func did(a *app, err error, object report.Object, format string, args ...any) error {
	if err != nil {
		return err
	}
	return a.show(object, document.Line(fmt.Sprintf(format, args...)))
}

func (c *campaignsCmd) list(context.Context) error {
	parent := c.options.CampaignsDir()
	if c.Deleted {
		parent = campaigns.DeletedDir(c.options.Paths, campaigns.CampaignsKind)
	}
	all, err := campaigns.CampaignsIn(parent)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(all, func(x campaigns.Campaign) bool {
		if x.Err != nil {
			c.note("%s is left out: %v", x.Name, x.Err)
		}
		return x.Err != nil
	})
	slices.Reverse(list)
	return printTable(c.app, campaignColumns(), c.listed(list...))
}

// campaignColumns are the columns of the list.
func campaignColumns() report.Table[*task.Listed] { return task.Columns(tegra.Mode.String) }

// listed returns campaigns with their states.
func (c *campaignsCmd) listed(list ...campaigns.Campaign) (out []*task.Listed) {
	held := campaigns.Held(c.options.Paths)
	for _, x := range list {
		out = append(out, &task.Listed{Campaign: x, State: x.State(held), Answer: x.Answer})
	}
	return out
}

func (c *campaignsCmd) summary(context.Context) error {
	list, err := campaigns.List(c.options.Paths)
	if err != nil {
		return err
	}
	all, devices := campaigns.LedgerOf(list)
	virtual := slices.ContainsFunc(devices, func(d campaigns.DeviceLedger) bool { return d.Virtual })
	doc, err := report.Join(all, report.Object{{"devices", listOf(devices)}, {"virtual", virtual}})
	if err != nil {
		return err
	}
	t := document.Table{Head: []string{"device", "campaigns", "runs", "usable", "minibatches", "epochs", "hours"}}
	add := func(name string, l campaigns.Ledger) {
		t.Rows = append(t.Rows, []string{name, text.Thousands(l.Campaigns), text.Thousands(l.Runs),
			text.Thousands(l.Usable), text.Thousands(l.Minibatches), text.Of(l.Epochs), text.Of(l.TimeS / 3600)})
	}
	for _, d := range devices {
		add(campaigns.OfDevice(d.Device, d.Virtual), d.Ledger)
	}
	add(text.Count(len(devices), "device"), all)
	return c.app.show(doc, t)
}

func (c *campaignsCmd) show(args []string) error {
	one, err := campaigns.Find(c.options.Paths, args[0])
	if err != nil {
		return err
	}
	list, err := campaigns.List(c.options.Paths)
	if err != nil {
		return err
	}
	head, found, faults := handover.AnswersOf(list, one)
	for _, fault := range faults { // the rest is shown nevertheless
		c.note("%v", fault)
	}
	parts := []document.Part{c.facts(one)}
	if k := found.Kept; k != nil && !c.asJSON {
		space, err := head.Header.Device.Space()
		if err != nil {
			return err
		}
		for i, a := range k.Answers {
			parts = append(parts, document.Break{}, document.Line(a.Limit.Words()))
			parts = append(parts, answerParts(a, head.Header.Workload, space, originOf(head.Header.Device.Board()),
				answers.Then, found.Later(i, space))...)
		}
		c.notes(k.Warnings)
	}
	return c.app.show(append(campaignColumns().Object(c.listed(one)[0]), keptObject(found)...), parts...)
}

// keptObject is the answer of a search in a JSON document.
func keptObject(found handover.Answers) report.Object {
	k := found.Kept
	if k == nil {
		return report.Object{{"answer", nil}, {"worked_out", nil}, {"better_since", nil}}
	}
	var since []any
	for i := range k.Answers {
		if proof := found.Soaks[i]; proof != nil {
			k.Answers[i].Soak = &proof.Result
		}
		var mode any
		if at := found.Since[i]; at != (tegra.Setting{}) {
			mode = at.Mode
		}
		since = append(since, mode)
	}
	var answer, better any = k.Answers[0], since[0]
	if len(k.Answers) > 1 {
		answer, better = k.Answers, since
	}
	return report.Object{{"answer", answer}, {"worked_out", k.Worked}, {"better_since", better}}
}

// facts says what a campaign measured, on which device, and how.
func (c *campaignsCmd) facts(one campaigns.Campaign) document.Facts {
	return append(document.Facts{
		{"name", one.Name},
		{"folder", one.Dir},
		{"state", string(one.State(campaigns.Held(c.options.Paths)))},
		{"modes", text.Thousands(one.Modes()) + ", " + text.Thousands(one.Usable) + " usable"},
		{"fingerprint", one.Fingerprint},
		{"identity", one.Board},
	}, campaigns.About(*one.Header, record.SoftwareOf(one.Versions, *one.Header))...)
}

package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tui/session"
)

// campaignJSON is one entry of `jtune campaigns --json`.
type campaignJSON struct {
	Name        string                `json:"name"`
	Path        string                `json:"path"`
	Workload    string                `json:"workload"`
	Fingerprint string                `json:"fingerprint"`
	Device      string                `json:"device"`
	Virtual     bool                  `json:"virtual"`
	State       session.CampaignState `json:"state"`
	Modes       int                   `json:"modes"`
	Usable      int                   `json:"usable"`
	Started     string                `json:"started"`
	Strategy    text.Optional         `json:"strategy"` // absent where nothing was searched
	Seed        uint64                `json:"seed"`
}

func (a *app) campaigns() *cobra.Command {
	deleted := false
	list := func() error { return a.listCampaigns(deleted) }
	cmd := &cobra.Command{
		Use:   "campaigns",
		Short: "Manage campaigns: the folders of measured modes",
		Long: "A campaign is a folder of measured modes: a search, a profile, a verification or a single run. What " +
			"all campaigns of the data directory measured of one workload on one board is what its model learns " +
			"from. A deleted campaign is moved aside and can be restored until it is purged.",
		Example: "  jtune campaigns\n  jtune campaigns show 20260105-101500-resnet18-tune\n" +
			"  jtune campaigns list --deleted",
		Args: takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return list() },
	}
	a.jsonFlag(cmd.PersistentFlags())
	lister := verb("list", "List the campaigns of the data directory, the oldest first", 0, 0,
		func([]string) error { return list() })
	for _, c := range []*cobra.Command{cmd, lister} {
		c.Flags().BoolVar(&deleted, "deleted", false, "those that were deleted and can be restored")
	}
	cmd.AddCommand(lister,
		verb("show NAME", "Show one campaign in full, by its name or folder", 1, 1, func(args []string) error {
			return a.showCampaign(args[0])
		}),
		verb("summary", "Count campaigns, runs, epochs and devices of the data directory", 0, 0,
			func([]string) error { return a.summarise() }),
		verb("compare NAME OTHER", "Compare what two campaigns measured of the same modes", 2, 2,
			func(args []string) error { return a.compareCampaigns(args[0], args[1]) }),
		verb("rename NAME NEW", "Rename a campaign", 2, 2, func(args []string) error {
			return a.say(a.options.RenameCampaign(args[0], args[1]), "%s is %s now", args[0], args[1])
		}),
		verb("delete NAME", "Move a campaign aside; its model forgets what it measured", 1, 1,
			func(args []string) error {
				name, err := a.options.DeleteCampaign(args[0])
				return a.say(err, "%s is deleted: jtune campaigns restore %s brings it back", args[0], name)
			}),
		verb("restore NAME", "Restore a deleted campaign", 1, 1, func(args []string) error {
			return a.say(a.options.RestoreCampaign(args[0]), "%s is back", args[0])
		}),
		verb("purge [NAME]", "Remove deleted campaigns for good: one, or all", 0, 1, func(args []string) error {
			gone, err := a.options.PurgeCampaigns(strings.Join(args, ""))
			return a.say(err, "%s removed for good", text.Count(len(gone), "campaign"))
		}))
	return cmd
}

// verb is a command on a thing that has a name.
func verb(use, short string, least, most int, do func(args []string) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  takes(cobra.RangeArgs(least, most)),
		RunE:  func(_ *cobra.Command, args []string) error { return do(args) },
	}
}

// say prints what was done, unless that failed.
func (a *app) say(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, format+"\n", args...)
	return err
}

func (a *app) listCampaigns(deleted bool) error {
	find := a.options.Campaigns
	if deleted {
		find = a.options.DeletedCampaigns
	}
	all, err := find()
	if err != nil {
		return err
	}
	held, list := a.options.Held(), []campaignJSON{}
	for _, c := range all {
		if c.Err != nil {
			a.note("%s is left out: %v", c.Name, c.Err)
			continue
		}
		list = append(list, toCampaignJSON(c, held))
	}
	if a.asJSON {
		return printJSON(a.out, list)
	}
	rows := [][]string{{"name", "workload", "device", "modes", "usable", "strategy", "state"}}
	for _, c := range list {
		rows = append(rows, []string{c.Name, c.Workload, ofDevice(c.Device, c.Virtual), strconv.Itoa(c.Modes),
			strconv.Itoa(c.Usable), orDash(string(c.Strategy)), string(c.State)})
	}
	return table(a.out, rows...)
}

// ledgerJSON is `jtune campaigns summary --json`.
type ledgerJSON struct {
	session.Ledger
	Devices []session.DeviceLedger `json:"devices"`
	Virtual bool                   `json:"virtual"` // some of it was simulated or replayed
}

func (a *app) summarise() error {
	list, err := a.options.Campaigns()
	if err != nil {
		return err
	}
	all, devices := session.LedgerOf(list)
	if a.asJSON {
		virtual := slices.ContainsFunc(devices, func(d session.DeviceLedger) bool { return d.Virtual })
		return printJSON(a.out, ledgerJSON{all, listOf(devices), virtual})
	}
	rows := [][]string{{"device", "campaigns", "runs", "usable", "minibatches", "epochs", "hours"}}
	row := func(name string, l session.Ledger) []string {
		return []string{name, text.Thousands(l.Campaigns), text.Thousands(l.Runs), text.Thousands(l.Usable),
			text.Thousands(l.Minibatches), text.Of(l.Epochs), text.Of(l.TimeS / 3600)}
	}
	for _, d := range devices {
		rows = append(rows, row(ofDevice(d.Device, d.Virtual), d.Ledger))
	}
	return table(a.out, append(rows, row(text.Count(len(devices), "device"), all))...)
}

// ofDevice names a device, and says so when its numbers are no measurements.
func ofDevice(name string, virtual bool) string {
	if virtual {
		return orDash(name) + " (virtual)"
	}
	return orDash(name)
}

func toCampaignJSON(c session.Campaign, held []record.Running) campaignJSON {
	h := c.Header
	return campaignJSON{
		Name: c.Name, Path: c.Dir, Workload: h.Workload.Name, Fingerprint: c.Fingerprint(), Device: h.Device.Name,
		Virtual: h.Device.Virtual, State: c.State(held), Modes: c.Modes(), Usable: c.Usable(),
		Started: h.Created.UTC().Format(time.RFC3339), Strategy: text.Optional(c.Strategy()), Seed: h.Seed,
	}
}

func (a *app) showCampaign(name string) error {
	c, err := a.options.FindCampaign(name)
	if err != nil {
		return err
	}
	d := toCampaignJSON(c, a.options.Held())
	if a.asJSON {
		return printJSON(a.out, d)
	}
	h := c.Header
	rows := [][]string{
		{"name", d.Name},
		{"folder", d.Path},
		{"workload", fmt.Sprintf("%s, batch size %d, %s", d.Workload, h.Workload.Batch,
			text.Count(h.Workload.Workers, "worker"))},
		{"fingerprint", d.Fingerprint},
		{"versions", orDash(record.FrameworkVersions(c.Dir))},
		{"device", ofDevice(d.Device, d.Virtual)},
		{"board", c.Board()},
		{"state", string(d.State)},
	}
	if search := h.Search; search != nil {
		rows = append(rows, []string{"search", search.String()})
	} else {
		rows = append(rows, []string{"plan", c.What()})
	}
	rows = append(rows,
		[]string{"modes", text.Thousands(d.Modes) + ", " + text.Thousands(d.Usable) + " usable"},
		[]string{"started", d.Started},
		[]string{"seed", strconv.FormatUint(d.Seed, 10)},
		[]string{"settings", fmt.Sprintf("%d minibatches per mode", h.Settings.Minibatches)},
		[]string{"made by", "jtune " + h.Jtune})
	return table(a.out, rows...)
}

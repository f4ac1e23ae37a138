package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/doctor"
	"jtune/tui/session/preflight"
)

// deviceCmd is `jtune device`.
type deviceCmd struct {
	*app
	List, Tunables bool
}

func newDevice(a *app) *cobra.Command {
	c := &deviceCmd{app: a}
	return a.command("device", nil, c.run, c)
}

func (c *deviceCmd) run(context.Context) error {
	if c.List {
		return c.listDevices()
	}
	return c.onDevice(func(s *session.Session) error {
		if why, root := preflight.ModesUnread(s); root {
			c.note("%s: run jtune device as root for all modes", why)
		} else if why != "" {
			c.note("%s", why)
		}
		if c.Tunables {
			return c.printTunables(s)
		}
		r := deviceRecord(s)
		return c.show(r.Object(), r.Facts(), document.Break{}, presetTable(s))
	})
}

// printTunables lists every knob of the board.
func (c *deviceCmd) printTunables(s *session.Session) error {
	type t = doctor.Tunable
	err := printTable(c.app, report.Table[t]{
		{Key: "name", Title: "tunable", Of: func(x t) any { return x.Name }},
		{Key: "unit", Of: func(x t) any { return x.Unit }},
		{Key: "values", Of: func(x t) any { return x.Values }},
		{Key: "range", Of: func(x t) any { return x.Range }},
		{Title: "allowed values", Text: func(x t) string { return x.Words() }},
		{Key: "set", Title: "set by", Of: func(x t) any { return x.Set }},
		{Key: "virtual", Of: func(t) any { return s.Device.Board().Virtual }},
	}, doctor.Tunables(s))
	return errors.Join(err, c.printOrigin(s.Device.Board().Origin()))
}

// deviceRecord is what `jtune device` says of a board. The present mode is null if the settings match no mode; memory
// clocks and the number of modes are null without the rights to read the whole list. preset_id is the preset that
// nvpmodel set last.
func deviceRecord(s *session.Session) report.Record {
	b, space, more := s.Device.Board(), s.Device.Space(), ""
	if why, root := preflight.ModesUnread(s); root {
		more = " known to this user, root sees more"
	} else if why != "" {
		more = " known here"
	}
	now, err := s.Device.Read() // unreadable values are absent
	cpu := []int64{}
	for _, f := range space.CPU {
		cpu = append(cpu, f.KHz())
	}
	var memory []tegra.Freq
	modes := tegra.Val[int]{V: space.Len(), OK: s.Sysfs().Complete()}
	if modes.OK {
		memory = listOf(space.EMC)
	}
	return report.Record{
		{"model", "board", b.Model, b.Model + originOf(b)},
		{"compatible", "", listOf(b.Compatible)},
		{"", "module", text.Optional(b.Module)},
		{"soc", "SoC", text.Optional(b.SoC)},
		{"l4t", "software", text.Optional(b.L4T), fmt.Sprintf("L4T %s, JetPack %s", orDash(b.L4T), orDash(b.JetPack))},
		{"virtual", "", b.Virtual},
		{"space", "power modes", report.Object{
			{"cores", listOf(space.Cores)},
			{"cpu_khz", cpu},
			{"gpu_hz", listOf(space.GPU)},
			{"mem_hz", memory},
			{"modes", modes},
		}, fmt.Sprintf("%s%s: %d core counts × %d CPU × %d GPU × %d memory clocks", text.Thousands(space.Len()), more,
			len(space.Cores), len(space.CPU), len(space.GPU), len(space.EMC))},
		{"", "CPU clocks", clockRange(space.CPU)},
		{"", "GPU clocks", clockRange(space.GPU)},
		{"", "memory clocks", clockRange(space.EMC)},
		{"rails", "rails", listOf(b.Rails), orDash(strings.Join(b.Rails, ", "))},
		{"total_power_rule", "total power", text.Optional(b.TotalRule),
			fmt.Sprintf("%s; covers %s", orDash(b.TotalRule), orDash(b.TotalCovers))},
		{"presets", "", listOf(s.Device.Presets())},
		{"presets_unusable", "", listOf(b.Unusable)},
		{"rights", "setting modes", doctor.RightsOf(s), doctor.RightsOf(s).How},
		{"mode", "now", now.Mode, presentText(s, now, err)},
		{"name", "", text.Optional(tegra.NameNow(s.Device, now))}, // "MAXN", "MAXN locked", …
		{"locked", "", now.Locked},
		{"preset_id", "", s.Sysfs().PresetID()},
		{"", "sources", sourcesText(s, now)},
	}
}

// presetTable lists the presets that nvpmodel has, and those that cannot be set.
func presetTable(s *session.Session) document.Table {
	t := document.Table{Head: []string{"id", "preset", "mode", ""}}
	mark := func(is bool, word string) string { return map[bool]string{true: word}[is] }
	for _, p := range s.Device.Presets() {
		t.Rows = append(t.Rows, []string{strconv.Itoa(p.ID), p.Name, s.Device.Space().Format(p.Mode),
			joined(", ", mark(p.Default, "default"), mark(p.InForce, "set in nvpmodel"),
				mark(p.NeedsReboot, "needs a reboot"))})
	}
	for _, u := range s.Device.Board().Unusable {
		t.Rows = append(t.Rows, []string{strconv.Itoa(u.ID), u.Name, "cannot be set", u.Why})
	}
	return t
}

// clockRange formats a knob's clocks from slowest to fastest; it lists a few in full.
func clockRange(list []tegra.Freq) string {
	const few = 5
	var names []string
	for i, f := range list {
		if len(list) <= few || i == 0 || i == len(list)-1 {
			names = append(names, f.String())
		}
	}
	switch {
	case len(list) == 0:
		return "– (see jtune doctor)"
	case len(list) <= few:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d from %s to %s", len(list), names[0], names[1])
}

// presentText describes the board's present settings.
func presentText(s *session.Session, r tegra.Reading, err error) string {
	text := ""
	if r.Mode.OK {
		text = s.Device.Space().Format(r.Mode.V) + named(tegra.NameNow(s.Device, r))
	}
	switch {
	case err != nil:
		return err.Error()
	case r.Mode.OK && r.Locked.Or(false):
		return text + ", locked"
	case r.Mode.OK && len(r.Pinned) > 0:
		return text + ", clocks " + r.Setup().Clocks()
	case r.Mode.OK:
		return text + ", free clocks below it"
	case !r.EMC.Max.OK:
		return "– (the memory's limits cannot be read)"
	}
	return "custom (matches no power mode)"
}

// sourcesText counts the sources of readings.
func sourcesText(s *session.Session, r tegra.Reading) string {
	missing := 0
	for _, p := range s.Sysfs().Probes() {
		if !p.Found {
			missing++
		}
	}
	sources := fmt.Sprintf("%d found, %d missing", len(s.Sysfs().Probes())-missing, missing)
	if missing+len(r.Missing) > 0 {
		sources += "; jtune doctor lists which and why"
	}
	return sources
}

// named formats a name to append.
func named(name string) string {
	if name == "" {
		return ""
	}
	return " = " + name
}

// originMark is the mark at the end of a line whose numbers no real board measured.
func originMark(origin string) string {
	if origin == "" {
		return ""
	}
	return "  " + tegra.VirtualMark(origin)
}

// printOrigin prints that mark below a text, not below JSON or CSV.
func (a *app) printOrigin(origin string) error {
	if origin == "" || !words(a) {
		return nil
	}
	_, err := fmt.Fprintln(a.out, tegra.VirtualMark(origin))
	return err
}

// originOf returns the mark of a board that is not real.
func originOf(b tegra.Board) string { return originMark(b.Origin()) }

func orDash(s string) string { return cmp.Or(s, "–") }

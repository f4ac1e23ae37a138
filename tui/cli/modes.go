package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session"
	"jtune/tui/session/preflight"
	"jtune/tui/session/workloads"
)

// measuredKey matches filter terms that need a measurement.
var measuredKey = regexp.MustCompile(`(?i)\b(time|power|energy)\b`)

// modesCmd is `jtune device modes`.
type modesCmd struct {
	*app
	Filter string
	Grid   bool
	Labels bool
	Sample int
}

func newModes(a *app) *cobra.Command {
	c := &modesCmd{app: a}
	return a.command("device modes", nil, c.run, c)
}

func (c *modesCmd) check() error {
	if k := measuredKey.FindString(c.Filter); k != "" {
		return usagef("--filter %s: time and power of a mode depend on the workload: jtune ask predict prints them", k)
	}
	return nil
}

func (c *modesCmd) run(context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		if why, root := preflight.ModesUnread(s); root {
			return fmt.Errorf("%w: %s: run jtune device modes as root", tegra.ErrPermission, why)
		} else if why != "" {
			return fmt.Errorf("%w: %s", tegra.ErrUnsupported, why)
		}
		space := s.Device.Space()
		if c.Grid {
			space = space.Grid()
		}
		f, err := space.ParseFilter(c.Filter)
		if err != nil {
			return usagef("--filter: %v", err)
		}
		all := space
		if space = space.Filter(f); space.Len() == 0 {
			c.note("no mode matches %s; this board has %s", c.Filter, all.Ranges())
		}
		modes, b := space.Modes(), s.Device.Board()
		if c.Labels {
			modes, _ = s.Device.Space().StudyModes()
			c.notes(text.Said(tegra.LabelNote("a", s.Device.Space())))
		}
		if c.Sample > 0 {
			modes = space.Sample(c.Sample, c.options.Seed)
		}
		columns := append(export.ModeColumns(func(m tegra.Mode) tegra.Mode { return m }),
			report.Column[tegra.Mode]{Key: export.VirtualColumn, Of: func(tegra.Mode) any { return b.Virtual }})
		switch {
		case !words(c.app):
			return printTable(c.app, columns, modes)
		case c.Filter == "" && !c.Grid && !c.Labels && c.Sample == 0:
			return errors.Join(c.print(knobParts(space)...), c.printOrigin(b.Origin()))
		}
		return c.list(space, modes, b)
	})
}

// knobParts are the size of the space and the values of each knob.
func knobParts(s *tegra.Space) []document.Part {
	freqs := func(list []tegra.Freq) string {
		var out []string
		for _, f := range list {
			out = append(out, strconv.FormatFloat(f.MHz(), 'f', -1, 64))
		}
		return strings.Join(out, " ")
	}
	return []document.Part{document.Line(text.Thousands(s.Len()) + " power modes"), document.Facts{
		{fmt.Sprintf("%d core counts", len(s.Cores)), text.JoinInts(s.Cores)},
		{fmt.Sprintf("%d CPU clocks, MHz", len(s.CPU)), freqs(s.CPU)},
		{fmt.Sprintf("%d GPU clocks, MHz", len(s.GPU)), freqs(s.GPU)},
		{fmt.Sprintf("%d memory clocks, MHz", len(s.EMC)), freqs(s.EMC)}}}
}

// list prints modes without other values.
func (c *modesCmd) list(s *tegra.Space, modes []tegra.Mode, b tegra.Board) error {
	for i, m := range modes {
		label := ""
		if c.Labels {
			label = string(rune('a'+i)) + "  "
		}
		if _, err := fmt.Fprintln(c.out, label+s.Format(m)); err != nil {
			return err
		}
	}
	c.note("%s%s", text.Count(len(modes), "mode"), originOf(b))
	return nil
}

// workloadsCmd is `jtune workloads`.
type workloadsCmd struct{ *app }

func newWorkloads(a *app) *cobra.Command { return a.command("workloads", nil, workloadsCmd{a}.run) }

func (c workloadsCmd) run(context.Context) error {
	list, err := workloads.Configured(c.options.Paths)
	if err != nil {
		return err
	}
	b, list, simulated := workloads.Simulations(c.options, list)
	if err := printTable(c.app, workloadColumns(b, simulated), list); err != nil || c.asJSON {
		return err
	}
	marked, dnr, loads := false, []string(nil), []string(nil)
	for _, w := range list {
		one := simulated[w.Name]
		if marked = marked || b.Simulated() && one.Estimated && one.Why == ""; one.Why != "" {
			dnr = append(dnr, "DNR: "+one.Why)
		}
		if why, elsewhere := w.LoaderFault(); why != "" {
			loads = append(loads, fmt.Sprintf("%s has 0 workers: %s; elsewhere %d", w.Name, why, elsewhere))
		}
	}
	var parts []document.Part
	if marked {
		parts = linesOf("* estimated: this simulation is not based on measurements of such a board")
	}
	parts = append(append(parts, document.Break{}, published(list)), textsOf(slices.Concat(dnr, loads)...)...)
	return errors.Join(c.print(parts...), c.printOrigin(b.Origin()))
}

// published are what the papers state of networks and data.
func published(list []workload.Workload) document.Table {
	large := func(v tegra.Val[float64]) string {
		for _, unit := range []struct {
			size float64
			name string
		}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
			if v.OK && v.V >= unit.size {
				return strconv.FormatFloat(v.V/unit.size, 'g', 4, 64) + unit.name
			}
		}
		return dash(v, "%g")
	}
	t := document.Table{Head: []string{"as published", "layers", "parameters", "FLOPs", "MB used", "MB on disk"}}
	for _, w := range list {
		if f := w.Facts(); f.Layers.OK {
			t.Rows = append(t.Rows, []string{w.Name, large(f.Layers), large(f.Parameters), large(f.FLOPs),
				dash(f.MemoryMB, "%g"), dash(f.DiskMB, "%g")})
		}
	}
	return t
}

// workloadColumns are the columns of the list of workloads, with what is known of them on a board.
func workloadColumns(b tegra.Board, simulated map[string]workloads.Simulation) report.Table[workload.Workload] {
	type w = workload.Workload
	columns := workloads.Columns()
	columns[0].Text = func(x w) string {
		switch one := simulated[x.Name]; {
		case one.Why != "":
			return x.Name + " DNR"
		case b.Simulated() && one.Estimated:
			return x.Name + "*"
		}
		return x.Name
	}
	return append(columns, report.Table[w]{
		// Always absent on a real board.
		{Key: "estimated", Of: func(x w) any {
			return tegra.Val[bool]{V: simulated[x.Name].Estimated, OK: b.Simulated()}
		}},
		{Key: "dnr", Of: func(x w) any { return text.Optional(simulated[x.Name].Why) }},
		{Key: "virtual", Of: func(x w) any { return b.Virtual }},
	}...)
}

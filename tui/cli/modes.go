package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
		if why, root := preflight.MemoryUnread(s); root {
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
			return errors.Join(countModes(c.out, space), c.printOrigin(b.Origin()))
		}
		return c.list(space, modes, b)
	})
}

// countModes prints the size of the space and the number of values of each knob.
func countModes(w io.Writer, s *tegra.Space) error {
	fmt.Fprintf(w, "%s power modes\n", text.Thousands(s.Len()))
	freqs := func(list []tegra.Freq) string {
		var out []string
		for _, f := range list {
			out = append(out, strconv.FormatFloat(f.MHz(), 'f', -1, 64))
		}
		return strings.Join(out, " ")
	}
	return report.Rows(w,
		[]string{fmt.Sprintf("%d core counts", len(s.Cores)), strings.Trim(fmt.Sprint(s.Cores), "[]")},
		[]string{fmt.Sprintf("%d CPU clocks, MHz", len(s.CPU)), freqs(s.CPU)},
		[]string{fmt.Sprintf("%d GPU clocks, MHz", len(s.GPU)), freqs(s.GPU)},
		[]string{fmt.Sprintf("%d memory clocks, MHz", len(s.EMC)), freqs(s.EMC)})
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

func newWorkloads(a *app) *cobra.Command {
	return a.command("workloads", nil, (&workloadsCmd{a}).run)
}

func (c *workloadsCmd) run(context.Context) error {
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
	if marked {
		fmt.Fprintln(c.out, "* estimated: this simulation is not based on measurements of such a board")
	}
	if err := printFacts(c.out, list); err != nil {
		return err
	}
	for _, line := range slices.Concat(dnr, loads) {
		say(c.out, line)
	}
	return c.printOrigin(b.Origin())
}

// printFacts prints what the papers state of networks and data.
func printFacts(out io.Writer, list []workload.Workload) error {
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
	rows := [][]string{{"as published", "layers", "parameters", "FLOPs", "MB used", "MB on disk"}}
	for _, w := range list {
		if f := w.Facts(); f.Layers.OK {
			rows = append(rows, []string{w.Name, large(f.Layers), large(f.Parameters), large(f.FLOPs),
				dash(f.MemoryMB, "%g"), dash(f.DiskMB, "%g")})
		}
	}
	fmt.Fprintln(out)
	return report.Grid(out, rows...)
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

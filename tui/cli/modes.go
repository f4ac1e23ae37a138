package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session"
)

// measuredKey finds filter terms that a bare mode has no value for.
var measuredKey = regexp.MustCompile(`(?i)\b(time|power|energy)\b`)

func (a *app) modes() *cobra.Command {
	var filter string
	grid := false
	sample := 0
	cmd := &cobra.Command{
		Use:   "modes",
		Short: "List or count the power modes of the board",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("sample") && sample < 1 {
				return usagef("--sample %d: must be positive", sample)
			}
			if k := measuredKey.FindString(filter); k != "" {
				return usagef("--filter %s: time and power of a mode depend on the workload: jtune predict prints them",
					k)
			}
			return a.onDevice(func(s *session.Session) error {
				if !s.Sysfs().Complete() {
					return fmt.Errorf("%w: only root can read the memory clocks of this board: run jtune modes as root",
						tegra.ErrPermission)
				}
				space := s.Device.Space()
				if grid {
					space = space.Grid()
				}
				f, err := space.ParseFilter(filter)
				if err != nil {
					return usagef("--filter: %v", err)
				}
				space = space.Filter(f)
				modes := space.Modes()
				if sample > 0 {
					modes = space.Sample(sample, a.options.Seed)
				}
				switch {
				case a.asJSON:
					return printJSON(a.out, toModesJSON(modes, s.Device.Board()))
				case a.asCSV:
					return a.modesCSV(modes, s.Device.Board())
				case filter == "" && !grid && sample == 0:
					return errors.Join(a.countModes(space), a.printOrigin(s.Device.Board().Origin()))
				}
				return a.listModes(space, modes, s.Device.Board())
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&filter, "filter", "", "only modes that match `EXPR`, such as 'cores>=8 gpu<900MHz' or cores=2,4,6")
	fl.BoolVar(&grid, "grid", false, "only the evenly spaced subset: all GPU and memory clocks, every second "+
		"count of cores and CPU clock")
	fl.IntVar(&sample, "sample", 0, "`N` random modes")
	fl.BoolVar(&a.asCSV, "csv", false, "as CSV, one mode per line")
	a.jsonListFlag(fl)
	return cmd
}

// modeJSON is one element of `jtune modes --json`.
type modeJSON struct {
	tegra.ModeUnits
	Virtual bool `json:"virtual"`
}

func toModesJSON(modes []tegra.Mode, b tegra.Board) []modeJSON {
	out := make([]modeJSON, len(modes))
	for i, m := range modes {
		out[i] = modeJSON{m.Units(), b.Virtual}
	}
	return out
}

func (a *app) modesCSV(modes []tegra.Mode, b tegra.Board) error {
	w := csv.NewWriter(a.out)
	w.Write(slices.Concat(sweep.Columns[:4], []string{sweep.VirtualColumn}))
	for _, m := range modes {
		w.Write(append(sweep.ModeFields(m), strconv.FormatBool(b.Virtual)))
	}
	w.Flush()
	return w.Error()
}

// countModes prints the size of the space and the values of each knob.
func (a *app) countModes(s *tegra.Space) error {
	fmt.Fprintf(a.out, "%s power modes\n", text.Thousands(s.Len()))
	freqs := func(list []tegra.Freq) string {
		var out []string
		for _, f := range list {
			out = append(out, strconv.FormatFloat(f.MHz(), 'f', -1, 64))
		}
		return strings.Join(out, " ")
	}
	return table(a.out,
		[]string{fmt.Sprintf("%d core counts", len(s.Cores)), strings.Trim(fmt.Sprint(s.Cores), "[]")},
		[]string{fmt.Sprintf("%d CPU clocks, MHz", len(s.CPU)), freqs(s.CPU)},
		[]string{fmt.Sprintf("%d GPU clocks, MHz", len(s.GPU)), freqs(s.GPU)},
		[]string{fmt.Sprintf("%d memory clocks, MHz", len(s.EMC)), freqs(s.EMC)})
}

// listModes prints modes alone: what else there is to say goes beside them.
func (a *app) listModes(s *tegra.Space, modes []tegra.Mode, b tegra.Board) error {
	for _, m := range modes {
		if _, err := fmt.Fprintln(a.out, s.Format(m)); err != nil {
			return err
		}
	}
	a.note("%s%s", text.Count(len(modes), "mode"), originOf(b))
	return nil
}

// workloadJSON is one element of `jtune workloads --json`: a workload without its
// environment and what else only the job needs.
type workloadJSON struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Aliases  []string `json:"aliases"`
	Task     string   `json:"task"`
	Model    string   `json:"model"`
	Dataset  string   `json:"dataset"`
	Samples  int      `json:"samples"`
	Batch    int      `json:"batch"`
	Workers  int      `json:"workers"`
	Prefetch int      `json:"prefetch"`
	Epochs   int      `json:"epochs"`
	Command  []string `json:"command"`
	// Estimated is null on a real board, which simulates nothing.
	Estimated tegra.Val[bool] `json:"estimated"`
	DNR       text.Optional   `json:"dnr"`     // why it does not fit the board; null where it does
	Virtual   bool            `json:"virtual"` // the board here is
}

func (a *app) workloads() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workloads",
		Short: "List the known workloads",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			list, err := a.options.Workloads()
			if err != nil {
				return err
			}
			b, simulated := a.options.Simulations(list)
			if a.asJSON {
				return printJSON(a.out, toWorkloadsJSON(list, b, simulated))
			}
			return a.printWorkloads(list, b, simulated)
		},
	}
	a.jsonListFlag(cmd.Flags())
	return cmd
}

func (a *app) printWorkloads(list []workload.Workload, b tegra.Board, simulated map[string]session.Simulation) error {
	rows := [][]string{{"name", "aliases", "task", "model", "dataset", "samples", "batch", "workers"}}
	marked, dnr, loads := false, []string(nil), []string(nil)
	for _, w := range list {
		name := w.Name
		switch one := simulated[name]; {
		case one.Why != "":
			name, dnr = name+" DNR", append(dnr, "DNR: "+one.Why)
		case b.Simulated() && one.Estimated:
			name, marked = name+"*", true
		}
		if why, elsewhere := w.LoaderFault(); why != "" {
			loads = append(loads, fmt.Sprintf("%s has 0 workers: %s; elsewhere %d", w.Name, why, elsewhere))
		}
		rows = append(rows, []string{name, strings.Join(w.Aliases, " "), w.Task, w.Model, w.Dataset,
			text.Thousands(w.Samples), strconv.Itoa(w.Batch), strconv.Itoa(w.Workers)})
	}
	if err := table(a.out, rows...); err != nil {
		return err
	}
	if marked {
		fmt.Fprintln(a.out, "* estimated: this simulation is not based on measurements of such a board")
	}
	for _, line := range slices.Concat(dnr, loads) {
		fmt.Fprintln(a.out, wrapped(line))
	}
	return a.printOrigin(b.Origin())
}

func toWorkloadsJSON(list []workload.Workload, b tegra.Board, simulated map[string]session.Simulation) []workloadJSON {
	out := make([]workloadJSON, len(list))
	for i, w := range list {
		out[i] = workloadJSON{
			Name:      w.Name,
			Title:     w.Title,
			Aliases:   listOf(w.Aliases),
			Task:      w.Task,
			Model:     w.Model,
			Dataset:   w.Dataset,
			Samples:   w.Samples,
			Batch:     w.Batch,
			Workers:   w.Workers,
			Prefetch:  w.Prefetch,
			Epochs:    w.Epochs,
			Command:   listOf(w.Command),
			Estimated: tegra.Val[bool]{V: simulated[w.Name].Estimated, OK: b.Simulated()},
			DNR:       text.Optional(simulated[w.Name].Why),
			Virtual:   b.Virtual,
		}
	}
	return out
}

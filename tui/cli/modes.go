package cli

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual"
	"jtune/tui/export"
	"jtune/tui/session"
)

// measuredKey finds filter terms that a bare mode has no value for.
var measuredKey = regexp.MustCompile(`(?i)\b(time|power|energy)\b`)

func (a *app) modes() *cobra.Command {
	var filter string
	var grid, asCSV, asJSON bool
	sample := 0
	cmd := &cobra.Command{
		Use:   "modes",
		Short: "List or count the power modes of the device",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asCSV && asJSON {
				return usagef("--csv and --json exclude each other")
			}
			if cmd.Flags().Changed("sample") && sample < 1 {
				return usagef("--sample %d: must be positive", sample)
			}
			if k := measuredKey.FindString(filter); k != "" {
				return usagef("--filter %s: the time and power of a mode follow from a workload: jtune predict tells them", k)
			}
			f, err := tegra.ParseFilter(filter)
			if err != nil {
				return usagef("--filter: %v", err)
			}
			return a.onDevice(func(s *session.Session) error {
				if !s.Sysfs().Complete() {
					return fmt.Errorf("%w: the memory clocks of this board can be read by root alone: run jtune modes as root", tegra.ErrPermission)
				}
				space := s.Device.Space()
				if grid {
					space = space.Grid()
				}
				space = space.Filter(f)
				modes := space.Modes()
				if sample > 0 {
					modes = space.Sample(sample, a.options.Seed)
				}
				switch {
				case asJSON:
					return a.modesJSON(modes)
				case asCSV:
					return a.modesCSV(modes)
				case filter == "" && !grid && sample == 0:
					return a.countModes(space)
				}
				return a.listModes(space, modes)
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&filter, "filter", "", "`EXPR` such as 'cores>=8 gpu<900MHz'")
	fl.BoolVar(&grid, "grid", false, "just the even subset that the paper profiles")
	fl.IntVar(&sample, "sample", 0, "draw `N` of them at random")
	fl.BoolVar(&asCSV, "csv", false, "as CSV, one mode per line")
	jsonListFlag(fl, &asJSON)
	return cmd
}

func (a *app) modesJSON(modes []tegra.Mode) error {
	out := make([]modeJSON, len(modes))
	for i, m := range modes {
		out[i] = export.ModeOf(m)
	}
	return printJSON(a.out, out)
}

func (a *app) modesCSV(modes []tegra.Mode) error {
	w := csv.NewWriter(a.out)
	w.Write(sweep.Columns[:4])
	for _, m := range modes {
		w.Write(export.KnobFields(m))
	}
	w.Flush()
	return w.Error()
}

// countModes tells the size of the space and what each knob can be set to.
func (a *app) countModes(s *tegra.Space) error {
	fmt.Fprintf(a.out, "%s power modes\n", figures.Thousands(s.Len()))
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

func (a *app) listModes(s *tegra.Space, modes []tegra.Mode) error {
	for _, m := range modes {
		if _, err := fmt.Fprintln(a.out, s.Format(m)); err != nil {
			return err
		}
	}
	a.note("%s", figures.Count(len(modes), "mode"))
	return nil
}

// workloadJSON is one element of `jtune workloads --json`.
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
	Estimated *bool `json:"estimated"`
}

func (a *app) workloads() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "workloads",
		Short: "List the known training jobs",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			list, err := a.options.Workloads()
			if err != nil {
				return err
			}
			simulated := a.simulates()
			if asJSON {
				return printJSON(a.out, toWorkloadsJSON(list, simulated))
			}
			return a.printWorkloads(list, simulated)
		},
	}
	jsonListFlag(cmd.Flags(), &asJSON)
	return cmd
}

// simulates tells whether workloads would run on a board's physics.
func (a *app) simulates() bool {
	s, err := session.Open(a.options)
	if err != nil {
		return false
	}
	defer s.Close()
	b := s.Device.Board()
	return b.Virtual && b.Replay == ""
}

func (a *app) printWorkloads(list []profiles.Workload, simulated bool) error {
	rows := [][]string{{"name", "aliases", "task", "model", "dataset", "samples", "batch", "workers"}}
	marked := false
	for _, w := range list {
		name := w.Name
		if simulated && virtual.Estimated(name) {
			name, marked = name+"*", true
		}
		rows = append(rows, []string{name, strings.Join(w.Aliases, " "), w.Task, w.Model, w.Dataset, figures.Thousands(w.Samples), strconv.Itoa(w.Batch), strconv.Itoa(w.Workers)})
	}
	if err := table(a.out, rows...); err != nil || !marked {
		return err
	}
	_, err := fmt.Fprintln(a.out, "* estimated: no measurement on such a board stands behind this simulation")
	return err
}

func toWorkloadsJSON(list []profiles.Workload, simulated bool) []workloadJSON {
	out := make([]workloadJSON, len(list))
	for i, w := range list {
		out[i] = workloadJSON{w.Name, w.Title, append([]string{}, w.Aliases...), w.Task, w.Model, w.Dataset, w.Samples, w.Batch, w.Workers, w.Prefetch, w.Epochs, append([]string{}, w.Command...), nil}
		if simulated {
			estimated := virtual.Estimated(w.Name)
			out[i].Estimated = &estimated
		}
	}
	return out
}

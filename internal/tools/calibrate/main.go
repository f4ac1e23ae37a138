// Command calibrate compares the virtual AGX Orin's physics with measured
// sweeps and published figures, and refits its constants.
//
//	go run ./internal/tools/calibrate -sweeps DIR [-fit]
//
// DIR holds powertrain-agx-orin/train/*.csv. With -fit it prints constants to
// paste into tegra/virtual/physics/constants.toml.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session/lab/fidelity"
)

// files are the measured sweeps by workload.
var files = []struct{ workload, name string }{
	{"resnet18", "resnet_train_data_final.csv"},
	{"mobilenet", "mobnet_train_data_final.csv"},
	{"lstm", "lstm_train_data_final.csv"},
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	dir := flags.String("sweeps", "../shared/data/sweeps", "folder of measured sweeps")
	refit := flags.Bool("fit", false, "refit the constants and print them")
	steps := flags.Int("steps", 200, "most iterations of one fit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m := model{chip: physics.On("agx-orin"), workloads: physics.Workloads(), measured: map[string][]tegra.Measured{}}
	for _, f := range files {
		table, err := sweep.ReadFile(filepath.Join(*dir, "powertrain-agx-orin", "train", f.name), sweep.Options{})
		if err != nil {
			return err
		}
		m.measured[f.workload] = table.Measured()
	}
	if *refit {
		m.fit(*steps)
		m.print(out)
	}
	m.report(out)
	return nil
}

// model is a set of constants with the data to compare them with.
type model struct {
	chip      physics.Chip
	workloads []physics.Workload
	measured  map[string][]tegra.Measured
	trials    map[string]fidelity.Trial // of each workload, as requested
}

func (m *model) workload(name string) *physics.Workload {
	for i := range m.workloads {
		if m.workloads[i].Name == name {
			return &m.workloads[i]
		}
	}
	panic("calibrate: unknown workload")
}

// report prints the errors against the sweeps and the published figures.
func (m *model) report(out io.Writer) {
	fmt.Fprintf(out, "%-10s %6s %14s %15s\n", "workload", "modes", "time MAPE %", "power MAPE %")
	for _, f := range files {
		var timeErr, powerErr float64
		rows := m.measured[f.workload]
		for _, r := range rows {
			s := m.workload(f.workload).Steady(m.chip, physics.At(r.Mode))
			timeErr += math.Abs(s.TimeMS/r.TimeMS - 1)
			powerErr += math.Abs(s.Power.Total()/r.PowerW - 1)
		}
		n := float64(len(rows)) / 100
		fmt.Fprintf(out, "%-10s %6d %14.2f %15.2f\n", f.workload, len(rows), timeErr/n, powerErr/n)
	}
	fmt.Fprintf(out, "\n%-10s %-28s %-8s %10s %10s %7s  %s\n", "workload", "at", "unit", "published", "ours",
		"diff %", "source")
	for _, w := range m.workloads {
		for _, p := range m.published(w.Name) {
			fmt.Fprintf(out, "%-10s %-28s %-8s %10.1f %10.1f %+7.1f  %s\n", w.Name, p.at, p.unit, p.value, p.ours,
				100*(p.ours/p.value-1), p.source)
		}
	}
}

package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/tegra"
	"jtune/tegra/nvpmodel"
)

func newConvert(a *app) *cobra.Command {
	return group("convert", "jtune lab convert tegrastats [FILE], jtune lab convert nvpmodel FILE, or "+
		"jtune lab convert export MODE --name NAME",
		newConvertTegrastats(a), newConvertNvpmodel(a), was(newExport(a), "export"))
}

// nvpmodelCmd is `jtune lab convert nvpmodel`.
type nvpmodelCmd struct{ logs }

func newConvertNvpmodel(a *app) *cobra.Command {
	return command(&nvpmodelCmd{logs{a}}, "convert nvpmodel", cobra.ExactArgs(1))
}

func (c *nvpmodelCmd) flags(f *pflag.FlagSet) {
	c.jsonFlag(f, asDocument)
}

func (c *nvpmodelCmd) run(context.Context) error {
	in, done, err := c.input(c.args[0])
	if err != nil {
		return err
	}
	defer done()
	conf, err := nvpmodel.Parse(in)
	if err != nil {
		return fmt.Errorf("%s: %w", c.args[0], err)
	}
	for _, e := range conf.Errors {
		c.note("%s: line %d: %s", c.args[0], e.Line, e.Message)
	}
	if len(conf.Modes) == 0 {
		return fmt.Errorf("%s: no power mode in it: give an nvpmodel.conf, such as /etc/nvpmodel.conf of a "+
			"Jetson", c.args[0])
	}
	if c.asJSON {
		return printJSON(c.out, conf)
	}
	return printNvpmodel(c.out, conf)
}

func printNvpmodel(w io.Writer, c *nvpmodel.Config) error {
	rows := [][]string{{"id", "name", "cores", "CPU", "GPU", "EMC cap", ""}}
	for _, m := range c.Modes {
		on, _ := c.Cores(m)
		cpu, gpu, emc, mark := "–", "–", "–", ""
		for _, param := range slices.Sorted(maps.Keys(c.CPU(m))) {
			cpu = limitText(c.CPU(m)[param].Max, tegra.KHz)
			break // the first cluster's limit is shown for all
		}
		if r, ok := c.GPU(m); ok {
			gpu = limitText(r.Max, tegra.Hz)
		}
		if v, ok := c.EMC(m); ok {
			emc = limitText(&v, tegra.Hz)
		}
		if c.Default != nil && *c.Default == m.ID {
			mark = "default"
		}
		rows = append(rows, []string{strconv.Itoa(m.ID), m.Name, strconv.Itoa(len(on)), cpu, gpu, emc, mark})
	}
	return report.Grid(w, rows...)
}

// limitText formats a limit of an nvpmodel mode: absent, none, or nvpmodel's word for no limit.
func limitText(v *int64, unit tegra.Freq) string {
	switch {
	case v == nil:
		return "–"
	case *v == nvpmodel.NoLimit || *v == 0:
		return "no limit"
	}
	return (tegra.Freq(*v) * unit).String()
}

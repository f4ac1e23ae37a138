package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tegra/nvpmodel"
)

func (a *app) convert() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "convert tegrastats|nvpmodel",
		Short: "Convert NVIDIA's formats",
		Args:  takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("convert needs a format: jtune convert tegrastats [FILE], or jtune convert nvpmodel FILE")
		},
	}
	cmd.AddCommand(a.convertTegrastats(), a.convertNvpmodel())
	return cmd
}

func (a *app) convertNvpmodel() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "nvpmodel FILE",
		Short: "Print the power modes of an nvpmodel.conf",
		Args:  takes(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			in, done, err := a.input(args[0])
			if err != nil {
				return err
			}
			defer done()
			conf, err := nvpmodel.Parse(in)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			for _, e := range conf.Errors {
				a.note("%s: line %d: %s", args[0], e.Line, e.Message)
			}
			if len(conf.Modes) == 0 {
				return fmt.Errorf("%s: no power mode in it: give an nvpmodel.conf, such as /etc/nvpmodel.conf of a "+
					"Jetson", args[0])
			}
			if a.asJSON {
				return printJSON(a.out, conf)
			}
			return a.printNvpmodel(conf)
		},
	}
	a.jsonFlag(cmd.Flags())
	return cmd
}

func (a *app) printNvpmodel(c *nvpmodel.Config) error {
	rows := [][]string{{"id", "name", "cores", "CPU", "GPU", "EMC cap", ""}}
	for _, m := range c.Modes {
		on, _ := c.Cores(m)
		cpu, gpu, emc, mark := "–", "–", "–", ""
		for _, param := range slices.Sorted(maps.Keys(c.CPU(m))) {
			cpu = limitText(c.CPU(m)[param].Max, tegra.KHz)
			break // the first cluster speaks for all
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
	return table(a.out, rows...)
}

// limitText prints a limit of an nvpmodel mode, which may be absent, none, or
// nvpmodel's word for no limit.
func limitText(v *int64, unit tegra.Freq) string {
	switch {
	case v == nil:
		return "–"
	case *v == nvpmodel.NoLimit || *v == 0:
		return "no limit"
	}
	return (tegra.Freq(*v) * unit).String()
}

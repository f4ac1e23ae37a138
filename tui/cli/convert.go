package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/tegra"
	"jtune/tegra/nvpmodel"
)

func newConvert(a *app) *cobra.Command {
	return group("convert", "jtune lab convert tegrastats [FILE], jtune lab convert nvpmodel FILE, or "+
		"jtune lab convert export MODE --name NAME",
		newConvertTegrastats(a), newConvertNvpmodel(a), was(newExport(a), "export"))
}

// newConvertNvpmodel makes `jtune lab convert nvpmodel`.
func newConvertNvpmodel(a *app) *cobra.Command {
	return a.command("convert nvpmodel", cobra.ExactArgs(1), func(context.Context) error {
		name := a.args[0]
		in, done, err := input(a, name)
		if err != nil {
			return err
		}
		defer done()
		conf, err := nvpmodel.Parse(in)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, e := range conf.Errors {
			a.note("%s: line %d: %s", name, e.Line, e.Message)
		}
		if len(conf.Modes) == 0 {
			return fmt.Errorf("%s: no power mode in it: give an nvpmodel.conf, such as /etc/nvpmodel.conf of a "+
				"Jetson", name)
		}
		return a.show(conf, modesTable(conf))
	})
}

// modesTable lists the modes of a file.
func modesTable(c *nvpmodel.Config) document.Table {
	t := document.Table{Head: []string{"id", "name", "cores", "CPU", "GPU", "EMC cap", ""}}
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
		t.Rows = append(t.Rows, []string{strconv.Itoa(m.ID), m.Name, strconv.Itoa(len(on)), cpu, gpu, emc, mark})
	}
	return t
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

package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"jtune/optimize/lab/population"
)

// populationFlags holds the flags of `lab evaluate --population`.
type populationFlags struct {
	population.Options
	boards, levels string // as typed
}

func (p *populationFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&p.Name, "population", "", "judge searches on simulated workloads of the population `NAME`, in place "+
		"of a sweep: "+population.About())
	f.BoolVar(&p.Messy, "messy", false, "with a population: one time in 20 far too long, drift, lagging sensors, two "+
		"states")
	f.BoolVar(&p.Development, "development", false, "with a population: its half for choosing constants (default: the "+
		"half for reports)")
	f.StringVar(&p.boards, "boards", "", "with a population: `BOARDS`, with commas (default "+
		strings.Join(population.Boards(), ",")+")")
	countFlag(f, &p.Workloads, "workloads", "with a population: `N` workloads for each board, one question each "+
		"(default 100)")
	f.StringVar(&p.Goal, "goal", "", "with a population: look for the least `WHAT`: "+
		strings.Join(population.Goals(), ", ")+" (default time, within a power limit)")
	f.StringVar(&p.levels, "levels", "", "with a population: limits in `PERCENT` of the span of a workload's power, "+
		"which the workloads take in turn; below 0: under the least (default 4,32,60,88)")
	countFlag(f, &p.Visits, "visits", "with a population: ask each question `N` times, from nothing known (default 1)")
	f.BoolVar(&p.Second, "second", false, "with a population: each question follows one with another limit, whose "+
		"readings are known")
}

// checkPopulation parses the flags with several values.
func (c *evaluateCmd) checkPopulation() error {
	p := &c.population
	p.Methods, p.Seed = c.Methods, c.options.Seed
	if p.boards != "" {
		p.Boards = strings.Split(p.boards, ",")
	}
	for _, field := range strings.FieldsFunc(p.levels, func(r rune) bool { return r == ',' }) {
		level, err := strconv.ParseFloat(field, 64)
		if err != nil || !(level > -100 && level <= 100) {
			return usagef("--levels %q: want percentages such as 4,32,60,88", p.levels)
		}
		p.Levels = append(p.Levels, level)
	}
	if err := p.Check(); err != nil {
		return usagef("--population %s: %w", p.Name, err)
	}
	return nil
}

// judge prints the table of a population.
func (c *evaluateCmd) judge(ctx context.Context) error {
	o := c.population.Options
	o.Progress = counter(c.app, false)
	r, err := population.Evaluate(ctx, o)
	if isTerminal(c.err) {
		c.note("")
	}
	if err != nil {
		return err
	}
	if c.asJSON {
		return printJSON(c.out, r)
	}
	return r.WriteText(c.out)
}

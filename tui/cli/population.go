package cli

import (
	"context"
	"strconv"
	"strings"

	"jtune/optimize/lab/population"
)

// populationFlags holds the flags of `lab evaluate --population`.
type populationFlags struct {
	population.Options
	boards, levels string // as typed
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
	return c.show(r, r.Parts()...)
}

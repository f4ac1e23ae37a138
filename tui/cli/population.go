package cli

import (
	"context"

	"jtune/optimize/lab/population"
)

// checkPopulation completes the request.
func (c *evaluateCmd) checkPopulation() error {
	p := &c.population
	p.Methods, p.Seed = c.Methods, c.options.Seed
	if err := p.Check(); err != nil {
		return usagef("--population %s: %w", p.Name, err)
	}
	return nil
}

// judge prints the table of a population.
func (c *evaluateCmd) judge(ctx context.Context) error {
	o := c.population
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

package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/optimize/lab/bench"
	"jtune/optimize/lab/population"
	"jtune/tui/session/fit"
	"jtune/tui/session/models"
)

// evaluateCmd is `jtune lab evaluate`.
type evaluateCmd struct {
	*app
	bench.Options
	population                population.Options
	truth, reference, budgets string // as typed
	SamplesOf, others         []string
	Strict                    bool
}

func newEvaluate(a *app) *cobra.Command {
	c := &evaluateCmd{app: a}
	p := &c.population
	return a.command("evaluate", nil, c.run, places{"truth": &c.truth, "reference": &c.reference,
		"others": &c.others, "budgets": &c.budgets}, c,
		the("population", places{"population": &p.Name}, p))
}

func (c *evaluateCmd) run(ctx context.Context) error {
	if c.population.Name != "" {
		return c.judge(ctx)
	}
	if err := c.read(); err != nil {
		return err
	}
	c.Progress = counter(c.app, c.Quick)
	report, err := bench.Evaluate(ctx, c.Options)
	if isTerminal(c.err) {
		fmt.Fprintln(c.err)
	}
	if err != nil {
		return err
	}
	if c.asCSV {
		c.notes(report.Notes)
		return report.WriteCSV(c.out)
	}
	return c.show(report, report.Parts()...)
}

// read reads the sweep, the data to compare with, and further training data.
func (c *evaluateCmd) read() error {
	s, err := readSamples(c.app, c.truth, c.Strict)
	if err != nil {
		return err
	}
	c.Origin = s.Provenance.Origin()
	c.Truth, c.Name, c.Seed, c.Presets = s.Measured, c.truth, c.options.Seed, fit.PresetsFor(c.options, s)
	if c.Reference, err = models.Reference(c.options.Paths, c.reference); err != nil {
		return err
	}
	if c.Authors, err = readAuthors(c.SamplesOf); err != nil {
		return err
	}
	for _, path := range c.others {
		s, err := readSamples(c.app, path, c.Strict)
		if err != nil {
			return err
		}
		c.Others = append(c.Others, bench.Workload{Name: path, Measured: s.Measured})
	}
	return nil
}

// readAuthors reads files of published runs.
func readAuthors(paths []string) (list []bench.Authors, err error) {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		a, err := bench.ReadAuthors(filepath.Base(path), f)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// check completes the request.
func (c *evaluateCmd) check() (err error) {
	if c.population.Name != "" {
		return c.checkPopulation()
	}
	for _, m := range c.Methods {
		if !slices.Contains(bench.Methods(), m) {
			return usagef("--methods %q: want some of %s", m, strings.Join(bench.Methods(), ","))
		}
	}
	c.BudgetFrom, c.BudgetTo, c.BudgetStep, err = parseBudgets(c.budgets)
	return err
}

// positive parses a positive, finite number.
func positive(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a positive number", text)
	}
	return v, nil
}

// parseBudgets parses FROM:TO:STEP in watts; "" gives zeros.
func parseBudgets(text string) (from, to, step float64, err error) {
	if text == "" {
		return 0, 0, 0, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, 0, 0, usagef("--budgets %q: want FROM:TO:STEP such as 17:50:1", text)
	}
	for i, v := range []*float64{&from, &to, &step} {
		if *v, err = positive(parts[i]); err != nil {
			return 0, 0, 0, usagef("--budgets %q: %w", text, err)
		}
	}
	if to < from {
		return 0, 0, 0, usagef("--budgets %q: ends before it begins", text)
	}
	return from, to, step, nil
}

// seldom is the minimum time between two progress lines that are not redrawn in place.
const seldom = 15 * time.Second

// counter prints progress with a hint to --quick: redrawn in place on a terminal, otherwise as occasional lines.
func counter(a *app, quick bool) func(done, total int) {
	less := " (--quick makes fewer)"
	if quick {
		less = ""
	}
	if isTerminal(a.err) {
		return func(done, total int) { fmt.Fprintf(a.err, "\r%d of %d runs%s", done, total, less) }
	}
	last := time.Now()
	return func(done, total int) {
		if time.Since(last) >= seldom {
			a.note("%d of %d runs%s", done, total, less)
			last = time.Now()
		}
	}
}

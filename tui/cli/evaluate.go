package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tui/session"
)

func (a *app) evaluate() *cobra.Command {
	var truth, reference, methods, sizes, budgets, latencies string
	var samplesOf, others []string
	o := optimize.EvaluateOptions{}
	asJSON, strict := false, false
	cmd := &cobra.Command{
		Use:   "evaluate --truth FILE",
		Short: "Compare methods on a measured sweep, in the papers' measures",
		Long: "Learns from random modes of a sweep in which every mode was measured, predicts the others, and lets each method choose for every limit.\n\n" +
			"Choices are held against two optima: the best reading within the limit, and, for a sweep of 400 modes and more, the best one that a fit to 400 " +
			"of them bears out (\"clean\": its power no more than 10 % and its time no more than 25 % below), since the best of thousands of single readings is often " +
			"luck. A search is \"hot\" when one of its probes drew more than 10 % over the power limit.",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if truth == "" {
				return usagef("evaluate: --truth FILE is missing: a measured sweep")
			}
			if err := evaluateLists(&o, methods, sizes, budgets, latencies); err != nil {
				return err
			}
			s, err := session.ReadSamples(truth, a.options.Batches, strict)
			if err != nil {
				return err
			}
			a.notes(s.Notes)
			o.Truth, o.Name, o.Workload, o.Seed, o.Presets = s.Measured, truth, s.Workload, a.options.Seed, a.presetsFor(s)
			if o.Reference, err = a.options.Reference(reference); err != nil {
				return err
			}
			if o.Authors, err = readAuthors(samplesOf); err != nil {
				return err
			}
			if o.Others, err = a.otherWorkloads(others, strict); err != nil {
				return err
			}
			o.Progress = a.counter(o.Quick)
			report, err := optimize.Evaluate(cmd.Context(), o)
			if isTerminal(a.err) {
				fmt.Fprintln(a.err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, report)
			}
			return report.WriteText(a.out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&truth, "truth", "", "sweep `FILE` or campaign folder that holds every mode's measurement")
	f.StringVar(&reference, "reference", "", "`FILE` (sweep, campaign folder, model, reference) or name of another workload for gp+ref and powertrain, or none; never the sweep's own workload (default: gp+ref is left out, powertrain transfers from "+learn.ShippedName+")")
	f.StringVar(&methods, "methods", "", "of "+strings.Join(optimize.EvaluateMethods(), ", ")+" (default: all that can run)")
	f.StringVar(&sizes, "sizes", "", "how many modes are learnt from (default 10,20,50)")
	f.IntVar(&o.Seeds, "seeds", 0, "random samples per size (default 10)")
	f.StringSliceVar(&samplesOf, "samples-of", nil, "published runs (`FILE`, comma-separated): learn from the modes they name, and stand beside their errors")
	f.StringSliceVar(&others, "others", nil, "other workloads measured on that board (`FILE`, comma-separated): linear4 picks its four modes, and learns energy, by them")
	f.StringVar(&budgets, "budgets", "", "power limits `FROM:TO:STEP` in watts (default 17:50:1)")
	f.StringVar(&latencies, "latencies", "", "limits `MS` on the time of a minibatch, each with every power limit, for a sweep with several minibatch sizes (default 25,50,100,200; budgets 17:50:3)")
	f.BoolVar(&o.LeaveOutStuck, "leave-out-stuck", false, "leave out settings of the sweep whose GPU clock seems not to have been set; without, they are only told")
	f.BoolVar(&o.Quick, "quick", false, "fewer samples and limits: an answer in seconds")
	jsonFlag(f, &asJSON)
	f.BoolVar(&strict, "strict", false, "a bad row of --truth is an error")
	return cmd
}

// otherWorkloads reads sweeps of other workloads.
func (a *app) otherWorkloads(paths []string, strict bool) (list []optimize.Workload, err error) {
	for _, path := range paths {
		s, err := session.ReadSamples(path, a.options.Batches, strict)
		if err != nil {
			return nil, err
		}
		a.notes(s.Notes)
		list = append(list, optimize.Workload{Name: path, Measured: s.Measured})
	}
	return list, nil
}

// readAuthors reads files of published runs.
func readAuthors(paths []string) (list []optimize.Authors, err error) {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		a, err := optimize.ReadAuthors(filepath.Base(path), f)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// evaluateLists reads the flags that hold several values.
func evaluateLists(o *optimize.EvaluateOptions, methods, sizes, budgets, latencies string) error {
	if o.Seeds < 0 {
		return usagef("--seeds %d: must be positive", o.Seeds)
	}
	if methods != "" {
		o.Methods = strings.Split(methods, ",")
	}
	for _, m := range o.Methods {
		if !slices.Contains(optimize.EvaluateMethods(), m) {
			return usagef("--methods %q: want some of %s", m, strings.Join(optimize.EvaluateMethods(), ","))
		}
	}
	for _, field := range strings.FieldsFunc(sizes, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return usagef("--sizes %q: want numbers of modes such as 10,20,50", sizes)
		}
		o.Sizes = append(o.Sizes, n)
	}
	for _, field := range strings.FieldsFunc(latencies, func(r rune) bool { return r == ',' }) {
		ms, err := strconv.ParseFloat(field, 64)
		if err != nil || !(ms > 0) || math.IsInf(ms, 0) {
			return usagef("--latencies %q: want milliseconds such as 25,50,100", latencies)
		}
		o.LatenciesMS = append(o.LatenciesMS, ms)
	}
	var err error
	o.BudgetFrom, o.BudgetTo, o.BudgetStep, err = parseBudgets(budgets)
	return err
}

// parseBudgets reads FROM:TO:STEP in watts; zeros for "".
func parseBudgets(text string) (from, to, step float64, err error) {
	if text == "" {
		return 0, 0, 0, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, 0, 0, usagef("--budgets %q: want FROM:TO:STEP such as 17:50:1", text)
	}
	for i, v := range []*float64{&from, &to, &step} {
		if *v, err = strconv.ParseFloat(parts[i], 64); err != nil || !(*v > 0) || math.IsInf(*v, 0) {
			return 0, 0, 0, usagef("--budgets %q: %q is no positive number", text, parts[i])
		}
	}
	if to < from {
		return 0, 0, 0, usagef("--budgets %q: ends before it begins", text)
	}
	return from, to, step, nil
}

// seldom is the least time between two lines of progress that cannot be drawn
// in place.
const seldom = 15 * time.Second

// counter tells of progress, and of the way to less: in place on a terminal, by
// a line now and then elsewhere.
func (a *app) counter(quick bool) func(done, total int) {
	less := " (--quick makes fewer)"
	if quick {
		less = ""
	}
	if isTerminal(a.err) {
		return func(done, total int) { fmt.Fprintf(a.err, "\r%d of %d runs%s", done, total, less) }
	}
	told := time.Now()
	return func(done, total int) {
		if time.Since(told) >= seldom {
			a.note("%d of %d runs%s", done, total, less)
			told = time.Now()
		}
	}
}

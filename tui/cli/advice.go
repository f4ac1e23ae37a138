package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jtune/optimize"
	"jtune/tui/session"
)

func (a *app) advice() *cobra.Command {
	var model, mode string
	minibatches := 0
	var whole training
	var scenario optimize.Scenario
	cmd := &cobra.Command{
		Use:   "advice [--model MODEL]",
		Short: "Explain what a model shows about its workload",
		Example: "  jtune advice\n" +
			"  jtune advice --often periodically --length 40m --changes rarely\n" +
			"  jtune advice --model resnet.model --mode MAXN --minibatches 375000",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if scenario != (optimize.Scenario{}) {
				return a.adviseScenario(scenario, model)
			}
			if model == "" {
				for _, flag := range []string{"mode", "minibatches", "epochs", "per-epoch"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s needs a model: give --model MODEL", flag)
					}
				}
				return printApproaches(a.out)
			}
			if minibatches > 0 && whole.epochs > 0 {
				return usagef("advice: give --minibatches or --epochs, not both")
			}
			return a.doAdvice(model, mode, minibatches, whole)
		},
	}
	f := cmd.Flags()
	f.StringVar(&model, "model", "",
		"model `FILE`, or the name of a kept one; without it the approaches by scenario are printed")
	f.StringVar(&mode, "mode", "", "power mode `MODE` or preset to explain (default: every knob at its largest)")
	countFlag(f, &minibatches, "minibatches",
		"`N` minibatches of a whole training (default: those of the workload, if known)")
	whole.flags(f)
	f.StringVar(&scenario.Often, "often", "", "how often it is trained: `WORD` of "+strings.Join(optimize.Often, ", "))
	f.DurationVar(&scenario.Length, "length", 0, "how long a training takes, such as 40m or 72h")
	f.StringVar(&scenario.Changes, "changes", "", "how often the workload changes: `WORD` of "+
		strings.Join(optimize.Changing, ", "))
	return cmd
}

func (a *app) doAdvice(model, mode string, minibatches int, whole training) error {
	m, err := a.loadModel(model)
	if err != nil {
		return err
	}
	s := a.options.Situation(m, m.Space.Max())
	if mode != "" {
		if s.Mode, err = session.FindMode(mode, m.Space, s.Presets); err != nil {
			return fmt.Errorf("%w (--mode)", err)
		}
	}
	switch {
	case minibatches > 0:
		s.Minibatches = minibatches
	case whole.epochs > 0:
		n, err := whole.minibatches(a, m)
		if err != nil {
			return err
		}
		s.Minibatches = whole.epochs * n
	}
	return errors.Join(printLines(a.out, optimize.Advice(m, s)), a.printOrigin(m.Provenance.Origin()))
}

// adviseScenario prints the approach for trainings that flags describe.
func (a *app) adviseScenario(s optimize.Scenario, model string) error {
	switch {
	case model != "":
		return usagef("advice: --often, --length and --changes ask for an approach before anything is measured: " +
			"leave --model away")
	case s.Often != "" && !slices.Contains(optimize.Often, s.Often):
		return usagef("--often %s: want one of %s", s.Often, strings.Join(optimize.Often, ", "))
	case s.Changes != "" && !slices.Contains(optimize.Changing, s.Changes):
		return usagef("--changes %s: want one of %s", s.Changes, strings.Join(optimize.Changing, ", "))
	case s.Length < 0:
		return usagef("--length must not be negative")
	}
	return printApproach(a.out, optimize.ApproachOf(s))
}

func printApproach(w io.Writer, p optimize.Approach) error {
	_, err := fmt.Fprintf(w, "%s (trainings: %s; the workload changes: %s)\n  the paper:  %s\n  with jtune: %s\n",
		p.Scenario, p.Training, p.Changes, p.Paper, p.Jtune)
	return err
}

// printApproaches lists which way of measuring suits which training.
func printApproaches(w io.Writer) error {
	for i, p := range optimize.Approaches() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := printApproach(w, p); err != nil {
			return err
		}
	}
	return nil
}

func printLines(w io.Writer, lines []string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}

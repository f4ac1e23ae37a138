package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"jtune/optimize"
	"jtune/tegra"
)

func (a *app) advice() *cobra.Command {
	var model, mode string
	minibatches := 0
	cmd := &cobra.Command{
		Use:   "advice [--model MODEL]",
		Short: "What a model tells of its workload; how to measure for it",
		Example: "  jtune advice\n" +
			"  jtune advice --model resnet.model --mode MAXN --minibatches 375000",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := positiveIfGiven(cmd, "minibatches", minibatches); err != nil {
				return err
			}
			if model == "" {
				for _, flag := range []string{"mode", "minibatches"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s is about a model: give --model MODEL", flag)
					}
				}
				return printApproaches(a.out)
			}
			return a.doAdvice(model, mode, minibatches)
		},
	}
	f := cmd.Flags()
	f.StringVar(&model, "model", "", "model `FILE`, or the name of a kept one; without it, the approaches by scenario")
	f.StringVar(&mode, "mode", "", "`MODE` or preset that the advice is about (default every knob at its largest)")
	f.IntVar(&minibatches, "minibatches", 0, "of a whole training, `N` (default the workload's own, as far as it is known)")
	return cmd
}

func (a *app) doAdvice(model, mode string, minibatches int) error {
	m, err := a.loadModel(model)
	if err != nil {
		return err
	}
	presets, present := a.boardOf(m)
	s := optimize.Situation{Mode: m.Space.Max(), Present: present, Presets: presets, Minibatches: minibatches}
	if mode != "" {
		if s.Mode, err = modeOrPreset(mode, m.Space, presets); err != nil {
			return err
		}
	}
	if s.Minibatches == 0 {
		s.Minibatches = a.minibatches(m.Provenance.Workload)
	}
	return printLines(a.out, optimize.Advice(m, s))
}

// modeOrPreset reads a mode of a space, or the name of a preset.
func modeOrPreset(text string, space *tegra.Space, presets []tegra.Preset) (tegra.Mode, error) {
	for _, p := range presets {
		if presetName(p.Name) == presetName(text) || text == strconv.Itoa(p.ID) {
			return p.Mode, nil
		}
	}
	m, err := space.Parse(text)
	if err != nil {
		return m, usagef("--mode %s: %v", text, err)
	}
	return m, nil
}

// printApproaches tells which way of measuring suits which training.
func printApproaches(w io.Writer) error {
	for i, p := range optimize.Approaches() {
		gap := "\n"
		if i == 0 {
			gap = ""
		}
		_, err := fmt.Fprintf(w, "%s%s (trainings: %s; the workload changes: %s)\n  the paper:  %s\n  with jtune: %s\n", gap, p.Scenario, p.Training, p.Changes, p.Paper, p.Jtune)
		if err != nil {
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

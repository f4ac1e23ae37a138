package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/tui/session"
)

// runJSON is `jtune run --json`.
type runJSON struct {
	Minibatches int    `json:"minibatches"`
	TimeMS      number `json:"time_ms"`
	StallMS     number `json:"stall_ms"`
	ComputeMS   number `json:"compute_ms"`
	OverheadMS  number `json:"overhead_ms"`
	PowerW      number `json:"power_w"`
	EnergyJ     number `json:"energy_j"`
	Device      string `json:"device"`
	Virtual     bool   `json:"virtual"` // where the power, if not the times, is a simulation or a replay
	characterJSON
}

func (a *app) run() *cobra.Command {
	var r session.RunRequest
	asJSON := false
	cmd := &cobra.Command{
		Use:   "run WORKLOAD",
		Short: "Run a training job in the present mode: time, power, energy",
		Args:  takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(positiveIfGiven(cmd, "minibatches", r.Minibatches), positiveIfGiven(cmd, "epochs", r.Epochs)); err != nil {
				return err
			}
			switch {
			case r.Minibatches > 0 && r.Epochs > 0:
				return usagef("--minibatches and --epochs exclude each other")
			case r.Base < 0:
				return usagef("--base must not be negative")
			}
			return a.withJob(args[0], func(s *session.Session, w profiles.Workload) error {
				r.Workload = w
				rep := a.reporter(s.Device)
				rep.pace.Compute(false) // the idle board is measured first
				res, err := s.Run(cmd.Context(), r, rep.observe)
				rep.wipe()
				if err != nil {
					return err
				}
				return a.printRun(res, s, w, asJSON)
			})
		},
	}
	cmd.Flags().IntVar(&r.Minibatches, "minibatches", 0, "stop after `N` clean minibatches (default 40)")
	cmd.Flags().IntVar(&r.Epochs, "epochs", 0, "stop after `N` epochs")
	cmd.Flags().DurationVar(&r.Base, "base", 3*time.Second, "measure the idle board for so long first, for the share of its base load; 0: not")
	jsonFlag(cmd.Flags(), &asJSON)
	return cmd
}

func (a *app) printRun(r session.RunResult, s *session.Session, w profiles.Workload, asJSON bool) error {
	if asJSON {
		b := s.Device.Board()
		return printJSON(a.out, runJSON{r.Minibatches, number(r.TimeMS), optionalNumber(r.StallMS), optionalNumber(r.ComputeMS), optionalNumber(r.OverheadMS), optionalNumber(r.PowerW), optionalNumber(r.EnergyJ), b.Name, b.Virtual, toCharacterJSON(r.Character)})
	}
	ms := func(v tegra.Val[float64]) string {
		if !v.OK {
			return "–"
		}
		return figures.Of(v.V) + " ms"
	}
	rows := [][]string{{"board", s.BoardOf(w)}, {"minibatches", fmt.Sprint(r.Minibatches)}, {"time", ms(tegra.Some(r.TimeMS))}, {"stall", ms(r.StallMS)}, {"compute", ms(r.ComputeMS)},
		{"overhead", ms(r.OverheadMS)}, {"power", dash(r.PowerW, "%.2f W")}, {"energy", dash(r.EnergyJ, "%.3f J per minibatch")}}
	if err := table(a.out, append(rows, characterRows(r.Character)...)...); err != nil {
		return err
	}
	for _, line := range r.Character.Advice() {
		fmt.Fprintln(a.out, wrapped(line))
	}
	return nil
}

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/session"
)

// pairJSON is `jtune pair --json`. Every number is predicted.
type pairJSON struct {
	Device    text.Optional      `json:"device"`
	Virtual   bool               `json:"virtual"`
	Train     string             `json:"train"`
	Infer     string             `json:"infer"`
	Limit     any                `json:"limit"`
	Setting   settingJSON        `json:"setting"`
	Policy    optimize.Policy    `json:"policy"`
	Tau       tegra.Val[int]     `json:"tau"`
	TrainPerS float64            `json:"train_per_s"`
	Marginal  tegra.Val[float64] `json:"marginal_unit_j"`
	*servedJSON
	Feasible bool       `json:"feasible"`
	Measured bool       `json:"measured"`
	Verified []struct{} `json:"verified"`
	Alone    struct {
		TrainPerS float64     `json:"train_per_s"`
		TrainW    float64     `json:"train_w"`
		Infer     *servedJSON `json:"infer"`
		OwnBoard  *servedJSON `json:"own_board"`
	} `json:"alone"`
}

type settingJSON struct {
	Mode  tegra.Mode `json:"mode"`
	Batch int        `json:"batch"`
}

func (a *app) pair() *cobra.Command {
	var r session.PairRequest
	var models, train, infer, policy string
	cmd := &cobra.Command{
		Use:   "pair --train A --infer B --rate R [--latency MS] [--power-limit W]",
		Short: "Choose mode, batch size and turns of two jobs on one GPU",
		Long: "Predicts a training and an inference workload that take turns on one GPU, from the models of the two, " +
			"and chooses the power mode, the batch size of the inference and the policy of the turns that train most " +
			"while every limit is kept. strict: minibatches that end before the next batch is due; fill: training " +
			"goes on while no batch is due. Nothing is measured: that times add when two jobs share a board is the " +
			"model's word.",
		Example: "  jtune pair --train resnet18 --infer mobilenet-infer --rate 60 --latency 300 --power-limit 30\n" +
			"  jtune pair --models resnet.model,mobilenet.model --rate 60 --arrivals uniform --latency 500",
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := underLoad(r.Serving, cmd.Flags().Changed); err != nil {
				return err
			}
			if err := checkLimits(r.Limit, cmd.Flags().Changed); err != nil {
				return err
			}
			switch r.Policy = optimize.Policy(policy); r.Policy {
			case "", optimize.Strict, optimize.Fill:
			case optimize.Free:
				return usagef("--policy free: without turns only measuring says what happens; want strict or fill")
			default:
				return usagef("--policy %q: want strict or fill", policy)
			}
			if models != "" {
				var both bool
				if train, infer, both = strings.Cut(models, ","); !both || train == "" || infer == "" {
					return usagef("--models %q: want two with a comma, the training's first", models)
				}
			}
			if train == "" || infer == "" {
				return usagef("give --train A and --infer B, workloads with a kept model, or --models A.model,B.model")
			}
			var err error
			if r.Train, err = a.loadPowered("pair", train); err != nil {
				return err
			}
			if r.Infer, err = a.loadPowered("pair", infer); err != nil {
				return err
			}
			r.Seed, r.Limit.Margin = a.options.Seed, optimize.Margin
			return a.doPair(r, train, infer)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&train, "train", "", "training workload, or its model: `NAME` or file")
	fl.StringVar(&infer, "infer", "", "inference workload, or its model: `NAME` or file")
	fl.StringVar(&models, "models", "", "the two `MODELS` with a comma, in place of --train and --infer")
	fl.Float64Var(&r.Limit.PowerW, "power-limit", 0, "limit of `W` watts")
	fl.StringVar(&policy, "policy", "", "turns: strict or fill (default the one that trains more)")
	countFlag(fl, &r.Tau, "tau", "strict turns: at most `N` minibatches between two batches")
	servingFlags(fl, &r.Serving)
	a.jsonFlag(fl)
	return cmd
}

func (a *app) doPair(r session.PairRequest, train, infer string) error {
	p, err := session.Pair(r)
	if err != nil && !errors.Is(err, optimize.ErrInfeasible) {
		return err
	}
	a.doubts(r.Train)
	a.doubts(r.Infer)
	if a.asJSON {
		return errors.Join(err, printJSON(a.out, pairDocument(r, p, train, infer, err == nil)))
	}
	return errors.Join(err, a.printPair(r, p, err == nil))
}

func pairDocument(r session.PairRequest, p session.PairAnswer, train, infer string, feasible bool) pairJSON {
	out := pairJSON{Device: text.Optional(r.Infer.Provenance.Device), Virtual: r.Infer.Provenance.Virtual,
		Train: cmp.Or(r.Train.Provenance.Workload, train), Infer: cmp.Or(r.Infer.Provenance.Workload, infer),
		Limit: servedLimitJSON(p.Ask, optimize.Limit{PowerW: r.Limit.PowerW}), Setting: settingJSON{p.Mode, p.Batch},
		Policy: p.Policy, TrainPerS: p.TrainPerS, Marginal: tegra.Finite(p.MarginalJ()),
		servedJSON: toServedJSON(p.Ask, p.Outcome), Feasible: feasible, Verified: []struct{}{}}
	if p.Policy == optimize.Strict {
		out.Tau = tegra.Some(p.Tau)
	}
	out.Alone.TrainPerS, out.Alone.TrainW = p.TrainAlonePerS, p.TrainAloneW
	out.Alone.Infer = toServedJSON(p.Ask, p.Alone)
	if p.Apart.OK {
		out.Alone.OwnBoard = toServedJSON(p.Ask, p.Apart.V)
	}
	return out
}

func (a *app) printPair(r session.PairRequest, p session.PairAnswer, feasible bool) error {
	fmt.Fprintf(a.out, "%s, inference in batches of %d, %s turns%s; predicted, not measured as a pair\n",
		r.Infer.Space.Format(p.Mode), p.Batch, p.Policy, originMark(r.Infer.Provenance.Origin()))
	watts := func(v float64) string {
		if math.IsNaN(v) {
			return "n/a"
		}
		return text.Of(v) + " W"
	}
	late := "the queue only grows"
	if !math.IsInf(p.LatencyMS, 1) {
		late = fmt.Sprintf("p%.4g %s ms", 100*p.Ask.Quantile, text.Of(p.LatencyMS))
	}
	rows := [][]string{
		{"training", text.Of(p.TrainPerS) + " minibatches/s", "alone " + text.Of(p.TrainAlonePerS),
			change(100*(p.TrainPerS/p.TrainAlonePerS-1)) + " training"},
		{"inference", text.Of(p.ServedPerS) + " requests/s", late, p.Ask.Load.String()},
		{"power", text.Of(p.PeakW) + " W peak", watts(p.MeanW) + " mean", "idle power " + watts(p.Ask.IdleW)},
		{"GPU idle", fmt.Sprintf("%.0f %%", 100*p.IdleShare),
			fmt.Sprintf("inference alone %.0f %%", 100*p.Alone.IdleShare)},
	}
	if p.Policy == optimize.Strict {
		rows = append(rows, []string{"turns", fmt.Sprintf("at most %d minibatches between two batches", p.Tau)})
	}
	if p.Apart.OK {
		rows = append(rows, []string{"a board of its own", r.Infer.Space.Format(p.Apart.V.Mode),
			watts(p.Apart.V.PeakW) + " peak", watts(p.Apart.V.MeanW) + " mean more, for the inference alone"})
	}
	if !feasible {
		rows = append(rows, []string{"does not meet the limits", p.Why()})
	}
	return table(a.out, rows...)
}

package pair

import (
	"math"
	"slices"
	"time"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/optimize/serving"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/measure"
)

// Answer is the setting in which a training and an inference share a GPU, with everything known about it.
type Answer struct {
	mix.Outcome
	Ask          mix.Ask
	Train, Infer string // the workloads
	Device       string // board; "" if unknown
	Virtual      bool   // the board is simulated
	Feasible     bool   // false: no setting meets the limits; this is the nearest
	// Alone is the inference without the training in the same setting; the difference is what the training costs it.
	Alone mix.Outcome
	// TrainAlonePerS and TrainAloneW are the rate and power of the training alone in the same mode.
	TrainAlonePerS, TrainAloneW float64
	// Apart is the inference in the best setting on a board of its own; absent if none meets the limits.
	Apart tegra.Val[mix.Outcome]
	// Quantiles are the predicted latencies in ms of 50, 95 and 99 % of the requests; AloneQuantiles are those without
	// the training.
	Quantiles, AloneQuantiles [3]float64

	Probes   []measure.PairProbe
	Row      *record.Row   // measurement; nil if predicted
	AloneRow *record.Row   // the inference without the training; nil if not measured
	FreeRow  *record.Row   // both without turns; nil if not measured
	Mixes    *Mixes        // if requested and predicted; else nil
	Separate *mix.Separate // a mode for each job, predicted; the switch cost is measured
	Dir      string
	Took     time.Duration // device time of the pairs
}

// marginalJ returns the energy of a request beyond that of the training; NaN if the idle power is unknown.
func (x Answer) marginalJ() float64 {
	return (x.MeanW - x.TrainPerS/x.TrainAlonePerS*x.TrainAloneW) / x.ServedPerS
}

// NothingTrains says why no training happens although the limits are met; "" if some does.
func (x Answer) NothingTrains() string {
	switch {
	case !x.Feasible || x.TrainPerS > 0:
		return ""
	case x.Row == nil:
		return "no minibatch is expected to fit between two batches"
	}
	return "no minibatch fits between two batches within the limits"
}

// free returns the pair without turns.
func (x Answer) free() (mix.Ask, mix.Outcome) {
	a := x.Ask
	a.Policy, a.Tau = mix.Free, 0
	return a, a.Read(x.FreeRow.Setting, readingOf(*x.FreeRow, a))
}

// MarshalJSON returns the output of `jtune lab pair --json`.
func (x Answer) MarshalJSON() ([]byte, error) {
	out := report.Object{
		{"device", text.Optional(x.Device)},
		{"virtual", x.Virtual},
		{"train", x.Train},
		{"infer", x.Infer},
		{"limit", answers.Limits(metric.Within(x.Ask.Goal.Limits.Only(metric.Power)), x.Ask)},
		{"marginal_unit_j", x.marginalJ()},
	}
	out = append(out, mixed(x.Ask, x.Outcome, x.Row, x.Quantiles)...)
	var free, separate any
	if x.FreeRow != nil {
		ask, o := x.free()
		free = mixed(ask, o, x.FreeRow, [3]float64{})
	}
	if v := x.Separate; v != nil { // predicted, except the switch cost
		separate = report.Object{
			{"infer", setting(v.Infer)},
			{"train_mode", v.Train},
			{"switch_ms", 1000 * v.SwitchS},
			{"window_ms", 1000 * v.WindowS},
			{"train_per_s", v.TrainPerS},
			{"latency_ms", v.LatencyMS}, // at the quantile, with even arrivals
			{"peak_w", v.PeakW},
			{"offered", v.Offered},
		}
	}
	verified := []report.Object{}
	for _, p := range x.Probes {
		verified = append(verified, tried(p))
	}
	return append(out, report.Object{
		{"feasible", x.Feasible},
		{"measured", x.Row != nil},
		{"campaign", text.Optional(x.Dir)},
		{"verified", verified},
		{"free", free},
		{"separate", separate},
		{"alone", x.alone()},
	}...).MarshalJSON()
}

// alone describes each job without the other.
func (x Answer) alone() report.Object {
	ask := x.Ask
	ask.Policy = ""
	var apart any
	if x.Apart.OK {
		apart = serving.Columns(x.Ask).Object(x.Apart.V)
	}
	return report.Object{
		{"train_per_s", x.TrainAlonePerS},
		{"train_w", x.TrainAloneW},
		{"minibatch_j", x.TrainAloneW / x.TrainAlonePerS},
		{"infer", mixed(ask, x.Alone, x.AloneRow, x.AloneQuantiles)},
		{"own_board", apart},
	}
}

// tried describes a pair that was run, or that failed.
func tried(p measure.PairProbe) report.Object {
	o, row := p.Outcome, &p.Row
	var predicted any
	if v := p.Predicted; v.TimeMS > 0 {
		predicted = report.Object{{"train_per_s", v.TrainPerS}, {"latency_ms", v.LatencyMS}, {"peak_w", v.PeakW},
			{"mean_w", v.MeanW}}
	}
	why := ""
	if p.Err != nil {
		o, row, why = mix.Outcome{Setting: p.Row.Setting}, nil, p.Err.Error()
	}
	nan := math.NaN()
	return append(mixed(p.Ask, o, row, [3]float64{nan, nan, nan}),
		[2]any{"predicted", predicted}, [2]any{"error", text.Optional(why)})
}

// mixed describes two jobs in a setting; row is its measurement, nil if predicted. It has latencies at three quantiles
// instead of the requested one.
func mixed(a mix.Ask, o mix.Outcome, row *record.Row, quantiles [3]float64) report.Object {
	latency := report.Object{{"p50", quantiles[0]}, {"p95", quantiles[1]}, {"p99", quantiles[2]}}
	policy, tau := a.Policy, tegra.Val[int]{V: o.Tau, OK: a.Policy == mix.Strict}
	var minibatchJ, requestJ tegra.Val[float64]
	var late, requests tegra.Val[int]
	if row != nil {
		p := row.Pair
		policy = p.Policy
		latency = p.Latency.Object("")
		minibatchJ, requestJ = p.MinibatchJ(), p.RequestJ(row.Batch)
		late, requests = tegra.Some(p.Late), tegra.Some(p.Latency.N)
	}
	served := slices.DeleteFunc(serving.Columns(a).Object(o), func(m [2]any) bool { return m[0] == "latency_ms" })
	return slices.Concat(report.Object{
		{"setting", setting(o.Setting)},
		{"policy", policy},
		{"tau", tau},
		{"train_per_s", o.TrainPerS},
		{"latency_ms", latency},
	}, served, report.Object{
		{"minibatch_j", minibatchJ},
		{"request_j", requestJ},
		{"late_turns", late},
		{"requests", requests},
	})
}

func setting(at tegra.Setting) report.Object {
	return report.Object{{"mode", at.Mode}, {"batch", at.Batch}}
}

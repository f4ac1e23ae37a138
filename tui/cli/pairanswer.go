package cli

import (
	"fmt"
	"math"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/pair"
)

// pairAnswer is an answer of pair and whose it is.
type pairAnswer struct {
	pair.Found
	space                *tegra.Space
	origin               string // as it stands behind a number
	device, train, infer string
	virtual              bool
	powerW               float64 // limit
}

// pairJSON is `jtune pair --json`.
type pairJSON struct {
	Device   text.Optional      `json:"device"`
	Virtual  bool               `json:"virtual"`
	Train    string             `json:"train"`
	Infer    string             `json:"infer"`
	Limit    any                `json:"limit"`
	Marginal tegra.Val[float64] `json:"marginal_unit_j"`
	*mixJSON
	Feasible bool           `json:"feasible"`
	Measured bool           `json:"measured"`
	Campaign text.Optional  `json:"campaign"`
	Verified []verifiedJSON `json:"verified"`
	Free     *mixJSON       `json:"free"`
	Separate *separateJSON  `json:"separate"`
	Alone    struct {
		TrainPerS  float64            `json:"train_per_s"`
		TrainW     float64            `json:"train_w"`
		MinibatchJ tegra.Val[float64] `json:"minibatch_j"`
		Infer      *mixJSON           `json:"infer"`
		OwnBoard   *servedJSON        `json:"own_board"`
	} `json:"alone"`
}

// mixJSON is what two jobs do in a setting.
type mixJSON struct {
	Setting   settingJSON     `json:"setting"`
	Policy    string          `json:"policy"`
	Tau       tegra.Val[int]  `json:"tau"`
	TrainPerS float64         `json:"train_per_s"`
	LatencyMS pairLatencyJSON `json:"latency_ms"` // in place of the one at the quantile
	*servedJSON
	MinibatchJ tegra.Val[float64] `json:"minibatch_j"`
	RequestJ   tegra.Val[float64] `json:"request_j"`
	LateTurns  tegra.Val[int]     `json:"late_turns"`
	Requests   tegra.Val[int]     `json:"requests"`
}

// separateJSON is a mode for each job: predicted, but for the cost of a switch.
type separateJSON struct {
	Infer     settingJSON `json:"infer"`
	Train     tegra.Mode  `json:"train_mode"`
	SwitchMS  float64     `json:"switch_ms"`
	WindowMS  float64     `json:"window_ms"`
	TrainPerS float64     `json:"train_per_s"`
	LatencyMS float64     `json:"latency_ms"` // at the quantile, with even arrivals
	PeakW     float64     `json:"peak_w"`
	Offered   bool        `json:"offered"`
}

// verifiedJSON is a pair that was run, or could not be.
type verifiedJSON struct {
	*mixJSON
	Predicted *predictedMixJSON `json:"predicted"`
	Error     text.Optional     `json:"error"`
}

type predictedMixJSON struct {
	TrainPerS float64            `json:"train_per_s"`
	LatencyMS tegra.Val[float64] `json:"latency_ms"` // at the quantile
	PeakW     float64            `json:"peak_w"`
	MeanW     tegra.Val[float64] `json:"mean_w"`
}

type pairLatencyJSON struct {
	P50 tegra.Val[float64] `json:"p50"`
	P95 tegra.Val[float64] `json:"p95"`
	P99 tegra.Val[float64] `json:"p99"`
}

type settingJSON struct {
	Mode  tegra.Mode `json:"mode"`
	Batch int        `json:"batch"`
}

// toMixJSON is a mix; row is how it was measured, nil where it is predicted.
func toMixJSON(a mix.Ask, o mix.Outcome, row *record.Row, quantiles [3]float64) *mixJSON {
	out := &mixJSON{Setting: settingJSON{o.Mode, o.Batch}, Policy: string(a.Policy), TrainPerS: o.TrainPerS,
		servedJSON: toServedJSON(a, o)}
	out.LatencyMS = pairLatencyJSON{tegra.Finite(quantiles[0]), tegra.Finite(quantiles[1]), tegra.Finite(quantiles[2])}
	if a.Policy == mix.Strict {
		out.Tau = tegra.Some(o.Tau)
	}
	if row == nil || row.Pair == nil {
		return out
	}
	p := row.Pair
	out.Policy = p.Policy
	out.LatencyMS = pairLatencyJSON{tegra.Some(p.Latency.P50), p.Latency.SureP95(), p.Latency.SureP99()}
	out.MinibatchJ, out.RequestJ = p.MinibatchJ(), p.RequestJ(row.Batch)
	out.LateTurns, out.Requests = tegra.Some(p.Late), tegra.Some(p.Latency.N)
	return out
}

// answerPair prints an answer.
func (c *pairCmd) answerPair(x pairAnswer) error {
	if c.asJSON {
		return printJSON(c.out, x.document())
	}
	return c.printPair(x)
}

func (x pairAnswer) document() pairJSON {
	out := pairJSON{Device: text.Optional(x.device), Virtual: x.virtual, Train: x.train, Infer: x.infer,
		Limit: servedLimitJSON(x.Ask, optimize.Limit{PowerW: x.powerW}), Marginal: tegra.Finite(x.MarginalJ()),
		mixJSON:  toMixJSON(x.Ask, x.Outcome, x.Row, x.Quantiles),
		Feasible: x.Feasible, Measured: x.Row != nil, Campaign: text.Optional(x.Dir), Verified: []verifiedJSON{}}
	for _, p := range x.Probes {
		o, row := p.Outcome, &p.Row
		if p.Err != nil {
			o, row = mix.Outcome{Setting: p.Row.Setting}, nil
		}
		v := verifiedJSON{mixJSON: toMixJSON(p.Ask, o, row, [3]float64{math.NaN(), math.NaN(), math.NaN()})}
		if p.Err != nil {
			v.Error = text.Optional(p.Err.Error())
		}
		if p.Predicted.TimeMS > 0 {
			v.Predicted = &predictedMixJSON{p.Predicted.TrainPerS, tegra.Finite(p.Predicted.LatencyMS),
				p.Predicted.PeakW, tegra.Finite(p.Predicted.MeanW)}
		}
		out.Verified = append(out.Verified, v)
	}
	alone := x.Ask
	alone.Policy = ""
	out.Alone.TrainPerS, out.Alone.TrainW = x.TrainAlonePerS, x.TrainAloneW
	if x.TrainAlonePerS > 0 {
		out.Alone.MinibatchJ = tegra.Finite(x.TrainAloneW / x.TrainAlonePerS)
	}
	out.Alone.Infer = toMixJSON(alone, x.Answer.Alone, x.Alone, x.AloneQuantiles)
	if x.Apart.OK {
		out.Alone.OwnBoard = toServedJSON(x.Ask, x.Apart.V)
	}
	if v := x.Separate; v != nil {
		out.Separate = &separateJSON{settingJSON{v.Infer.Mode, v.Infer.Batch}, v.Train, 1000 * v.SwitchS,
			1000 * v.WindowS, v.TrainPerS, v.LatencyMS, v.PeakW, v.Offered}
	}
	if x.Free != nil {
		out.Free = toMixJSON(x.FreeAsk(), x.FreeOutcome(), x.Free, [3]float64{})
	}
	return out
}

func (c *pairCmd) printPair(x pairAnswer) error {
	how := "predicted, not measured as a pair"
	if x.Row != nil {
		how = fmt.Sprintf("measured as a pair (%s)", text.Count(len(x.Probes), "pair"))
	}
	turns := "no turns"
	if x.Ask.Policy != mix.Free {
		turns = string(x.Ask.Policy) + " turns"
	}
	fmt.Fprintf(c.out, "%s, inference in batches of %d, %s%s; %s\n", x.space.Format(x.Mode), x.Batch, turns,
		x.origin, how)
	rows := [][]string{
		{"training", text.Of(x.TrainPerS) + " minibatches/s", aloneText(x.TrainAlonePerS), trainingCost(x.Answer)},
		{"inference", text.Of(x.ServedPerS) + " requests/s", x.lateText(), x.Ask.Load.String()},
		{"power", text.Of(x.PeakW) + " W peak", wattsText(x.MeanW) + " mean", "idle power " + wattsText(x.Ask.IdleW)},
		{"GPU idle", shareText(x.IdleShare), "with the inference alone " + shareText(x.Answer.Alone.IdleShare)},
	}
	if j := x.energies(); j != nil {
		rows = append(rows, j)
	}
	if x.Ask.Policy == mix.Strict {
		rows = append(rows, []string{"turns", fmt.Sprintf("at most %d minibatches between two batches", x.Tau),
			x.late()})
	}
	if x.Alone != nil {
		rows = append(rows, append([]string{"inference alone"}, measuredText(x.Alone)...))
	}
	if x.Free != nil {
		rows = append(rows, append([]string{"without turns"}, measuredText(x.Free)...))
	}
	if v := x.Separate; v != nil {
		verdict := fmt.Sprintf("not offered: two switches of %.0f ms are over 5 %% of a window of %s s", 1000*v.SwitchS,
			text.Of(v.WindowS))
		if v.Offered {
			verdict = fmt.Sprintf("a switch takes %.0f ms, a window %s s", 1000*v.SwitchS, text.Of(v.WindowS))
		}
		rows = append(rows, []string{"a mode for each", text.Of(v.TrainPerS) + " minibatches/s, predicted",
			fmt.Sprintf("train in %s, serve in %s by %d", x.space.Format(v.Train), x.space.Format(v.Infer.Mode),
				v.Infer.Batch), verdict})
	}
	if x.Apart.OK {
		more := "more for the inference alone (predicted)"
		if v := tegra.Finite(x.Apart.V.MeanW); v.OK { // the idle power is known
			more = wattsText(v.V) + " mean " + more
		}
		rows = append(rows, []string{"a board of its own", x.space.Format(x.Apart.V.Mode),
			wattsText(x.Apart.V.PeakW) + " peak", more})
	}
	if !x.Feasible {
		rows = append(rows, []string{"does not meet the limits", x.Why()})
	}
	return table(c.out, rows...)
}

// lateText is the latency of an answer.
func (x pairAnswer) lateText() string {
	if x.Row != nil {
		return latencyText(x.Row.Pair.Latency)
	}
	if math.IsInf(x.LatencyMS, 1) {
		return "the queue only grows"
	}
	return fmt.Sprintf("p%.4g %s ms", 100*x.Ask.Quantile, text.Of(x.LatencyMS))
}

// measuredText is a row of two jobs, or of one of them.
func measuredText(row *record.Row) []string {
	p := row.Pair
	train := "no training"
	if p.TrainPerS > 0 {
		train = text.Of(p.TrainPerS) + " minibatches/s"
	}
	return []string{train, latencyText(p.Latency),
		text.Of(p.ServedPerS) + " requests/s, " + text.Of(p.MeanW) + " W mean"}
}

// energies are joules of a measured pair, each job's by its own power; nil where they are not known.
func (x pairAnswer) energies() []string {
	if x.Row == nil {
		return nil
	}
	train, infer := x.Row.Pair.MinibatchJ(), x.Row.Pair.RequestJ(x.Row.Batch)
	if !train.OK || !infer.OK {
		return nil
	}
	out := []string{"energy", text.Of(train.V) + " J per minibatch", text.Of(infer.V) + " J per request"}
	if v := x.Answer.Alone.JPerUnit; v > 0 {
		out = append(out, text.Of(v)+" J per request alone, waiting included")
	}
	return out
}

// late counts the minibatches that were late.
func (x pairAnswer) late() string {
	if x.Row == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d ended after a batch was due", x.Row.Pair.Late, x.Row.Pair.Minibatches)
}

func aloneText(perS float64) string {
	if perS == 0 {
		return ""
	}
	return "alone " + text.Of(perS)
}

func trainingCost(p pair.Answer) string {
	if p.TrainAlonePerS == 0 {
		return ""
	}
	return change(100*(p.TrainPerS/p.TrainAlonePerS-1)) + " training"
}

func wattsText(v float64) string {
	if math.IsNaN(v) {
		return "n/a"
	}
	return text.Of(v) + " W"
}

func shareText(v float64) string {
	if math.IsNaN(v) {
		return "n/a"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

package cli

import (
	"fmt"
	"math"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/pair"
)

// print prints an answer; origin follows its setting.
func (c *pairCmd) print(x pair.Answer, space *tegra.Space, origin string) error {
	if c.asJSON {
		return printJSON(c.out, x)
	}
	how := "predicted, not measured as a pair"
	if x.Row != nil {
		how = fmt.Sprintf("measured as a pair (%s)", text.Count(len(x.Probes), "pair"))
	}
	turns := "no turns"
	if x.Ask.Policy != mix.Free {
		turns = string(x.Ask.Policy) + " turns"
	}
	fmt.Fprintf(c.out, "%s, inference in batches of %d, %s%s; %s\n", space.Format(x.Mode), x.Batch, turns,
		origin, how)
	rows := [][]string{
		{"training", text.Of(x.TrainPerS) + " minibatches/s", aloneText(x.TrainAlonePerS), trainingCost(x)},
		{"inference", text.Of(x.ServedPerS) + " requests/s", lateText(x), x.Ask.Load.String()},
		{"power", text.Of(x.PeakW) + " W peak", wattsText(x.MeanW) + " mean", "idle power " + wattsText(x.Ask.IdleW)},
		{"GPU idle", shareText(x.IdleShare), "with the inference alone " + shareText(x.Alone.IdleShare)},
	}
	if j := pairEnergies(x); j != nil {
		rows = append(rows, j)
	}
	if x.Ask.Policy == mix.Strict {
		rows = append(rows, []string{"turns", fmt.Sprintf("at most %d minibatches between two batches", x.Tau),
			lateTurns(x)})
	}
	if x.AloneRow != nil {
		rows = append(rows, append([]string{"inference alone"}, measuredText(x.AloneRow)...))
	}
	if x.FreeRow != nil {
		rows = append(rows, append([]string{"without turns"}, measuredText(x.FreeRow)...))
	}
	rows = append(rows, apartRows(x, space)...)
	if !x.Feasible {
		rows = append(rows, []string{"does not meet the limits", x.Why()})
	}
	if why := x.NothingTrains(); why != "" {
		rows = append(rows, []string{"trains nothing", why})
	}
	return report.Rows(c.out, rows...)
}

// apartRows returns the lines about the two jobs in separate modes, and on separate boards.
func apartRows(x pair.Answer, space *tegra.Space) (rows [][]string) {
	if v := x.Separate; v != nil {
		verdict := fmt.Sprintf("not offered: two switches of %.0f ms are over 5 %% of a window of %s s", 1000*v.SwitchS,
			text.Of(v.WindowS))
		if v.Offered {
			verdict = fmt.Sprintf("a switch takes %.0f ms, a window %s s", 1000*v.SwitchS, text.Of(v.WindowS))
		}
		rows = append(rows, []string{"a mode for each", text.Of(v.TrainPerS) + " minibatches/s, predicted",
			fmt.Sprintf("train in %s, serve in %s by %d", space.Format(v.Train), space.Format(v.Infer.Mode),
				v.Infer.Batch), verdict})
	}
	if x.Apart.OK {
		more := "more for the inference alone (predicted)"
		if v := tegra.Finite(x.Apart.V.MeanW); v.OK { // the idle power is known
			more = wattsText(v.V) + " mean " + more
		}
		rows = append(rows, []string{"a board of its own", space.Format(x.Apart.V.Mode),
			wattsText(x.Apart.V.PeakW) + " peak", more})
	}
	return rows
}

// lateText formats the latency of an answer.
func lateText(x pair.Answer) string {
	if x.Row != nil {
		return latencyText(x.Row.Pair.Latency)
	}
	if math.IsInf(x.LatencyMS, 1) {
		return "the queue only grows"
	}
	return fmt.Sprintf("p%.4g %s ms", 100*x.Ask.Quantile, text.Of(x.LatencyMS))
}

// measuredText formats a row of two jobs, or of one of them.
func measuredText(row *record.Row) []string {
	p := row.Pair
	train := "no training"
	if p.TrainPerS > 0 {
		train = text.Of(p.TrainPerS) + " minibatches/s"
	}
	return []string{train, latencyText(p.Latency),
		text.Of(p.ServedPerS) + " requests/s, " + text.Of(p.MeanW) + " W mean"}
}

// pairEnergies formats the energy of each job of a measured pair, by its own power; nil if unknown.
func pairEnergies(x pair.Answer) []string {
	if x.Row == nil {
		return nil
	}
	train, infer := x.Row.Pair.MinibatchJ(), x.Row.Pair.RequestJ(x.Row.Batch)
	if !train.OK || !infer.OK {
		return nil
	}
	out := []string{"energy", text.Of(train.V) + " J per minibatch", text.Of(infer.V) + " J per request"}
	if v := x.Alone.JPerUnit; v > 0 {
		out = append(out, text.Of(v)+" J per request alone, waiting included")
	}
	return out
}

// lateTurns counts the minibatches that were late.
func lateTurns(x pair.Answer) string {
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

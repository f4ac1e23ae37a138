package pair

import (
	"fmt"
	"math"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Facts are the rates, the latency and the power of two jobs that share a GPU, with a dash for what is not known yet.
func Facts(v record.Pair, ask mix.Ask) document.Facts {
	train, infer, idle := rate(v.TrainPerS, "step/s"), rate(v.ServedPerS, "requests/s"), "–"
	if v.TrainAloneMS.OK && v.TrainAloneMS.V > 0 {
		alone := 1000 / v.TrainAloneMS.V
		if v.TrainPerS > 0 {
			train += fmt.Sprintf(", %.0f %% of what it does alone (%s)", 100*v.TrainPerS/alone, text.Of(alone))
		} else {
			train += ", alone " + text.Of(alone)
		}
	}
	if j := v.MinibatchJ(); j.OK {
		train += ", " + text.Of(j.V) + " J/step"
	}
	if ask.Load.Open() {
		infer += ", " + ask.Load.String() + " arrive"
	}
	switch {
	case v.IdleShare.OK:
		idle = fmt.Sprintf("%.0f %%: neither job has the GPU", 100*v.IdleShare.V)
	case v.Policy == record.Free:
		idle = "n/a: unknown without turns"
	}
	return document.Facts{{"training", train}, {"inference", infer}, {"p50 ms", v.Latency.Words()},
		{"power", rate(v.MeanW, "W mean") + ", " + rate(v.PeakW(), "W peak")}, {"idle", idle}}
}

// rate formats a value, unknown before the first turn.
func rate(v float64, unit string) string {
	if !(v > 0) {
		return "–"
	}
	return text.Of(v) + " " + unit
}

// Facts describe the pair, measured or predicted, and what it is compared with.
func (x Answer) Facts(mode func(tegra.Mode) string) document.Facts {
	v := x.pair()
	out := Facts(v, x.Ask)
	add := func(name, format string, args ...any) {
		out = append(out, [2]string{name, fmt.Sprintf(format, args...)})
	}
	switch {
	case x.Row != nil:
	case math.IsInf(x.LatencyMS, 1):
		out[2] = [2]string{"latency", "the queue only grows"}
	default:
		out[2] = [2]string{fmt.Sprintf("p%.4g ms", 100*x.Ask.Quantile), text.Of(x.LatencyMS)}
	}
	if x.Ask.Policy == mix.Strict {
		add("turns", "at most %d minibatches between two batches", x.Tau)
		if x.Row != nil {
			add("", "%d of %d ended after a batch was due", x.Row.Pair.Late, x.Row.Pair.Minibatches)
		}
	}
	if j := v.RequestJ(x.Batch); j.OK {
		alone := ""
		if v := x.Alone.JPerUnit; v > 0 {
			alone = ", alone " + text.Of(v) + " J with its waiting"
		}
		add("energy", "%s J/request%s", text.Of(j.V), alone)
	}
	if idle := tegra.Finite(x.Alone.IdleShare); idle.OK {
		more := ""
		if x.AloneRow != nil {
			more = ", p50 " + x.AloneRow.Pair.Latency.Words() + " ms"
		}
		add("alone", "the inference alone leaves the GPU idle %.0f %% of the time%s", 100*idle.V, more)
	}
	if x.FreeRow != nil {
		v := x.FreeRow.Pair
		add("no turns", "%s, %s, p50 %s ms", rate(v.TrainPerS, "step/s"), rate(v.MeanW, "W mean"), v.Latency.Words())
	}
	if v := x.Separate; v != nil {
		verdict := "not offered: two switches of %.0f ms are over 5 %% of a window of %s s"
		if v.Offered {
			verdict = "a switch takes %.0f ms, a window %s s"
		}
		add("two modes", "%s step/s (predicted): train in %s, serve in %s by %d; "+verdict, text.Of(v.TrainPerS),
			mode(v.Train), mode(v.Infer.Mode), v.Infer.Batch, 1000*v.SwitchS, text.Of(v.WindowS))
	}
	if x.Apart.OK {
		watts := text.Of(x.Apart.V.PeakW) + " W peak"
		if mean := tegra.Finite(x.Apart.V.MeanW); mean.OK { // the idle power is known
			watts = text.Of(mean.V) + " W mean"
		}
		add("apart", "on a board of its own the inference takes %s in %s (predicted)", watts, mode(x.Apart.V.Mode))
	}
	return out
}

// pair is what was measured, or else predicted.
func (x Answer) pair() record.Pair {
	if x.Row != nil {
		return *x.Row.Pair
	}
	v := record.Pair{Policy: x.Ask.Policy, TrainPerS: x.TrainPerS, ServedPerS: x.ServedPerS,
		MeanW: tegra.Finite(x.MeanW).V, InferAloneW: tegra.Finite(x.PeakW), IdleShare: tegra.Finite(x.IdleShare)}
	if x.TrainAlonePerS > 0 {
		v.TrainAloneMS = tegra.Some(1000 / x.TrainAlonePerS)
	}
	return v
}

package cli

import (
	"cmp"
	"fmt"
	"slices"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/workloads"
)

// inferFlags are the flags of an inference run.
type inferFlags struct {
	Half, NoGC         bool
	Env                []string
	Inferences, Repeat int
}

// over returns the workload changed by the flags. Each change is part of what is measured.
func (f *inferFlags) over(w workload.Workload) (workload.Workload, error) {
	if f.Inferences > 0 && !w.Infers() {
		return w, usagef("--inferences is only for inference; workload %s trains", w.Name)
	}
	if f.Half && !w.Infers() {
		return w, usagef("--half is only for inference; workload %s trains", w.Name)
	}
	if (f.Half || f.NoGC) && (w.Torch.Net == "" || len(w.Command) > 0) {
		return w, usagef("--half and --no-gc are only for the built-in PyTorch jobs; workload %s has its own command",
			w.Name)
	}
	w.Torch.Half, w.Torch.NoGC = w.Torch.Half || f.Half, w.Torch.NoGC || f.NoGC
	w, err := w.WithEnv(f.Env)
	if err != nil {
		return w, usagef("%v", err)
	}
	return w, nil
}

// latencyLimitText compares a quantile of latency with the workload's limit. A quantile that is not recorded is within
// it if the next one above is.
func latencyLimitText(l record.Latency, share, limitMS float64) string {
	at := l.At(share)
	is := fmt.Sprintf("p%g is %s, ", 100*at.Share, msText(at.MS))
	switch over := at.MS.V > limitMS; {
	case !at.MS.OK, over && at.Share > share:
		return fmt.Sprintf("p%g within %s ms: unknown from %d requests", 100*share, text.Of(limitMS), l.N)
	case over:
		return is + "over " + text.Of(limitMS) + " ms"
	}
	return is + "within " + text.Of(limitMS) + " ms"
}

// inferenceFacts describes an inference run.
func inferenceFacts(r measure.RunResult, s *session.Session, w workload.Workload, power string) document.Facts {
	v := r.Character.Serving
	latency, limit, repeats := "", "", ""
	if v.Latency.N > 0 {
		latency = "p50 " + v.Latency.Words() + " ms of " + text.Thousands(v.Latency.N)
		if !w.Live() && v.Latency.N < r.Minibatches {
			latency += fmt.Sprintf(", the newest of %s", text.Thousands(r.Minibatches))
		}
	} else if w.Live() {
		latency = msText(tegra.Some(r.TimeMS)) + " mean: its counters have no quantiles"
	}
	if w.Limit.LatencyMS > 0 {
		limit = latencyLimitText(v.Latency, cmp.Or(w.Limit.Quantile, 0.99), w.Limit.LatencyMS)
	}
	if v.Reps > 0 {
		repeats = fmt.Sprintf("%d, energies vary by %s", v.Reps, dash(v.CVPct, "%.1f %%"))
	}
	median := func(v tegra.Val[float64]) string {
		return ifAny(tegra.Val[string]{V: msText(v), OK: v.OK}, "%s median")
	}
	return slices.Concat(document.Facts{{"board", workloads.BoardOf(s, w)}, {"batches", text.Thousands(r.Minibatches)}},
		v.Facts(), document.Facts{{"time", timeText(r, "", " of a batch")},
			{"mode", modeText(r, s)},
			{"latency", latency},
			{"first " + v.Unit, median(v.TTFTMS)},
			{"each further", median(v.TPOTMS)},
			{"limit", limit},
			{"power", power},
			{"repeats", repeats}})
}

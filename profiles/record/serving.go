package record

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/tegra"
)

// Served sums up what an inference job answered in one mode.
type Served struct {
	Unit     string `csv:"unit"`     // inference, token or frame
	Phase    string `csv:"phase"`    // prefill or decode where only one of them was measured
	Requests int    `csv:"requests"` // whose latencies Latency holds: requests, or batches where the job reports none
	Units    int    `csv:"units"`
	// Latency counts requests, their waiting included, or batches where the job reports no requests.
	Latency Latency `csv:""`
	// PerS is the units per second of service, ServedPerS those per second of the whole measurement,
	// waiting included, and RatePerS the requests that arrived per second where they were scheduled.
	PerS       tegra.Val[float64] `csv:"units_per_s"`
	ServedPerS tegra.Val[float64] `csv:"served_per_s"`
	RatePerS   tegra.Val[float64] `csv:"rate_per_s"`
	UnitJ      tegra.Val[float64] `csv:"unit_j"`  // energy of a unit
	TTFTMS     tegra.Val[float64] `csv:"ttft_ms"` // median time to the first unit of an answer
	TPOTMS     tegra.Val[float64] `csv:"tpot_ms"` // median time of each further one
	Phases     []PhaseOfServing   // prefill and decode, where the server tells them apart
	Reps       int                `csv:"reps"`   // repetitions of fixed work; 0: none were requested
	CVPct      tegra.Val[float64] `csv:"cv_pct"` // of their energies: standard deviation in percent of the mean
}

// PhaseOfServing is one of the two phases of a language model: prefill reads the prompt, decode writes the answer.
type PhaseOfServing struct {
	Phase  string             `json:"phase"`
	PerS   tegra.Val[float64] `json:"units_per_s" csv:"per_s"` // tokens of the question, or of the answer
	PowerW tegra.Val[float64] `json:"power_w" csv:"w"`         // mean of the samples of the same time
	UnitJ  tegra.Val[float64] `json:"unit_j" csv:"j"`
}

// servingColumns are further columns in the modes.csv of an inference workload.
var servingColumns = strings.Fields("kind unit phase requests units p50_ms p95_ms p99_ms rate_per_s served_per_s " +
	"units_per_s ttft_ms tpot_ms unit_j reps cv_pct prefill_per_s prefill_w prefill_j decode_per_s decode_w decode_j")

// Phases of a language model, each with phaseColumns at the end of servingColumns. They are columns of one row, because
// a second row would be a second measurement of the mode.
const (
	Prefill = "prefill"
	Decode  = "decode"

	phaseColumns = 3
)

// servingKind is the text of the first of servingColumns.
const servingKind = "infer"

// Object returns the JSON form; nil when s is nil. Quantiles of too few requests are absent.
func (s *Served) Object() report.Object {
	if s == nil {
		return nil
	}
	return slices.Concat(report.Object{
		{"kind", servingKind},
		{"unit", s.Unit},
		{"phase", text.Optional(s.Phase)},
		{"units", s.Units},
		{"units_per_s", s.PerS},
		{"served_per_s", s.ServedPerS},
		{"unit_j", s.UnitJ},
	}, s.Latency.Object("_ms"), report.Object{
		{"requests", s.Latency.N},
		{"ttft_ms", s.TTFTMS},
		{"tpot_ms", s.TPOTMS},
		{"reps", s.Reps},
		{"phases", append([]PhaseOfServing{}, s.Phases...)},
		{"cv_pct", s.CVPct},
	})
}

// Facts are the speed of the answers and the energy of a unit, in total and per phase; none if nothing was served.
func (s *Served) Facts() (list document.Facts) {
	if s == nil {
		return nil
	}
	add := func(name string, perS, watts, unitJ tegra.Val[float64]) {
		var parts []string
		for _, part := range []struct {
			v    tegra.Val[float64]
			unit string
		}{{perS, text.Plural(s.Unit) + "/s"}, {watts, "W"}, {unitJ, "J per " + s.Unit}} {
			if part.v.OK {
				parts = append(parts, text.Of(part.v.V)+" "+part.unit)
			}
		}
		list = append(list, [2]string{name, strings.Join(append(parts, text.Said(s.Phase)...), ", ")})
	}
	add("serving", s.PerS, tegra.Val[float64]{}, s.UnitJ)
	for _, p := range s.Phases {
		add(p.Phase, p.PerS, p.PowerW, p.UnitJ)
	}
	return list
}

// knownColumns are the columns of modes.csv that a row of this record fills.
func (r *Record) knownColumns() []string {
	columns := r.sized(Columns)
	if r.header.Workload.Infers() {
		columns = slices.Concat(columns, servingColumns)
	}
	if r.header.Pair != nil {
		columns = slices.Concat(columns, pairColumns)
	}
	return columns
}

// Work returns what was done in the row's mode: what an inference answered, else the minibatches of a training.
func (r *Row) Work() Served {
	if r.Answered() {
		return *r.Serving
	}
	return Served{Unit: "minibatch", Units: r.Minibatches, UnitJ: tegra.Finite(r.EnergyJ)}
}

// Answered reports whether requests, or batches of inference, were answered.
func (r *Row) Answered() bool { return r.Serving != nil && r.Status.Usable() }

// PhaseOf returns a phase in the row's mode; false when its speed is unknown.
func (r *Row) PhaseOf(name string) (PhaseOfServing, bool) {
	s := r.Work()
	for _, p := range s.Phases {
		if p.Phase == name {
			return p, p.PerS.OK
		}
	}
	return PhaseOfServing{Phase: name, PerS: s.PerS, PowerW: tegra.Some(r.PowerW), UnitJ: s.UnitJ},
		s.Phase == name && s.PerS.OK // of a program that runs one phase
}

// LatencyOf sums up latencies in ms.
func LatencyOf(ms []float64) Latency {
	sorted := slices.Sorted(slices.Values(ms))
	return Latency{
		P50: stats.NearestRank(sorted, 0.50),
		P95: stats.NearestRank(sorted, 0.95),
		P99: stats.NearestRank(sorted, 0.99),
		N:   len(ms),
	}
}

// LatencyCounted sums up latencies counted in buckets, in s; false when there are none, or when the slowest percent
// lies in the unbounded bucket.
func LatencyCounted(h stats.Histogram) (Latency, bool) {
	l, known := Latency{N: h.N()}, true
	for _, q := range []struct {
		of *float64
		q  float64
	}{{&l.P50, 0.50}, {&l.P95, 0.95}, {&l.P99, 0.99}} {
		v, ok := h.Quantile(q.q)
		*q.of, known = 1000*v, known && ok
	}
	return l, known
}

// Quantile is the time in ms within which a share of the requests was answered; absent with too few of them.
type Quantile struct {
	Share float64
	MS    tegra.Val[float64]
}

// String names the quantile: "p99".
func (q Quantile) String() string { return fmt.Sprintf("p%.4g", 100*q.Share) }

// Quantiles are the recorded ones.
func (l Latency) Quantiles() []Quantile {
	return []Quantile{{0.5, tegra.Val[float64]{V: l.P50, OK: l.N > 0}}, {0.95, l.SureP95()}, {0.99, l.SureP99()}}
}

// At returns the recorded quantile at a share or the next one above. Above all of them it is the highest, absent: it
// can only show that a limit is exceeded.
func (l Latency) At(share float64) Quantile {
	all := l.Quantiles()
	for _, q := range all {
		if share <= q.Share {
			return q
		}
	}
	highest := all[len(all)-1]
	highest.MS.OK = false
	return highest
}

// Object returns the quantiles as JSON; unit ends each key.
func (l Latency) Object(unit string) (out report.Object) {
	for _, q := range l.Quantiles() {
		out = append(out, [2]any{fmt.Sprintf("p%g%s", 100*q.Share, unit), q.MS})
	}
	return out
}

// SureP95 returns the 95 % quantile, absent with fewer than 200 requests; SureP99 the 99 % quantile, absent with fewer
// than 1,000.
func (l Latency) SureP95() tegra.Val[float64] {
	return tegra.Val[float64]{V: l.P95, OK: stats.QuantileHolds(0.95, l.N)}
}

// SureP99 is described at SureP95.
func (l Latency) SureP99() tegra.Val[float64] {
	return tegra.Val[float64]{V: l.P99, OK: stats.QuantileHolds(0.99, l.N)}
}

// Words lists the quantiles in ms, the median first, those of too few requests with ~; a dash without any.
func (l Latency) Words() string {
	if l.N == 0 {
		return "–"
	}
	mark := func(sure tegra.Val[float64], ms float64) string {
		return map[bool]string{false: "~"}[sure.OK] + text.Of(ms)
	}
	return fmt.Sprintf("%s, p95 %s, p99 %s", text.Of(l.P50), mark(l.SureP95(), l.P95), mark(l.SureP99(), l.P99))
}

package record

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

func TestRecordKeepsWhatAnInferenceJobAnswered(t *testing.T) {
	t.Parallel()
	d := deviceOf(t, virtual.Options{})
	h := headerOf(t, d, "mobilenet-infer", 7, PlanHeader{Kind: "grid", Modes: 2})
	dir := filepath.Join(t.TempDir(), "c")
	r := must.Get(Create(dir, h))(t)
	row := Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: d.Space().Max()}, TimeMS: 4, PowerW: 30},
		Status: OK, Applied: d.Space().Max(), Minibatches: 40, When: time.Unix(1e9, 0).UTC(),
		Serving: &Served{Unit: "token",
			Phase: "decode", Requests: 40, Units: 5120, Latency: Latency{P50: 1, P95: 2, P99: 3, N: 40},
			PerS: tegra.Some(30.5), UnitJ: tegra.Some(0.75), TPOTMS: tegra.Some(33.0), Reps: 3, CVPct: tegra.Some(1.5),
			Phases: []PhaseOfServing{{Phase: Prefill, PerS: tegra.Some(500.0), UnitJ: tegra.Some(0.05)},
				{Phase: Decode, PerS: tegra.Some(30.0), PowerW: tegra.Some(24.0), UnitJ: tegra.Some(0.8)}}}}
	must.NoError(t, r.Append(row))
	bare := row
	bare.Mode, bare.Serving = d.Space().At(0), nil
	must.NoError(t, r.Append(bare))
	r.Close()
	_, rows, notes, err := ReadNoted(dir)
	if err != nil || len(rows) != 2 || len(notes) > 0 {
		t.Fatalf("%d rows, %v, %v", len(rows), notes, err)
	}
	if !reflect.DeepEqual(rows[0].Serving, row.Serving) || rows[1].Serving != nil || len(rows[0].Extra) > 0 {
		t.Errorf("read back %+v and %+v, want %+v and none", rows[0].Serving, rows[1].Serving, row.Serving)
	}
	if r, err = OpenOrCreate(dir, h, true); err != nil || len(r.Rows()) != 2 || len(r.Notes()) > 0 {
		t.Errorf("opened again: %v, %v", r.Notes(), err)
	}
	r.Close()
}

// The columns of the phases are younger than the others.
func TestRecordReadsRowsFromBeforePhasesWereKept(t *testing.T) {
	t.Parallel()
	s := &Served{Unit: "token", Requests: 4, Units: 512, Latency: Latency{P50: 1, P95: 2, P99: 3, N: 4}}
	n := len(servingColumns) - 2*phaseColumns
	codec, row := newRowCodec(slices.Concat(Columns, servingColumns[:n])), exampleRows()[0]
	row.Serving = s
	r, err := codec.read(codec.print(row))
	if err != nil || !reflect.DeepEqual(r.Serving, s) || len(r.Extra) > 0 {
		t.Errorf("%+v, %v, %v", r.Serving, r.Extra, err)
	}
}

func TestLatencyQuantilesAreAbsentWhereTooFewRequestsAreBehindThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n        int
		p95, p99 bool
	}{{1, false, false}, {199, false, false}, {200, true, false}, {999, true, false}, {1000, true, true}} {
		ms := make([]float64, c.n)
		for i := range ms {
			ms[c.n-1-i] = float64(i + 1)
		}
		l := LatencyOf(ms)
		rank := func(q float64) float64 { return math.Ceil(q * float64(c.n)) } // of 1 to n
		if l.P50 != rank(.5) || l.P95 != rank(.95) || l.P99 != rank(.99) || l.N != c.n {
			t.Errorf("%d: %+v", c.n, l)
		}
		if l.SureP95().OK != c.p95 || l.SureP99().OK != c.p99 {
			t.Errorf("%d: p95 %v, p99 %v", c.n, l.SureP95(), l.SureP99())
		}
	}
}

func TestLatencyAtAShareIsThatOfARecordedQuantile(t *testing.T) {
	t.Parallel()
	l := Latency{N: 1000, P50: 10, P95: 20, P99: 30}
	for share, want := range map[float64]Quantile{0.4: {0.5, tegra.Some(10.)}, 0.5: {0.5, tegra.Some(10.)},
		0.9: {0.95, tegra.Some(20.)}, 0.99: {0.99, tegra.Some(30.)}, 0.999: {0.99, tegra.Val[float64]{V: 30}}} {
		if got := l.At(share); got != want {
			t.Errorf("%g: %+v, want %+v", share, got, want)
		}
	}
}

func TestLatencyCountedIsInMilliseconds(t *testing.T) {
	t.Parallel()
	h := stats.NewHistogram(map[float64]float64{0.1: 50, 0.2: 100, 0.4: 100, math.Inf(1): 100})
	l, ok := LatencyCounted(h)
	if !ok || l.N != 100 || math.Abs(l.P50-100) > 1 || !(l.P95 > 150 && l.P95 <= 200) ||
		!(l.P99 >= l.P95 && l.P99 <= 200) {
		t.Errorf("%+v, %v; want 100 ms in the middle and up to 200 ms", l, ok)
	}
	endless := stats.NewHistogram(map[float64]float64{0.1: 90, math.Inf(1): 100})
	if l, ok := LatencyCounted(endless); ok {
		t.Errorf("%+v although the slowest lie in a bucket without end", l)
	}
}

// The file of a pair names its columns in the order in which a row fills them.
func TestRecordOfAPairFillsTheColumnsThatItNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := must.Get(Create(dir, pairHeader(t)))(t)
	mode := exampleRows()[0].Mode
	row := Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode, Batch: 16}, TimeMS: 4, PowerW: 30},
		Status:  OK,
		Applied: mode, Minibatches: 40, When: time.Unix(1e9, 0).UTC(),
		Serving: &Served{Unit: "request", Requests: 400, Latency: Latency{P50: 1, P95: 2, P99: 3, N: 400}},
		Pair: &Pair{Policy: "strict", Tau: 7, MaxWaitMS: 12.5, TrainAloneMS: tegra.Some(40.0),
			TrainAloneW: tegra.Some(31.0), InferAloneMS: tegra.Some(5.0), InferAloneW: tegra.Some(22.0),
			TrainMS: tegra.Some(44.0), InferMS: tegra.Some(6.0),
			TrainPerS: 8.5, ServedPerS: 61, MeanW: 27.5, IdleShare: tegra.Some(0.25),
			Latency: Latency{P50: 11, P95: 12, P99: 13, N: 300}, Late: 3, Minibatches: 99}}
	must.NoError(t, errors.Join(r.Append(row), r.Close()))
	f := must.Get(os.Open(filepath.Join(dir, modesName)))(t)
	defer f.Close()
	if _, rows, notes, err := ReadNoted(dir); err != nil || len(rows) != 1 || len(notes) > 0 ||
		!reflect.DeepEqual(rows[0].Pair, row.Pair) || !slices.Equal(rows[0].Extra, []string{"", ""}) {
		t.Errorf("read back as %+v, %q, %v", rows, notes, err)
	}
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	named := map[string]string{}
	for i, column := range lines[0] {
		named[column] = lines[1][i]
	}
	for column, want := range map[string]string{"bs": "16", "unit": "request", "requests": "400", "policy": "strict",
		"tau": "7", "max_wait_ms": "12.5", "train_per_s": "8.5", "pair_served_per_s": "61", "mean_w": "27.5",
		"late_turns": "3", "train_turns": "99"} {
		if got, ok := named[column]; !ok || got != want {
			t.Errorf("column %s: %q, want %q (of %v)", column, got, want, lines[0])
		}
	}
}

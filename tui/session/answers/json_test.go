package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// fields returns what a path of names leads to in a document, as JSON.
func fields(t *testing.T, a Answer, path ...string) string {
	t.Helper()
	var all any
	if err := json.Unmarshal([]byte(asJSON(t, a)), &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		all = all.(map[string]any)[name]
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a script finds in the JSON of an answer, by its names in docs/reference.
func TestAnswerJSONSaysWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	a := full()
	a.Training = &outlook.Projection{Epochs: 3, Minibatches: 1200}
	at := a.Reading.Measured
	a.Before = &Baseline{Name: "present", Mean: tegra.Mean{Measured: at, N: 1}}
	over := optimize.Probe{Measured: tegra.Measured{Setting: at.Setting}, Why: optimize.Improve}
	over.Read(tegra.Measured{PowerW: 31}, optimize.OverLimit("ended after 2 s: 31 W"))
	a.Probes = append(
		a.Probes,
		optimize.Probe{Measured: at, Why: optimize.Verify, Err: errors.New("did not start")},
		over,
	)
	mode := `"mode":{"cores":3,"cpu_khz":1110000,"gpu_hz":624000000,"mem_hz":3199000000}`
	for path, want := range map[string]string{
		"device":      `"AGX Orin"`,
		"virtual":     `true`,
		"workload":    `"yolov8n-infer"`,
		"feasible":    `true`,
		"n":           `2`,
		"profiling_s": `93`,
		"batch":       `1`,
		"measured n":  `2`,
		"alternative": `null`,
		"predicted": `{"energy_j":0.392375,"power_hi_w":0,"power_lo_w":0,"power_w":18.25,"time_hi_ms":23,` +
			`"time_lo_ms":20,"time_ms":21.5}`,
		"before": `{"batch":1,"energy_j":0.392375,` + mode + `,"n":1,"name":"present","power_w":18.25,` +
			`"time_ms":21.5,"time_per_sample_ms":21.5}`,
		"preset":          `null`,
		"gain":            `null`,
		"training":        `{"epochs":3,"minibatches":1200,"strategies":[]}`,
		"versus present":  `null`,
		"sent requests":   `900`,
		"sent latency_ms": `46.5`,
		"sent meets":      `true`,
		"served measured": `{"mean_w":18,"n":0,"p50_ms":30,"p95_ms":40,"p99_ms":null}`,
		"served arrivals": `"poisson"`,
		"serving units":   `900`,
	} {
		must.Equal(t, cmp.Diff(want, fields(t, a, strings.Fields(path)...)), "", path)
	}
	var doc struct {
		Probes []map[string]any
		Versus struct {
			MaxN, Present *struct{ Name string }
			Presets       []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(asJSON(t, a)), &doc); err != nil {
		t.Fatal(err)
	}
	first, failed, ended := doc.Probes[0], doc.Probes[2], doc.Probes[3]
	if ended["time_ms"] != nil || ended["power_w"] != 31.0 || ended["over"] != true || ended["mode"] == nil {
		t.Errorf("a probe that was ended for its power: %v", ended)
	}
	if first["time_ms"] != 21.5 || first["power_w"] != 18.25 || first["batch"] != 1.0 || first["over"] != false {
		t.Errorf("a probe: %v", first)
	}
	if v, there := failed["time_ms"]; v != nil || !there || failed["power_w"] != nil || failed["over"] != false {
		t.Errorf("a failed probe has no values: %v", failed)
	}
	must.Equal(t, fields(t, a, "versus", "maxn", "time_pct"), "35")
	if doc.Versus.MaxN.Name != "MAXN" || doc.Versus.Present != nil || len(doc.Versus.Presets) != 1 {
		t.Errorf("versus: %+v", doc.Versus)
	}
}

func TestAnswerJSONLeavesOutWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	a := full()
	a.Served, a.Trial, a.Serving, a.Probes, a.Predicted, a.Batch = nil, nil, nil, nil, learn.Prediction{}, 0
	a.Ask = mix.Ask{}
	a.Reading.Batch, a.Device, a.Versus = 0, "", outlook.Comparisons{}
	text := asJSON(t, a)
	must.Lack(t, text, `"served"`, `"sent"`, `"serving"`, `"training"`, `"batch"`, `"latency"`)
	must.Contain(t, text, `"predicted":null`, `"profiling_s":null`, `"device":null`, `"probes":[]`)
	a.Reading.N = 0
	must.Equal(t, fields(t, a, "measured"), "null")
	a.Doubted = tegra.Some(tegra.Measured{TimeMS: 5, PowerW: 10})
	must.Equal(t, fields(t, a, "measured", "suspicious"), "true")
}

// One limit is an object, several are an array.
func TestLimitsAreWrittenByTheirKinds(t *testing.T) {
	t.Parallel()
	latency := mix.Ask{LatencyMS: 50, Quantile: 0.99, Load: arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 30}}
	for want, of := range map[string]any{
		`{"kind":"power","value_w":30}`: Limits(metric.Watts(30), mix.Ask{}),
		`{"kind":"time","value_ms":90}`: Limits(metric.Millis(90), mix.Ask{}),
		`{"kind":"energy","value_j":2}`: Limits(metric.Within(metric.Energy.Max(2)), mix.Ask{}),
		`{"kind":"energy"}`:             Limits(metric.LeastEnergy, mix.Ask{}),
		`{"kind":"throughput"}`:         Limits(metric.Goal{Objective: metric.Time}, mix.Ask{}),
		`{"kind":"knee"}`:               Limits(metric.Goal{Knee: true}, mix.Ask{}),
		`[{"kind":"energy"},{"kind":"max_slowdown","value_pct":20}]`: Limits(
			metric.Goal{Objective: metric.Energy, SlowerPct: 20}, mix.Ask{}),
		`[{"kind":"power","value_w":30},{"kind":"latency","quantile":0.99,"rate_per_s":30,"value_ms":50}]`: Limits(
			metric.Watts(30), latency),
	} {
		got := must.Get(json.Marshal(of))(t)
		must.Equal(t, cmp.Diff(want, string(got)), "")
	}
}

func TestKeepNotesTheNewestWarningsAndTheProbesOnce(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), full()
	a.Ended = optimize.OutOfProbes
	second := a
	second.Probes, second.Ended = nil, optimize.Converged
	warnings := make([]string, 2*mostWarnings)
	warnings[0], warnings[len(warnings)-1] = "the oldest", "the newest"
	kept := Kept{Answers: []Answer{a, second}, Warnings: warnings}
	if err := Keep(dir, kept); err != nil {
		t.Fatal(err)
	}
	if kept.Answers[0].Probes == nil {
		t.Error("keeping has changed the caller's answers")
	}
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil || !strings.HasPrefix(string(text), "# What a search of jtune found.") ||
		strings.Count(string(text), "[[probe]]") != 2 || strings.Contains(string(text), "Probes") {
		t.Errorf("the file, %v:\n%s", err, text)
	}
	k, err := Find(dir)
	if err != nil || len(k.Warnings) != mostWarnings || k.Warnings[mostWarnings-1] != "the newest" {
		t.Fatalf("got %d warnings, %v", len(k.Warnings), err)
	}
	for i, got := range k.Answers {
		must.Equal(t, got.Ended, optimize.OutOfProbes, i)
		must.Equal(t, len(got.Probes), 2, i)
	}
	a.Probes = nil
	if err := Keep(dir, Kept{Answers: []Answer{a}}); err != nil {
		t.Fatal(err)
	}
	if k, err = Find(dir); err != nil || k.Answers[0].Probes == nil {
		t.Errorf("an answer without probes reads as one of a model: %v", err)
	}
	must.Fail(t, Keep(dir, Kept{Answers: make([]Answer, 2000)}), "at most")
	broken := strings.Replace(string(text), "Cores = 3", "Cores = 0", 1)
	must.Fail(t, must.Err(parse("x", broken)), "answer 1: invalid mode")
}

// A reading in doubt is shown only where no other was taken.
func TestReadPrefersWhatStands(t *testing.T) {
	t.Parallel()
	a := full()
	a.Doubted = tegra.Some(tegra.Measured{TimeMS: 99})
	if got := a.Read(); !got.OK || got.V.TimeMS != 21.5 {
		t.Errorf("got %+v, want the mean of two readings", got)
	}
	a.Reading.N = 0
	if got := a.Read(); !got.OK || got.V.TimeMS != 99 {
		t.Errorf("got %+v, want the one in doubt", got)
	}
}

// A change says of what, by how much, and against what.
func TestQuantitySaysAChangeAgainstWhat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		Gain
		better bool
		says   string
		band   string
	}{
		{Gain{Quantity: Time, Pct: -6, Lo: -7, Hi: -5}, true, "6 % faster than MAXN", "5 … 7 %"},
		{Gain{Quantity: Time, Pct: -60, Lo: -62, Hi: -55}, true, "2.5× as fast as MAXN", "2.2 … 2.6×"},
		{Gain{Quantity: Time, Pct: 6.2, Lo: 6, Hi: 6.5}, false, "6.2 % slower than MAXN", "6.0 … 6.5 %"},
		{Gain{Quantity: Time, Pct: 1100, Lo: 900, Hi: 1300}, false, "12× as long as MAXN", "10 … 14×"},
		{Gain{Quantity: Throughput, Pct: 6, Lo: 5, Hi: 8}, true, "6 % more samples per second than MAXN", "5 … 8 %"},
		{Gain{Quantity: Throughput, Pct: -6, Lo: -8, Hi: 2}, false, "6 % fewer samples per second than MAXN",
			"-8 … +2 %"},
		{Gain{Quantity: Throughput, Pct: 150, Lo: 140, Hi: 160}, true, "2.5× the samples per second of MAXN",
			"2.4 … 2.6×"},
		{Gain{Quantity: Energy, Pct: -12, Lo: -12.2, Hi: -11.8}, true, "12 % less energy than MAXN", "11.8 … 12.2 %"},
		{Gain{Quantity: Power, Pct: 112, Lo: 105, Hi: 125}, false, "2.1× the power of MAXN", "2.0 … 2.2×"},
	} {
		must.Equal(t, c.Better(), c.better)
		must.Equal(t, c.against(1+c.Pct/100, (c.Hi-c.Lo)/2, "MAXN"), c.says)
		must.Equal(t, c.Gain.band(), c.band, c.Gain)
	}
	must.Equal(t, (&Gain{Lo: math.Copysign(0, -1), Hi: 0}).band(), "+0.0 %")
}

// The sheet gives every mode in its own numbers, judged by the limit, and says why the preset of the limit's name is
// not compared with.
func TestSheetJudgesEachModeByTheLimit(t *testing.T) {
	t.Parallel()
	at := func(cores int, ms, watts float64) tegra.Mean {
		on := tegra.Setting{Mode: tegra.Mode{Cores: cores, CPU: 1, GPU: 1}}
		return tegra.Mean{Measured: tegra.Measured{Setting: on, TimeMS: ms, PowerW: watts}, N: 1}
	}
	versus := func(name string, cores int, ms, watts float64) outlook.Comparison {
		p := optimize.MeasuredPrediction(at(cores, ms, watts).Measured)
		p.PowerLoW, p.PowerHiW = 0.99*watts, 1.05*watts
		return outlook.Comparison{Name: name, Other: p}
	}
	a := Answer{Limit: metric.Watts(30), Feasible: true, Before: &Baseline{"present, locked", at(8, 50, 40), Errors{}},
		Preset: &Baseline{"MODE_15W's clocks", at(4, 90, 20), Errors{}}}
	a.Standing = standing.Standing{State: standing.Measured, N: 1, Limited: true}
	a.Reading = at(6, 60, 28)
	a.Setting = a.Reading.Setting
	v := versus("present, locked", 8, 50, 40)
	a.Versus = outlook.Comparisons{Present: &v, Presets: []outlook.Comparison{versus("MAXN", 8, 50, 40),
		versus("MODE_15W", 4, 90, 20), versus("MODE_30W", 7, 55, 30.4)}}
	a.Exchange = &Exchange{Limit: metric.Watts(33), Prediction: optimize.MeasuredPrediction(at(7, 30, 32).Measured)}
	a.Compared()
	s := a.Sheet(Today)
	want := []string{"fits 30 W: 28.0 W (1 reading)", "takes 60.0 ms, 20 % slower than today (clocks locked): 50.0 ms",
		"33 % faster than MODE_15W (its clocks, set without a reboot): 33.3 %",
		"MODE_30W would draw ~30.4 W with this job: it does not fit ✗ (predicted)",
		"33 W would give ~30.0 ms: 2.0× as fast as within 30 W (predicted)"}
	must.Equal(t, s.Lines(), want)
	var rows []string
	for _, r := range s.Rows {
		rows = append(rows, fmt.Sprintf("%s %g %v %s", Short(r.Name), r.PowerW, r.Read, Mark(r.Fits)))
	}
	must.Equal(t, rows,
		[]string{"today = MAXN 40 true ✗", "MODE_15W 20 true ✓", "MODE_30W 30.4 false ✗", "the answer 28 true ✓"})
	must.Contain(t, a.Sheet(Then).Takes, "before (clocks locked)")
	for watts, want := range map[float64]string{
		28:   "",
		29:   "MODE_30W may not fit: ~29.0 W with this job (predicted, 28.7 … 30.5)",
		30.1: "MODE_30W may not fit: ~30.1 W with this job (predicted, 29.8 … 31.6)",
	} {
		a.Versus.Presets[2] = versus("MODE_30W", 7, 55, watts)
		must.Equal(t, a.named(), want, watts)
	}
	a.Preset = &Baseline{"MODE_30W", at(7, 55, 31), Errors{}}
	if a.Compared(); a.Preset != nil || a.Gain.Against != Present {
		t.Errorf("a preset over the limit is compared with: %+v", a.Gain)
	}
	unmetered := Answer{Feasible: true, Before: a.Before, Limit: metric.LeastEnergy}
	unmetered.Reading = at(4, 60, math.NaN())
	unmetered.Compared()
	must.Lack(t, strings.Join(unmetered.Sheet(Today).Lines(), "\n"), "NaN")
}

// A mean has the errors of its newest readings; a bare reading, or one of another mode, has none.
func TestErrorsOfTakesTheNewestReadings(t *testing.T) {
	t.Parallel()
	at := tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	var rows []record.Row
	for _, e := range []float64{0.001, 0.5, 0.02} {
		rows = append(rows, record.Row{Measured: tegra.Measured{Setting: at, TimeMS: 100, PowerW: 30,
			Errors: tegra.Errors{Time: tegra.Some(e), Power: tegra.Some(e / 10)}}, Status: record.OK})
	}
	must.Equal(t, ErrorsOf(at, 1, rows), ErrorsOf(at, 1, rows[2:]))
	rows[2].Bare = true
	must.Equal(t, ErrorsOf(at, 1, rows), ErrorsOf(at, 1, rows[1:2]))
	must.Equal(t, ErrorsOf(tegra.Setting{}, 1, rows), Errors{unknownError, unknownError})
	must.Equal(t, ErrorsOf(at, 0, rows), Errors{})
}

// An answer to a limit is compared with the best preset within it, whatever the present mode does.
func TestComparedTakesThePresetThatFits(t *testing.T) {
	t.Parallel()
	at := func(cores int, ms, watts float64) tegra.Mean {
		return tegra.Mean{Measured: tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores}}, TimeMS: ms,
			PowerW: watts}, N: 1}
	}
	for limit, want := range map[float64]string{100: "MODE_30W", 130: "MODE_30W", 80: Present} {
		a := Answer{Feasible: true, Limit: metric.Millis(limit),
			Before: &Baseline{"present", at(8, 120, 20), Errors{}},
			Preset: &Baseline{"MODE_30W", at(6, 90, 30), Errors{}}}
		a.Reading = at(4, 95, 25)
		a.Setting = a.Reading.Setting
		if a.Compared(); a.Gain == nil || a.Gain.Against != want || a.Gain.Quantity != Power {
			t.Errorf("within %g ms: %+v, want against %s", limit, a.Gain, want)
		}
	}
}

// The largest file that is kept can be read again; one byte more is not kept.
func TestKeepWritesWhatFindReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	size := func(padding int) (int, error) {
		k := Kept{Answers: []Answer{full()}, Warnings: []string{strings.Repeat("x", padding)}}
		if err := Keep(dir, k); err != nil {
			return 0, err
		}
		text, err := os.ReadFile(filepath.Join(dir, FileName))
		return len(text), err
	}
	n, err := size(1)
	if err != nil {
		t.Fatal(err)
	}
	padding := 1 + mostBytes - n
	if n, err = size(padding); err != nil || n != mostBytes {
		t.Fatalf("%d bytes, %v, want %d", n, err, mostBytes)
	}
	if k, err := Find(dir); err != nil || k == nil {
		t.Errorf("the largest file: %v", err)
	}
	must.Fail(t, must.Err(size(padding+1)))
}

// The bands of a measured answer hold its mean, narrow with every reading and widen with their scatter; the chance of
// exceeding the limit agrees with them. Those of a search are its own, with a better mode at the limit.
func TestAnswerJSONSaysHowSureItsReadingsAre(t *testing.T) {
	t.Parallel()
	a := full()
	a.Served, a.Limit, a.Feasible = nil, metric.Watts(18.4), true
	document := func(watts ...float64) (m struct {
		Measured struct {
			N          int
			PowerW     float64 `json:"power_w"`
			PowerLoW   float64 `json:"power_lo_w"`
			PowerHiW   float64 `json:"power_hi_w"`
			TimeLoMS   float64 `json:"time_lo_ms"`
			TimeHiMS   float64 `json:"time_hi_ms"`
			Suspicious bool
		}
		ChanceOver  float64 `json:"chance_over"`
		Alternative *struct {
			TimeMS     float64 `json:"time_ms"`
			ChanceOver float64 `json:"chance_over"`
		}
	}) {
		t.Helper()
		mean := 0.0
		a.Probes = nil
		for _, w := range watts {
			at := a.Reading.Measured
			at.PowerW = w
			a.Probes = append(a.Probes, optimize.Probe{Measured: at})
			mean += w / float64(len(watts))
		}
		a.Reading.PowerW, a.Reading.N = mean, len(watts)
		text, err := json.Marshal(a)
		if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	one, two, apart := document(18.2), document(18.2, 18.2), document(17.8, 18.6)
	for n, m := range map[int]float64{1: one.Measured.PowerHiW, 2: two.Measured.PowerHiW} {
		if m <= 18.2 {
			t.Errorf("of %d readings: up to %g W", n, m)
		}
	}
	width := one.Measured.PowerHiW - one.Measured.PowerLoW
	if w := two.Measured.PowerHiW - two.Measured.PowerLoW; w >= width || two.Measured.N != 2 {
		t.Errorf("one reading ± %g W, two ± %g", width, w)
	}
	if w := apart.Measured.PowerHiW - apart.Measured.PowerLoW; w <= two.Measured.PowerHiW-two.Measured.PowerLoW {
		t.Errorf("two readings apart ± %g W", w)
	}
	if !(one.ChanceOver > two.ChanceOver && apart.ChanceOver > two.ChanceOver && two.ChanceOver > 0) {
		t.Errorf("chances %g, %g, apart %g", one.ChanceOver, two.ChanceOver, apart.ChanceOver)
	}
	a.Chance = tegra.Some(0.97)
	a.True = tegra.Some(learn.Prediction{TimeLoMS: 19, TimeHiMS: 21, PowerLoW: 17.9, PowerHiW: 18.5})
	a.Alternative = tegra.Some(optimize.Believed{Measured: tegra.Measured{TimeMS: 20, PowerW: 18.4}, Chance: 0.75})
	searched := document(18.2, 18.2)
	if alt := searched.Alternative; alt == nil || alt.TimeMS != 20 || alt.ChanceOver != 0.25 {
		t.Errorf("%+v", alt)
	}
	if m := searched.Measured; math.Abs(searched.ChanceOver-0.03) > 1e-4 || m.TimeLoMS != 19 || m.TimeHiMS != 21 ||
		m.PowerLoW != 17.9 || m.PowerHiW != 18.5 {
		t.Errorf("the search believes in a chance of 0.03 and other bands: %+v", searched)
	}
}

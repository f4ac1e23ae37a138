package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

const head = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"

// fitToy fits a model of the made-up board to every third of its modes.
func fitToy(t testing.TB) (model string) {
	t.Helper()
	path, rows := toySweep(t)
	model, o := fitOnce(t, "toy", with(replay(path), "--samples", sampleFile(t, len(rows)/3))...)
	o.done(t)
	return model
}

// fitWholeToy fits a model of the made-up board to all its modes.
func fitWholeToy(t testing.TB) (model string, o outcome) {
	t.Helper()
	path, _ := toySweep(t)
	return fitOnce(t, "whole", with(replay(path), "--samples", path, "--json", "--reference", "none")...)
}

// fits are the models that several tests use, by name.
var fits = struct {
	sync.Mutex
	models   map[string][]byte
	outcomes map[string]outcome
}{models: map[string][]byte{}, outcomes: map[string]outcome{}}

// fitOnce gives each test its own copy of a model that the first of them fits, and the command's output.
func fitOnce(t testing.TB, name string, args ...string) (model string, o outcome) {
	t.Helper()
	fits.Lock()
	defer fits.Unlock()
	model = filepath.Join(t.TempDir(), name+".model")
	if o, ok := fits.outcomes[name]; ok {
		must.NoError(t, os.WriteFile(model, fits.models[name], 0o644))
		return model, o
	}
	o = jtune(t, with([]string{"fit", "--out", model}, args...)...)
	data, err := os.ReadFile(model)
	if err != nil {
		t.Fatalf("%v; the fit said %s", err, o.err)
	}
	fits.models[name], fits.outcomes[name] = data, o
	return model, o
}

func TestFitReportsItsErrorsAsTheContractSays(t *testing.T) {
	t.Parallel()
	_, o := fitWholeToy(t)
	v := o.done(t).object(t, "method samples cv reference warnings virtual")
	cv := hasKeys(t, v["cv"], "time_mape_pct power_mape_pct")
	has(t, v, "method = gp", "samples = 72", "reference = null")
	if e := cv["time_mape_pct"].(float64); !(e >= 0 && e < 5) {
		t.Errorf("cross-validated time error of a smooth law is %g %%, want below 5", e)
	}
}

func TestErrorsThatAreNotKnownAreNull(t *testing.T) {
	t.Parallel()
	path := sampleFile(t, 1)
	model := filepath.Join(t.TempDir(), "m")
	v := jtune(t, "fit", "--samples", path, "--out", model, "--json").done(t).object(t,
		"method samples cv reference warnings virtual")
	cv := hasKeys(t, v["cv"], "time_mape_pct power_mape_pct")
	has(t, cv, "time_mape_pct = null", "power_mape_pct = null")
	text := jtune(t, "fit", "--samples", path, "--out", model).done(t).out
	must.Contain(t, text, "not known")
	must.Lack(t, text, "0.0 %")
}

// sampleFile writes n rows of the made-up board.
func sampleFile(t testing.TB, n int) string {
	_, rows := toySweep(t)
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		r := rows[i*len(rows)/n]
		fmt.Fprintf(&b, "%d,%d,%d,%d,%g,%g\n", r.Mode.Cores, r.Mode.CPU.KHz(), r.Mode.GPU, r.Mode.EMC, r.TimeMS,
			r.PowerW)
	}
	return write(t, b.String())
}

func TestModelSpeaksOfTheRightSpace(t *testing.T) {
	t.Parallel()
	orinRows := sampleFile(t, 12)
	foreign := write(t, head+"2,1000000,500000000,900000000,50,10\n4,1200000,500000000,900000000,40,12\n"+
		"4,1000000,600000000,800000000,45,11\n")
	for _, c := range []struct {
		name    string
		args    []string
		modes   int
		warning string
	}{
		{"the board that is named", []string{"--device", "virtual:agx-orin", "--samples", orinRows}, 18096, ""},
		{"the default board, when it has all sampled modes", []string{"--samples", orinRows}, 18096, ""},
		{"else the grid that the samples span, with a warning", []string{"--samples", foreign}, 2 * 2 * 2 * 2, "grid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "m")
			o := jtune(t, with([]string{"fit", "--out", model}, c.args...)...).done(t)
			must.Contain(t, o.err, c.warning)
			m := must.Get(learn.Load(model))(t)
			must.Equal(t, m.Space.Len(), c.modes)
		})
	}
	t.Run("samples that the named board lacks are an error", func(t *testing.T) {
		o := jtune(t, "fit", "--out", filepath.Join(t.TempDir(), "m"), "--samples", foreign, "--device",
			"virtual:agx-orin")
		if o.code == exitOK {
			t.Error("foreign samples were accepted")
		}
	})
}

func TestBadSweepFilesAreReportedByLine(t *testing.T) {
	t.Parallel()
	good := "2,729600,318750000,665600000,100,12\n4,729600,318750000,665600000,80,13\n" +
		"8,729600,318750000,665600000,60,15\n"
	for _, c := range []struct {
		name, text string
		code       int
		words      []string
	}{
		{"NaN is skipped", head + good + "12,729600,318750000,665600000,NaN,15\n", exitOK, []string{"line 5", "NaN"}},
		{"a torn last line is skipped", head + good + "12,729600,3187", exitOK, []string{"line 5", "torn"}},
		{"duplicates far apart are reported", head + good + "8,729600,318750000,665600000,162,15\n", exitOK,
			[]string{"measured more than once", "8c/"}},
		{"a missing column is an error", strings.Replace(head, ",power_w", ",watts", 1) + good, exitFailed,
			[]string{"power_w"}},
		{"no usable row is an error", head + "2,729600,318750000,665600000,NaN,12\n", exitFailed,
			[]string{"no usable row"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := jtune(t, "fit", "--device", "virtual:agx-orin", "--samples", write(t, c.text), "--no-cv", "--out",
				filepath.Join(t.TempDir(), "m"))
			if o.code != c.code {
				t.Fatalf("got exit code %d, want %d; stderr %s", o.code, c.code, o.err)
			}
			must.Contain(t, o.err, c.words...)
		})
	}
	t.Run("strict makes a bad row fatal", func(t *testing.T) {
		path := write(t, head+good+"12,729600,318750000,665600000,NaN,15\n")
		jtune(t, "fit", "--strict", "--samples", path, "--out", filepath.Join(t.TempDir(), "m")).fails(t, exitFailed,
			"line 5")
	})
}

func TestPredictKeepsRowsOrderAndDuplicates(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	modes := write(t, "cores,cpu,gpu,mem,note\n12,2201600,1300500000,3199000000,a\n2,729600,318750000,665600000,b\n"+
		"x,1,2,3,c\n12,2201600,1300500000,3199000000,d\n")
	o := jtune(t, "predict", "--model", model, "--modes", modes, "--csv").done(t)
	rows, err := csv.NewReader(strings.NewReader(o.out)).ReadAll()
	must.NoError(t, err)
	must.Equal(t, strings.Join(rows[0], ","), predictColumns)
	if len(rows) != 4 || rows[1][0] != "12" || rows[2][0] != "2" ||
		strings.Join(rows[1], ",") != strings.Join(rows[3], ",") {
		t.Errorf("got rows %v, want the three readable ones in order", rows[1:])
	}
	must.Contain(t, o.err, "line 4")
	for _, r := range rows[1:] {
		v := make([]float64, len(r))
		for i, f := range r {
			v[i], _ = strconv.ParseFloat(f, 64)
		}
		if !(v[5] <= v[4] && v[4] <= v[6] && v[8] <= v[7] && v[7] <= v[9]) {
			t.Errorf("bands do not hold the median: %v", r)
		}
		if e := v[4] * v[7] / 1000; math.Abs(v[10]-e) > 1e-4*e {
			t.Errorf("energy %g is not time × power %g", v[10], e)
		}
	}
}

// predict reports a mode that the model's board does not have with its line and the nearest mode, skips it, prints all
// others, and fails at the end.
func TestPredictLeavesOutModesThatDoNotExist(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	modes := write(t, "cores,cpu,gpu,mem\n16,9999999,1300500000,3199000000\n12,2201600,1300500000,3199000000\n"+
		"12,2201600,9000000000,3199000000\n")
	compact := write(t, "# cores/CPU/GPU/memory\n16c/9.99C/1.30G/3.20M\n12c/2.20C/1.30G/3.20M\n12c/2.20C/9G/3.20M\n")
	var o outcome
	for _, file := range []string{modes, compact} {
		o2 := jtune(t, "predict", "--model", model, "--modes", file)
		if o2.code != exitFailed || strings.Count(o2.out, "\n") != 1 || !strings.HasPrefix(o2.out, "12c/2.20C/1.30G") {
			t.Errorf("exit code %d, output %q; want the one mode that exists and %d", o2.code, o2.out, exitFailed)
		}
		o.err += strings.ReplaceAll(o2.err, file, "FILE")
	}
	for _, want := range []string{"line 2: 16 cores is not a setting of this device; nearest: 12; nearest mode: " +
		"12c/2.20C/1.30G/3.20M: row skipped",
		"line 4: GPU 9.00 GHz is not a setting of this device; nearest: 1.30 GHz; nearest mode: " +
			"12c/2.20C/1.30G/3.20M: row skipped"} {
		must.Equal(t, strings.Count(o.err, want), 2, want)
	}
	for _, none := range []string{"cores,cpu,gpu,mem\n16,9999999,1300500000,3199000000\n", "16c/2.20C/1.30G/3.20M\n"} {
		o := jtune(t, "predict", "--model", model, "--modes", write(t, none), "--csv")
		if o.code != exitFailed || o.out != predictColumns+"\n" || !strings.Contains(o.err, "nearest mode") {
			t.Errorf("exit code %d, %q, %q", o.code, o.out, o.err)
		}
	}
}

func TestPredictTakesModesInEveryNotation(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	list := strings.Split(strings.TrimSpace(jtune(t, "predict", "--model", model).done(t).out), "\n")
	mode := strings.Fields(list[0])[0]
	one := regexp.MustCompile(`^(\d+)c/([\d.]+)C/([\d.]+)G/([\d.]+)M +[\d.]+ ms .* [\d.]+ W .* [\d.]+ J\n$`)
	o := jtune(t, "predict", "--model", model, mode).done(t)
	p := one.FindStringSubmatch(o.out)
	if p == nil {
		t.Fatalf("got %q, want one line that starts with the mode", o.out)
	}
	for _, args := range [][]string{{p[1] + "c/" + p[2] + "GHz/" + p[3] + "/" + p[4]},
		{"cores=" + p[1] + " cpu=" + p[2] + "GHz gpu=" + p[3] + " mem=" + p[4] + "M"}} {
		must.Equal(t, jtune(t, with([]string{"predict", "--model", model}, args...)...).done(t).out, o.out, args)
	}
	file := write(t, "# wanted\n"+mode+"\n"+mode+"\n")
	must.Equal(t, jtune(t, "predict", "--model", model, "--modes", file).done(t).out, o.out+o.out)
}

func TestPredictReadsModesFromStandardInput(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	const head = "cores,cpu_khz,gpu_hz,mem_hz\n"
	o := jtuneWith(t, t.Context(), strings.NewReader(head+"8,1344000,726750000,3199000000\n"), "predict", "--model",
		model, "--modes", "-", "--csv").done(t)
	must.Equal(t, strings.Count(o.out, "\n"), 2, o.out)
	none := func(format ...string) string {
		return jtuneWith(t, t.Context(), strings.NewReader(head),
			with([]string{"predict", "--model", model, "--modes", "-"}, format...)...).done(t).out
	}
	must.Equal(t, none("--csv"), predictColumns+"\n")
	must.Equal(t, none("--json"), "[]\n")
}

func TestFrontIsTheOneThatNoModeBeats(t *testing.T) {
	t.Parallel()
	path, rows := toySweep(t)
	for _, axis := range []pareto.Axis{pareto.Power, pareto.Energy} {
		t.Run(axis.String(), func(t *testing.T) {
			got := array(t, jtune(t, "front", "--samples", path, "--y", axis.String(), "--json").done(t).out)
			want := pareto.Front(rows, axis)
			if len(got) != len(want) {
				t.Fatalf("got %d points, want %d", len(got), len(want))
			}
			for i, k := range want {
				p := hasKeys(t, got[i], strings.ReplaceAll(predictColumns, ",", " "))
				if p["time_ms"] != rows[k].TimeMS || p["measured"] != true || p["time_lo_ms"] != nil {
					t.Errorf("point %d: got %v, want %v", i, p, rows[k])
				}
			}
		})
	}
}

func TestChooseKeepsTheLimitAndTellsTheGain(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	o := jtune(t, "choose", "--model", model, "--power-limit", "20", "--json").done(t)
	v := o.object(t, answerKeys)
	limit := hasKeys(t, v["limit"], "kind value_w")
	has(t, limit, "kind = power", "value_w = 20")
	has(t, v, "feasible = true", "profiling_s = null")
	has(t, hasKeys(t, v["predicted"], bandKeys), "power_w <= 20")
	mode := modeOf(t, v["mode"])
	best := math.Inf(1)
	for _, m := range toyModes() {
		if r := toyLaw(m); r.PowerW <= 20 {
			best = min(best, r.TimeMS)
		}
	}
	if got := toyLaw(mode); got.PowerW > 20 || got.TimeMS > 1.1*best {
		t.Errorf("chose %v: %.1f ms, %.1f W; the best within 20 W takes %.1f ms", mode, got.TimeMS, got.PowerW, best)
	}
	versus := hasKeys(t, v["versus"], "maxn present presets")
	has(t, hasKeys(t, versus["maxn"], comparisonKeys), "time_pct > 0", "power_pct < 0")
}

func TestChooseAnswersAsTheFrontPageDoes(t *testing.T) {
	t.Parallel()
	path := fitToy(t)
	m := must.Get(learn.Load(path))(t)
	o := outlook.New("toy", m, m.Space)
	for _, watts := range []float64{1, 14, 17.5, 20, 33} {
		got := jtune(t, "choose", "--model", path, "--power-limit", fmt.Sprint(watts), "--json").object(t, answerKeys)
		limit := metric.Watts(watts)
		at := o.Answer(limit)
		mode, s := modeOf(t, got["mode"]), o.Standing(at, limit)
		must.Equal(t, mode, o.Known[at].Mode, watts)
		must.Equal(t, got["feasible"], any(s.Within()), watts)
		must.Equal(t, got["state"], any(s.State.String()), watts)
	}
}

const (
	predictColumns = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w," +
		"energy_j,measured,n,state,chance_over,virtual"
	answerKeys = "device virtual workload limit mode predicted measured feasible probes profiling_s versus " +
		"state n chance_over board_s before preset gain soak alternative exchange"
	errorKeys      = " time_error_pct power_error_pct energy_error_pct"
	measuredKeys   = "n " + bandKeys + errorKeys
	probeKeys      = "mode time_ms power_w why over" + errorKeys
	gainKeys       = "quantity against pct lo_pct hi_pct measured told_apart"
	bandKeys       = "time_ms time_lo_ms time_hi_ms power_w power_lo_w power_hi_w energy_j"
	comparisonKeys = "id name mode measured extrapolated time_pct power_pct energy_pct " + bandKeys
)

func modeOf(t testing.TB, v any) tegra.Mode {
	t.Helper()
	m := hasKeys(t, v, "cores cpu_khz gpu_hz mem_hz")
	hz := func(k string) tegra.Freq { return tegra.Freq(m[k].(float64)) }
	return tegra.Mode{Cores: int(hz("cores")), CPU: hz("cpu_khz") * tegra.KHz, GPU: hz("gpu_hz"), EMC: hz("mem_hz")}
}

func TestChooseSpeaksEveryLimit(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	for _, c := range []struct {
		name  string
		args  []string
		limit string
	}{
		{"power", []string{"--power-limit", "30"}, `{"kind":"power","value_w":30}`},
		{"time", []string{"--time-limit", "200"}, `{"kind":"time","value_ms":200}`},
		{"both", []string{"--power-limit", "30", "--time-limit", "200"},
			`[{"kind":"power","value_w":30},{"kind":"time","value_ms":200}]`},
		{"within energy", []string{"--energy-limit", "4"}, `{"kind":"energy","value_j":4}`},
		{"energy", []string{"--energy"}, `{"kind":"energy"}`},
		{"slowdown", []string{"--max-slowdown", "10"}, `{"kind":"max_slowdown","value_pct":10}`},
		{"knee", []string{"--knee"}, `{"kind":"knee"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := jtune(t, with([]string{"choose", "--model", model, "--json"}, c.args...)...).done(t)
			compact := strings.NewReplacer(" ", "", "\n", "").Replace(o.out)
			must.Contain(t, compact, `"limit":`+c.limit+",")
			jtune(t, with([]string{"choose", "--model", model}, c.args...)...).done(t)
		})
	}
}

// A sweep may have only times: power is null or a dash, and commands that need it say so in one line.
func TestSweepWithoutPower(t *testing.T) {
	computes(t)
	t.Parallel()
	board, rows := toySweep(t)
	var b strings.Builder
	b.WriteString("cores,cpu_khz,gpu_hz,mem_hz,time_ms\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%d,%d,%d,%d,%g\n", r.Mode.Cores, r.Mode.CPU.KHz(), r.Mode.GPU, r.Mode.EMC, r.TimeMS)
	}
	path := write(t, b.String())
	model := filepath.Join(t.TempDir(), "m")
	fit := with(replay(board), "fit", "--samples", path, "--out", model)
	fitted := jtune(t, with(fit, "--json", "--reference", "none")...).done(t).object(t,
		"method samples cv reference warnings virtual")
	cv := hasKeys(t, fitted["cv"], "time_mape_pct power_mape_pct")
	has(t, cv, "power_mape_pct = null", "time_mape_pct < 5")
	if text := jtune(t, fit...).done(t); strings.Contains(text.out, "NaN") ||
		!strings.Contains(text.err, "time alone") {
		t.Errorf("got %s%s", text.out, text.err)
	}
	first := array(t, jtune(t, "predict", "--model", model, "--json").done(t).out)[0]
	has(t, hasKeys(t, first, strings.ReplaceAll(predictColumns, ",", " ")), "time_ms != null", "power_w = null",
		"power_hi_w = null", "energy_j = null")
	if text := jtune(t, "predict", "--model", model).done(t).out; strings.Contains(text, "NaN") ||
		!strings.Contains(text, "–  (–)  –") {
		t.Errorf("got %.200s, want dashes for power", text)
	}
	for _, args := range [][]string{{"choose", "--model", model, "--power-limit", "20"},
		{"choose", "--model", model, "--energy"}, {"front", "--model", model}, {"front", "--samples", path}} {
		jtune(t, args...).fails(t, exitFailed, args[0], "times only", "power")
	}
}

// The requested layers appear in the answer and in the model.
func TestNetworksHaveTheLayersThatAreAskedFor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains networks; learn/baseline/nn trains two at a time")
	}
	dir := t.TempDir()
	samples, model := filepath.Join(dir, "c"), filepath.Join(dir, "own.model")
	jtune(t, "profile", "resnet", "--device", "virtual:agx-orin", "--speed", "max", "--sample", "2", "--out",
		samples).done(t)
	brief := []string{"fit", "--samples", samples, "--no-cv", "--hyper", "epochs=2", "--hyper", "min_steps=-1"}
	fitted := jtune(t, with(brief, "--method", "nn", "--hyper", "layers=64,8", "--out", model)...).done(t)
	shown := jtune(t, "models", "show", model).done(t)
	for _, out := range []string{fitted.out, shown.out} {
		must.Equal(t, strings.Count(out, "4-64-8-1, Adam"), 2, out)
		must.Equal(t, strings.Count(out, "seed 0,"), 2, out)
	}
	kept := jtune(t, "models", "show", model, "--json").done(t).object(t, modelKeys+" networks")
	if list, _ := kept["networks"].([]any); len(list) != 2 {
		t.Errorf("networks in the JSON: %v", kept["networks"])
	}
	transfer := with(brief, "--method", "powertrain", "--out", filepath.Join(dir, "t.model"))
	jtune(t, with(transfer, "--hyper", "layers=64,8")...).fails(t, exitFailed, "layers of its reference", "256,128,64")
	must.Contain(t, jtune(t, with(transfer, "--reference", model)...).done(t).out, "4-64-8-1, Adam")
}

// The networks are trained on a campaign's single minibatches, with the requested loss and layers.
func TestNetworksLearnFromACampaignsMinibatches(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains networks; learn/baseline/nn trains two at a time")
	}
	dir, model := filepath.Join(t.TempDir(), "c"), filepath.Join(t.TempDir(), "m")
	entries := filepath.Join(t.TempDir(), "entries.csv")
	jtune(t, "profile", "resnet", "--device", "virtual:agx-orin", "--speed", "max", "--sample", "2", "--out",
		dir).done(t)
	o := jtune(t, "fit", "--samples", dir, "--out", model, "--method", "powertrain", "--freeze", "--loss",
		"mape", "--hyper", "epochs=3", "--hyper", "dropout=0.2", "--minibatches", "10", "--no-cv", "--json",
		"--entries", entries).done(t)
	weights, err := os.ReadFile(entries)
	if err != nil || !strings.Contains(string(weights), ",10,10,") || strings.Count(string(weights), "\n") != 3 ||
		!strings.HasSuffix(string(weights), ",true\n") {
		t.Errorf("%v: entries are\n%s", err, weights)
	}
	must.Contain(t, o.err, "learn from 20 single minibatches", "of 2 modes", "first 10 minibatches")
	var fit struct {
		Networks []struct {
			Of        string
			Config    struct{ Dropout float64 }
			Rows      int
			Epochs    int
			BestEpoch int `json:"best_epoch"`
		}
	}
	if err := json.Unmarshal([]byte(o.out), &fit); err != nil || len(fit.Networks) != 2 {
		t.Fatalf("%v: %s", err, o.out)
	}
	for _, n := range fit.Networks {
		if n.Config.Dropout != 0.2 || n.Rows == 0 || n.Epochs < 3 || n.BestEpoch < 1 || n.BestEpoch > n.Epochs {
			t.Errorf("%+v", n)
		}
	}
}

// predict accepts the names of presets, like apply.
func TestPredictTakesPresets(t *testing.T) {
	t.Parallel()
	model := fitToy(t)
	o := jtune(t, with(virtualBoard, "predict", "--model", model, "MAXN")...).done(t)
	if strings.Count(o.out, "\n") != 1 || !strings.HasPrefix(o.out, "12c/2.20C/1.30G/") {
		t.Errorf("got %q, want the mode of MAXN", o.out)
	}
}

package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/answers"
)

func TestTuneInWordsNamesNoModeTwice(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(virtualBoard, "tune", "lstm", "--power-limit", "30", "--probes", "6")...).done(t)
	must.Equal(t, strings.Count(o.out, "\ntoday = MAXN "), 1)
	must.Lack(t, o.out, "\nMAXN")
	if row := regexp.MustCompile(`\nMODE_50W +○ predicted [✓✗] +[0-9.]+ \([0-9.]+–[0-9.]+\) +[0-9.]+ \([0-9.]+–[0-9.]+\)`); !row.MatchString(o.out) {
		t.Errorf("a mode that was not measured lacks its bands:\n%s", o.out)
	}
	must.Contain(t, o.out, "VIRTUAL: a simulation, not a measurement")
}

// An answer that was measured has no guess from before its reading beside it.
func TestAnswerPrintsNoGuessBesideAMeasurement(t *testing.T) {
	t.Parallel()
	mode := toyModes()[0]
	at := tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 93.8, PowerW: 29.5}
	space := must.Get(tegra.NewSubspace(toyModes()))(t)
	nan := math.NaN()
	for name, c := range map[string]struct {
		lo, hi   float64
		measured bool
		want     bool
	}{
		"narrow beside a reading":    {90, 98, true, false},
		"absurd beside a reading":    {10.1, 870.7, true, false},
		"wide, nothing was measured": {10.1, 870.7, false, true},
		"none is known":              {nan, nan, false, false},
	} {
		p := learn.Prediction{Measured: at, TimeLoMS: c.lo, TimeHiMS: c.hi, PowerLoW: nan, PowerHiW: nan}
		x := answers.Answer{Setting: at.Setting, About: outlook.About{Predicted: p}, Feasible: true}
		if c.measured {
			x.Reading = tegra.Mean{Measured: at, N: 1}
		}
		var b strings.Builder
		err := (&app{out: &b}).print(answerParts(x, workload.Workload{}, space, "", answers.Today, nil)...)
		if err != nil || strings.Contains(b.String(), "(") != c.want || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
}

func TestTuneAnswersSeveralLimitsWithAnArray(t *testing.T) {
	t.Parallel()
	args := with(smallBoard, "tune", "resnet18", "--power-limit", "12,8,12", "--probes", "14")
	var list []struct {
		Limit struct {
			Kind   string  `json:"kind"`
			ValueW float64 `json:"value_w"`
		} `json:"limit"`
		Feasible bool `json:"feasible"`
		Measured struct {
			PowerW float64 `json:"power_w"`
		} `json:"measured"`
		Probes []any `json:"probes"`
	}
	o := jtune(t, append(args, "--json")...).done(t)
	if err := json.Unmarshal([]byte(o.out), &list); err != nil || len(list) != 2 {
		t.Fatalf("want an answer to 12 W and one to 8 W, each once: %v\n%s", err, o.out)
	}
	for i, watts := range []float64{12, 8} {
		x := list[i]
		if x.Limit.ValueW != watts || !x.Feasible || x.Measured.PowerW > watts || len(x.Probes) > 14 ||
			len(x.Probes) != len(list[0].Probes) {
			t.Errorf("to %g W it answers %+v", watts, x)
		}
	}
	words := jtune(t, args...).done(t).out
	must.Contain(t, words, "fastest, power ≤ 12 W\n", "fastest, power ≤ 8 W\n")
	jtune(t, append(args, "--strategy", "binary")...).fails(t, exitUsage, "answers one limit")
}

// Chances, bands and errors are no changes.
var (
	aChange  = regexp.MustCompile(`[0-9] ?%|[0-9]×`)
	noChange = regexp.MustCompile(`[0-9.]+ % (sure|chance|bands?)|95 %|[0-9]× read|known to [0-9.]+ %, power to [0-9.]+ %|` +
		`error .* is [0-9.]+ % of time and [0-9.]+ % of power`)
	itsObject = regexp.MustCompile(`faster|slower|as long as|as fast as|samples per second|time|power|energy`)
	itsOther  = regexp.MustCompile(` than \S| as (long|fast) as \S|× the .* of \S|against \S|difference .* to \S|since \S`)
)

// unsaid reports whether a line has a change, but not of what or against what.
func unsaid(line string) (change, lacks bool) {
	change = aChange.MatchString(noChange.ReplaceAllString(line, ""))
	return change, change && !(itsObject.MatchString(line) && itsOther.MatchString(line))
}

func TestTuneAndReportSayAgainstWhatAChangeIs(t *testing.T) {
	t.Parallel()
	data, tuned := measured(t)
	run := func(args ...string) string {
		t.Helper()
		if args[0] == "tune" {
			return tuned.out
		}
		return jtune(t, with(smallBoard, append(args, "--data-dir", data)...)...).out
	}
	for _, bad := range []string{"MODE_15W  time +94…+333 %  power -43…-20 %", "645 % more", "8× today's"} {
		if _, lacks := unsaid(bad); !lacks {
			t.Errorf("%q passes", bad)
		}
	}
	seen := map[string]int{}
	for _, c := range [][]string{
		{"tune"},
		{"ask", "choose", "--model", "mobilenet", "--power-limit", "8"},
		{"ask", "choose", "--model", "mobilenet", "--time-limit", "500"},
		{"verify"},
		{"report", "--md", "--out", "-"},
		{"campaigns"},
	} {
		for line := range strings.Lines(run(c...)) {
			change, lacks := unsaid(line)
			if change {
				seen[c[0]]++
			}
			if lacks {
				t.Errorf("%v: %q", c, line)
			}
		}
	}
	if seen["tune"] < 1 || seen["ask"] < 2 || seen["verify"] < 1 || seen["report"] < 1 {
		t.Errorf("too few changes were read: %v", seen)
	}
}

// The columns of predict and front follow the bounds in the contract, and the answer of choose is one of the modes
// within.
func TestStatesOfPredictFrontAndChooseAgree(t *testing.T) {
	computes(t)
	t.Parallel()
	model := filepath.Join(t.TempDir(), "twelve.model")
	board, _ := toySweep(t)
	jtune(t, with(replay(board), "fit", "--samples", sampleFile(t, 12), "--out", model)...).done(t)
	answer := jtune(t, "choose", "--model", model, "--power-limit", "20", "--json").object(t, answerKeys)
	knobs := answer["mode"].(map[string]any)
	seen := map[string]int{}
	for _, command := range []string{"predict", "front"} {
		o := jtune(t, command, "--model", model, "--power-limit", "20", "--csv").done(t)
		rows := must.Get(csv.NewReader(strings.NewReader(o.out)).ReadAll())(t)
		if head := strings.Join(rows[0], ","); head != predictColumns {
			t.Fatalf("%s: columns %s", command, head)
		}
		for _, r := range rows[1:] {
			measured, n, state, chance, virtual := r[11], r[12], r[13], r[14], r[15]
			if virtual != "false" || (measured == "true") != (n != "0") || chance == "" {
				t.Fatalf("%s: %v", command, r)
			}
			seen[state]++
			if r[0] == strconv.Itoa(int(knobs["cores"].(float64))) && r[1] == field(knobs["cpu_khz"]) &&
				r[2] == field(knobs["gpu_hz"]) && r[3] == field(knobs["mem_hz"]) && state != answer["state"] {
				t.Errorf("%s: the answer is %s, choose says %v", command, state, answer["state"])
			}
			c := must.Get(strconv.ParseFloat(chance, 64))(t)
			best, most := "sure", 0.025
			if measured == "true" {
				best, most = "measured", 0.05
			}
			want := map[bool]string{true: "over", false: "doubtful"}[c > 0.5]
			if c <= 0.16 {
				want = map[bool]string{true: "likely", false: best}[c > most]
			}
			must.Equal(t, state, want, command, chance)
		}
	}
	for _, state := range []string{"measured", "sure", "likely", "doubtful", "over"} {
		if seen[state] == 0 {
			t.Errorf("no mode is %s: the test shows too little", state)
		}
	}
	o := jtune(t, "predict", "--model", model, "--csv").done(t)
	must.Lack(t, o.out, ",over,")
	must.Contain(t, o.out, "false,0,sure,,false")
}

func field(v any) string { return strconv.FormatFloat(v.(float64), 'f', 0, 64) }

func TestWeakModelDoesNotChooseWithoutAWarning(t *testing.T) {
	computes(t)
	t.Parallel()
	weak, good := filepath.Join(t.TempDir(), "weak.model"), filepath.Join(t.TempDir(), "good.model")
	board, _ := toySweep(t)
	jtune(t, with(replay(board), "fit", "--samples", sampleFile(t, 3), "--out", weak)...).done(t)
	jtune(t, with(replay(board), "fit", "--samples", sampleFile(t, 20), "--out", good)...).done(t)
	const words = "only 3 modes: error unknown"
	choose := func(model string, more ...string) outcome {
		return jtune(t, with([]string{"choose", "--model", model, "--power-limit", "20"}, more...)...)
	}
	must.Contain(t, choose(weak).err, words)
	choose(weak, "--max-error", "50").fails(t, exitInfeasible, words)
	must.Lack(t, choose(good, "--max-error", "20").done(t).err, "weak")
	choose(good, "--max-error", "0.001").fails(t, exitInfeasible, "its own error is", "0.001 %")
}

package cli

import (
	"encoding/json"
	"math"
	"regexp"
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
	if n := strings.Count(o.out, "\ntoday = MAXN "); n != 1 || strings.Contains(o.out, "\nMAXN") {
		t.Errorf("today's mode, MAXN, has %d lines, want one:\n%s", n, o.out)
	}
	if row := regexp.MustCompile(`\nMODE_50W +○ predicted [✓✗] +[0-9.]+ \([0-9.]+–[0-9.]+\) +[0-9.]+ \([0-9.]+–[0-9.]+\)`); !row.MatchString(o.out) {
		t.Errorf("a mode that was not measured lacks its bands:\n%s", o.out)
	}
	if !strings.Contains(o.out, "VIRTUAL: a simulation, not a measurement") {
		t.Errorf("no mark of a simulation:\n%s", o.out)
	}
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
	if !strings.Contains(words, "fastest, power ≤ 12 W\n") || !strings.Contains(words, "fastest, power ≤ 8 W\n") {
		t.Errorf("in words:\n%s", words)
	}
	jtune(t, append(args, "--strategy", "binary")...).fails(t, exitUsage, "answers one limit")
}

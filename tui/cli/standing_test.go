package cli

import (
	"encoding/csv"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
)

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
			if state != want {
				t.Errorf("%s: %s with a chance of %s, want %s", command, state, chance, want)
			}
		}
	}
	for _, state := range []string{"measured", "sure", "likely", "doubtful", "over"} {
		if seen[state] == 0 {
			t.Errorf("no mode is %s: the test shows too little", state)
		}
	}
	o := jtune(t, "predict", "--model", model, "--csv").done(t)
	if strings.Contains(o.out, ",over,") || !strings.Contains(o.out, "false,0,sure,,false") {
		t.Errorf("without a limit a mode is measured or sure, without a chance: %.300s", o.out)
	}
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
	if o := choose(weak); !strings.Contains(o.err, words) {
		t.Errorf("no warning of a model of three modes: %q", o.err)
	}
	choose(weak, "--max-error", "50").fails(t, exitInfeasible, words)
	if o := choose(good, "--max-error", "20").done(t); strings.Contains(o.err, "weak") {
		t.Errorf("a warning of a good model: %q", o.err)
	}
	choose(good, "--max-error", "0.001").fails(t, exitInfeasible, "its own error is", "0.001 %")
}

package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// pairHeader is a campaign of two jobs.
func pairHeader(t *testing.T) Header {
	t.Helper()
	h := testHeader(t)
	h.Workload.Kind = workload.Inference
	h.Plan = PlanHeader{Kind: ExperimentKind, Source: PairKind, Modes: 6, Batches: []int{1, 16}}
	h.Pair = &PairHeader{Train: workload.Workload{Name: "resnet18", Command: []string{"train"}}, PowerW: 30,
		Load: arrivals.Spec{RatePerS: 60}, PairAsked: PairAsked{Policy: "fill"}}
	return h
}

// A minibatch's line names its job; the times of a mode are the training's. A folder of before that column goes on
// without it.
func TestRecordOfAPairSaysWhoseAMinibatchIs(t *testing.T) {
	t.Parallel()
	at := tegra.Setting{Mode: exampleRows()[0].Mode, Batch: 16}
	for _, older := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "c")
		r, err := Create(dir, pairHeader(t))
		must.NoError(t, err)
		raw := filepath.Join(dir, minibatchesName)
		if older {
			r.Close()
			text, _ := os.ReadFile(raw)
			must.NoError(t, os.WriteFile(raw, []byte(strings.Replace(string(text), ",job", "", 1)), 0o644))
			r, err = OpenOrCreate(dir, pairHeader(t), true)
			must.NoError(t, err)
		}
		for i, job := range []string{harness.JobTrain, harness.JobInfer, harness.JobTrain} {
			err = errors.Join(err, r.Minibatch(at, harness.Event{Job: job, T: time.Duration(i+1) * time.Second,
				TimeMS: float64(10 * (i + 1))}, ""))
		}
		must.NoError(t, errors.Join(err, r.Close()))
		text, _ := os.ReadFile(raw)
		got, notes, err := ReadEntries(dir, 16)
		want := []float64{10, 30}
		if older {
			want = []float64{10, 20, 30}
		}
		if err != nil || len(notes) > 0 || !slices.Equal(got[at.Mode].TimesMS, want) ||
			strings.Contains(string(text), ",,infer,16,true\n") == older {
			t.Errorf("older %v: %v %v %v of\n%s", older, got, notes, err, text)
		}
	}
}

// A pair goes on as what it was: another training, load or limit is another pair.
func TestRecordOfAPairResumesTheSamePairAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := must.Get(Create(dir, pairHeader(t)))(t)
	r.Close()
	for want, change := range map[string]func(*PairHeader){
		"":                   func(*PairHeader) {},
		"different training": func(h *PairHeader) { h.Train.Name = "lstm" },
		"other settings":     func(h *PairHeader) { h.Train.Command = []string{"other"} },
		"at most 25 W":       func(h *PairHeader) { h.PowerW = 25 },
		"rate_per_s 70":      func(h *PairHeader) { h.Load.RatePerS = 70 },
		"policy strict":      func(h *PairHeader) { h.Policy = "strict" },
		"pairs 6":            func(h *PairHeader) { h.Pairs = 6 },
		"strategy gmd":       func(h *PairHeader) { h.Strategy = "gmd" },
	} {
		h := pairHeader(t)
		h.Pair.Strategy = "auto" // as the command line says what the screens leave out
		change(h.Pair)
		r, err := OpenOrCreate(dir, h, true)
		if err == nil {
			r.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			err != nil && !strings.Contains(err.Error(), "cannot resume "+dir) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

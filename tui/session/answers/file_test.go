package answers

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// full is an answer with all that one may have.
func full() Answer {
	mode := tegra.Mode{Cores: 3, CPU: 1110 * tegra.MHz, GPU: 624 * tegra.MHz, EMC: 3199 * tegra.MHz}
	at := tegra.Measured{Setting: tegra.Setting{Mode: mode, Batch: 1}, TimeMS: 21.5, PowerW: 18.25}
	beside := outlook.Comparison{Name: "MAXN", Other: optimize.MeasuredPrediction(at), Measured: true,
		Difference: outlook.Difference{TimePct: 35, PowerPct: -41, EnergyPct: math.NaN()}}
	served := &record.Served{Unit: "inference", Requests: 900, Units: 900, UnitJ: tegra.Some(0.6),
		Latency: record.Latency{P50: 30, P95: 40, P99: 46.5, N: 900}}
	return Answer{Setting: at.Setting, Device: "AGX Orin", Virtual: true, Workload: "yolov8n-infer",
		About: outlook.About{Predicted: learn.Prediction{Measured: at, TimeLoMS: 20, TimeHiMS: 23},
			Reading: tegra.Mean{Measured: at, N: 2}},
		Limit: metric.Watts(30),
		Ask: mix.Ask{Goal: metric.Watts(30), LatencyMS: 50, Quantile: 0.99, IdleW: math.NaN(),
			Load: arrivals.Load{Pattern: arrivals.Poisson, RatePerS: 30}},
		Standing: standing.Standing{N: 2, Limited: true}, Feasible: true, Verified: true,
		Versus:  outlook.Comparisons{MaxN: &beside, Presets: []outlook.Comparison{beside}},
		Served:  &mix.Outcome{Setting: at.Setting, LatencyMS: math.Inf(1), MeanW: 18, Meets: true},
		Serving: served, Took: 93 * time.Second,
		Trial: &Trial{Setting: at.Setting, Serving: *served, MeanW: tegra.Some(18.0), LatencyMS: tegra.Some(46.5),
			Dir: "/home/someone/campaigns/x-load"},
		Probes: []optimize.Probe{{Measured: at, Why: optimize.Start}, {Measured: at, Why: optimize.Verify}}}
}

func asJSON(t *testing.T, a Answer) string {
	t.Helper()
	text := must.Get(json.Marshal(a))(t)
	return string(text)
}

// The known metrics belong to the whole process: under the race detector, reading a file must not write them.
func TestFindLeavesSharedMetricsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := full()
	a.Limit.Objective = metric.Energy
	must.NoError(t, Keep(dir, Kept{Answers: []Answer{a}}))
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if got, err := Find(dir); err != nil || got == nil || got.Answers[0].Limit.Objective != metric.Energy {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	both.Wait()
}

func TestKeptAnswerIsTheAnswer(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), full()
	second := a
	second.Limit.Limits = second.Limit.Limits.And(metric.Power.Max(25))
	kept := Kept{Jtune: "1.2", When: time.Now(), Warnings: []string{"a poor answer"}, Answers: []Answer{a, second}}
	must.NoError(t, Keep(dir, kept))
	got, err := Find(dir)
	if err != nil || got == nil || len(got.Answers) != 2 || got.Warnings[0] != "a poor answer" || got.Worked {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []Answer{a, second} {
		must.Equal(t, asJSON(t, want), asJSON(t, got.Answers[i]))
	}
	must.Equal(t, got.Answers[0].Trial.Dir, "x-load")
	if a.Probes == nil || a.Trial.Dir == "x-load" {
		t.Error("keeping an answer has changed it")
	}
	must.Equal(t, must.Get(Find(t.TempDir()))(t), nil)
}

// A search of twenty limits is kept. A file that could not be read again is not written.
func TestKeptAnswersOfManyLimitsCanBeRead(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), full()
	a.Versus.Presets = append(a.Versus.Presets, a.Versus.Presets[0], a.Versus.Presets[0])
	of := func(limits int) (k Kept) {
		for i := range limits {
			a.Limit.Limits = a.Limit.Limits.And(metric.Power.Max(10 + float64(i)))
			k.Answers = append(k.Answers, a)
		}
		return k
	}
	must.NoError(t, Keep(dir, of(20)))
	err := Keep(dir, of(mostAnswers+1))
	must.Fail(t, err, "more than")
	must.Equal(t, len(must.Get(Find(dir))(t).Answers), 20)
}

func TestAnswerOfAFileOfArrivalsKeepsItsRateAlone(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), full()
	times := make([]float64, 1<<16)
	for i := range times {
		times[i] = float64(i) / 20
	}
	a.Ask.Load = must.Get(arrivals.Recorded(times))(t)
	must.NoError(t, Keep(dir, Kept{Answers: []Answer{a}}))
	got := must.Get(Find(dir))(t)
	must.Equal(t, got.Answers[0].Ask.Load.String(), a.Ask.Load.String())
	got.Answers[0].Versus.MaxN.Other.Mode.Cores-- // another mode, whose queue would be simulated
	got.Answers[0].Sheet(Today)
}

func TestForeignAnswerIsBoundedFilteredAndChecked(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), full()
	a.Workload, a.Trial.Why = "x\x1b]0;y\a\nz", "\u202eevil"
	must.NoError(t, Keep(dir, Kept{Answers: []Answer{a}, Warnings: []string{"\x1b[2J"}}))
	path := filepath.Join(dir, FileName)
	good := must.Read(t, path)
	got, err := Find(dir)
	if err != nil || strings.ContainsAny(got.Answers[0].Workload+got.Answers[0].Trial.Why+got.Warnings[0],
		"\x1b\a\n\u202e") {
		t.Errorf("%+v, %v", got, err)
	}
	const reading = "TimeMS = 21.5\n    PowerW = 18.25\n    N = 2"
	for name, c := range map[string]struct{ from, to, want string }{
		"too large":    {"format = 1\n", "format = 1\n#" + strings.Repeat("x", mostBytes), "larger than"},
		"format":       {"format = 1", "format = 2", "reads format 1"},
		"warnings":     {"warnings = [", "warnings = [" + strings.Repeat(`"w", `, 1000), ""},
		"mode":         {"Cores = 3", "Cores = -3", "invalid mode"},
		"state":        {"State = 0", "State = 77", "invalid state"},
		"end":          {"ended = 0", "ended = -1", "unknown end"},
		"time":         {reading, "TimeMS = 1e300\n    PowerW = 18.25\n    N = 2", "impossible reading"},
		"power":        {reading, "TimeMS = 21.5\n    PowerW = -5.0\n    N = 2", "impossible reading"},
		"limit":        {`Limit = "30 W"`, `Limit = "-30 W"`, "want a number above 0"},
		"no TOML":      {"format = 1", "format = ", "line"},
		"wrong shape":  {"[[answer]]", "[answer]", ""},
		"load":         {`Pattern = "poisson"`, `Pattern = "trace"`, ""},
		"no arrivals":  {`RatePerS = 30.0`, `RatePerS = 0.0`, "invalid load"},
		"a nested one": {"format = 1", "format = " + strings.Repeat("[", 1000), "deeper than"},
	} {
		changed := strings.Replace(string(good), c.from, c.to, 1)
		if changed == string(good) {
			t.Errorf("%s: the file has no %s", name, c.from)
		}
		must.NoError(t, os.WriteFile(path, []byte(changed), 0o644))
		if got, err := Find(dir); err != nil && strings.Count(err.Error(), "\n") > 0 ||
			c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if got, err := Find(dir); err == nil && len(got.Warnings) > mostWarnings {
			t.Errorf("%s: %d warnings", name, len(got.Warnings))
		}
	}
	must.NoError(t, os.Remove(path))
	must.NoError(t, os.Mkdir(path, 0o755))
	if got, err := Find(dir); err == nil {
		t.Errorf("a folder in its place: %+v", got)
	}
}

func FuzzKeptAnswer(f *testing.F) {
	dir := f.TempDir()
	must.NoError(f, Keep(dir, Kept{Answers: []Answer{full()}}))
	good := must.Read(f, filepath.Join(dir, FileName))
	f.Add(string(good))
	f.Add("format = 1\n[[answer]]\nBatch = 1\n")
	first, second := f.TempDir(), f.TempDir()
	f.Fuzz(func(t *testing.T, data string) {
		defer reliability.Input(t)()
		k, err := parse("answer.toml", data)
		if err != nil {
			return
		}
		for _, a := range k.Answers {
			if _, err := json.Marshal(a); err != nil {
				t.Errorf("%v", err)
			}
			_ = a.Standing.String() + a.Standing.Brief() + a.Ended.String() + a.Limit.Brief() + a.Ask.String()
		}
		if Keep(first, k) != nil {
			return // too large when it is written whole
		}
		again, err := Find(first)
		if err != nil {
			t.Fatalf("an answer that was read and kept: %v", err)
		}
		must.NoError(t, Keep(second, *again))
		was, _ := os.ReadFile(filepath.Join(first, FileName))
		is, _ := os.ReadFile(filepath.Join(second, FileName))
		must.Equal(t, string(was), string(is))
	})
}

// Lists read an answer without its probes, wherever they are in the file.
func TestFindWithoutProbesGivesTheSameBrief(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, Keep(dir, Kept{Answers: []Answer{full()}}))
	path := filepath.Join(dir, FileName)
	text := must.Read(t, path)
	head, probes, ok := strings.Cut(string(text), "\n[[probe]]")
	if !ok {
		t.Fatalf("no probes in %s", text)
	}
	top, answer, ok := strings.Cut(head, "\n[[answer]]")
	if !ok {
		t.Fatalf("no answer in %s", text)
	}
	first := top + "\n[[probe]]" + probes + "\n[[answer]]" + answer
	for name, c := range map[string]struct {
		text   string
		probes int
	}{"probes last": {string(text), 0}, "probes first": {first, 2}} {
		must.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		whole := must.Get(Find(dir))(t)
		got, err := FindWithoutProbes(dir)
		if err != nil || *got.Brief() != *whole.Brief() || len(got.Answers[0].Probes) != c.probes {
			t.Errorf("%s: %+v with %d probes (%v), want %+v", name, got.Brief(), len(got.Answers[0].Probes), err,
				whole.Brief())
		}
	}
}

package search

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// An answer of a job of our own is tried with requests at the rate, handed to it batch by batch: what they show is what
// the queue's equations promised.
func TestTuneUnderALoadDrivesAJobOfOurOwnAtTheRate(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}, Seed: 1})
	w := must.Get(workloads.Find(s, "mobilenet-infer"))(t)
	r := measure.TuneRequest{Measuring: measure.Measuring{Workload: w.AtBatch(8)}, Keep: true,
		Questions: metric.Question{Load: arrivals.Spec{RatePerS: 60, Arrivals: "uniform", LatencyMS: 250,
			Quantile:  0.95,
			MaxWaitMS: 60}}.List(),
		Asked: record.Asked{Reference: "none"}}
	out, err := Tune(t.Context(), s, r, nil)
	if err != nil || !out.Answers[0].Feasible || len(out.Sent) == 0 {
		t.Fatalf("%d tried, %v", len(out.Sent), err)
	}
	last := out.Sent[len(out.Sent)-1]
	v := last.Serving
	if !last.Meets() || last.Unsure != "" || last.LatencyMS.V > 250 || v.Requests < 200 ||
		math.Abs(v.ServedPerS.V/60-1) > 0.1 || v.RatePerS.V != 60 {
		t.Errorf("%+v: %+v", last, v)
	}
	// Batches that leave after the longest wait are not full, while the equations know the time of a full one.
	if got, want := last.LatencyMS.V, out.Answers[0].Served.LatencyMS; got > 1.1*want || got < 0.75*want {
		t.Errorf("p95 %.4g ms, the queue of equations has %.4g", got, want)
	}
	// In so low a mode idle and busy power hardly differ, and one step of the sensor is 2.6 % of them.
	if watts := last.MeanW.V; watts >= 1.04*out.Answers[0].Served.PeakW ||
		math.Abs(v.UnitJ.V*v.ServedPerS.V/watts-1) > 0.1 {
		t.Errorf("%.4g W in the mean, %.4g while it serves, %.4g J an inference at %.4g/s", watts,
			out.Answers[0].Served.PeakW,
			v.UnitJ.V, v.ServedPerS.V)
	}
	head, rows, err := record.Read(last.Dir)
	if want := (workload.Demand{Rate: 60, Arrivals: "uniform", MaxWaitMS: 60}); err != nil || len(rows) != 1 ||
		head.Workload.Load != want || head.Settings.Requests != 200 {
		t.Errorf("the campaign of the requests: %+v, %d rows, %v", head.Workload.Load, len(rows), err)
	}
	must.Equal(t, len(must.Get(models.PoolOf(s, r.Workload, nil))(t).Parts), 1)
}

// A job that does not follow the rate in the mode is no answer.
func TestSendSaysWhenAJobDoesNotFollow(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "mobilenet-infer"))(t)
	slow := tegra.Setting{Mode: s.Device.Space().At(0), Batch: 1}
	ask := mix.Ask{LatencyMS: 250, Quantile: 0.5, Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 60}}
	got, err := send(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w}},
		ask, slow, nil)
	if err != nil || got.Meets() || !strings.Contains(got.Why, "of 60 requests per second are served") {
		t.Errorf("%+v, %v", got, err)
	}
}

// With too few requests for its quantile a latency limit has no verdict.
func TestSentOfTooFewRequestsLeavesTheQuantileOpen(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Name: "net", Kind: workload.Inference, Load: workload.Demand{Rate: 1}}
	a := mix.Ask{LatencyMS: 50, Quantile: 0.99, Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 1}}
	trial := func(p99 float64, n int) answers.Trial {
		return answers.TrialOf(record.Row{Status: record.OK, Serving: &record.Served{Requests: n, Units: n,
			ServedPerS: tegra.Some(1.0), Latency: record.Latency{P50: 20, P95: 30, P99: p99, N: n}}},
			tegra.Setting{}, a, w)
	}
	if few := trial(40, 300); few.LatencyMS.OK || few.Remark() != few.Unsure ||
		few.Unsure != "300 requests are too few to tell whether p99 is within 50 ms" {
		t.Errorf("%+v", few)
	}
	if many := trial(60, 1000); many.Meets() || many.Why != "p99 is 60 ms, over 50" {
		t.Errorf("%+v", many)
	}
}

// The built-in PyTorch job serves requests at a rate on this machine's CPU, in batches whose first request waits so
// long at most, beside a virtual board.
func TestSendDrivesTheRealPyTorchJob(t *testing.T) {
	const python = "/usr/bin/python3"
	switch {
	case os.Getenv("JTUNE_LONG") == "":
		t.Skip("serves for 20 s; JTUNE_LONG=1 does")
	case exec.Command(python, "-c", "import torch").Run() != nil:
		t.Skipf("%s has no torch: install python3-torch to run this test", python)
	}
	t.Parallel()
	settings := filepath.Join(t.TempDir(), "config.toml")
	text := "[torch]\npython = \"" + python + "\"\nbeside = true\n[workload.mobilenet-infer]\n" +
		"env = { OMP_NUM_THREADS = '1' }\n"
	must.NoError(t, os.WriteFile(settings, []byte(text), 0o600))
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: 1,
		Paths: config.Paths{Config: settings, DataDir: t.TempDir()}})
	w := must.Get(workloads.Find(s, "mobilenet-infer"))(t)
	fast := record.Settings{MinSamples: 2, SampleEvery: 100 * time.Millisecond, FixedWait: time.Second}
	a := mix.Ask{LatencyMS: 60_000, Quantile: 0.5, Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 2},
		MaxWait: 700 * time.Millisecond}
	got, err := send(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w, Settings: fast}},
		a, tegra.Setting{Mode: s.Device.Space().Max(), Batch: 4}, nil)
	if err != nil || got.Serving.Requests == 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	v := got.Serving
	if !got.Meets() || v.Requests < fewestSent || math.Abs(v.ServedPerS.V/2-1) > 0.25 || v.Latency.P50 < 200 {
		t.Errorf("%+v: %+v", got, v)
	}
	_, rows, err := record.Read(got.Dir)
	if err != nil || len(rows) != 1 || float64(v.Units)/float64(rows[0].Minibatches) < 1.5 {
		t.Errorf("%d requests in %d batches: two in 700 ms at 2/s; %v", v.Units, rows[0].Minibatches, err)
	}
	t.Logf("%d requests in %d batches: p50 %.4g ms, %.4g/s; %s", v.Requests, rows[0].Minibatches, v.Latency.P50,
		v.ServedPerS.V, rows[0].Why)
}

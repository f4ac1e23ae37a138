package experiments

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/lab/experiment"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/fit"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// small is an experiment on a fast virtual board, with a workload of short
// epochs and few minibatches.
func small(t *testing.T, s *session.Session, name string) ExperimentRequest {
	t.Helper()
	e := must.Get(experiment.Find(name))(t)
	r := ExperimentRequest{Experiment: e, Dir: filepath.Join(t.TempDir(), name),
		Request: experiment.Request{Idle: 20 * time.Second, Base: time.Second}}
	if e.Workload != "" {
		r.Workload = must.Get(workloads.Find(s, "lenet5"))(t)
	}
	if e.Epochs == 0 {
		r.Minibatches = 20
	} else {
		r.Epochs = 2
	}
	return r
}

// found is an experiment that was run.
type found struct {
	*experiment.Report
	Dir string
	End profiles.End
}

func runSweep(ctx context.Context, s *session.Session, r ExperimentRequest, observe func(measure.Event)) (found,
	error) {
	res, err := Experiment(ctx, s, r, observe)
	report, _ := res.Findings.(*experiment.Report)
	return found{report, res.Dir, res.End}, err
}

func TestExperimentsRunOnAVirtualBoard(t *testing.T) {
	t.Parallel()
	for _, e := range experiment.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			s := sessiontest.Fast(t)
			before := s.Setup().Mode
			r := small(t, s, e.Name)
			res := must.Get(runSweep(t.Context(), s, r, nil))(t)
			if res.End != profiles.Complete || len(res.Lines) == 0 || len(res.Failed) > 0 || len(res.Takeaway) == 0 {
				t.Fatalf("ended %s with %d lines, failed %q, says %q", res.End, len(res.Lines), res.Failed,
					res.Takeaway)
			}
			for _, l := range res.Lines {
				for _, key := range []string{"time_ms", "power_w", "energy_j", "cpu_pct", "gpu_hz"} {
					if v := l.Stats[key]; !(v.Median > 0) {
						t.Errorf("%s %s: %s is %v", l.Setting, l.Part, key, v)
					}
				}
			}
			_, rows, err := record.Read(res.Dir)
			folders, dirErr := os.ReadDir(filepath.Join(res.Dir, "logs"))
			if err != nil || dirErr != nil || len(folders) != len(rows) {
				t.Errorf("%d folders %v of logs for %d runs: %v, %v", len(folders), folders, len(rows), err, dirErr)
			}
			must.Equal(t, s.Setup().Mode, before)
			_, _, err = fit.Fit(t.Context(), s.Options, fit.FitRequest{Samples: res.Dir})
			if modes := e.Name == "modes"; modes && err != nil { // its readings belong to plain power modes
				t.Errorf("fit of its folder: %v", err)
			} else if !modes && (err == nil || !strings.Contains(err.Error(), "holds experiment "+e.Name)) {
				t.Errorf("fit of its folder: %v, want that it holds an experiment", err)
			}
			if _, err := campaigns.Merge([]string{res.Dir}, filepath.Join(t.TempDir(), "m")); !usage.Is(err) ||
				!strings.Contains(err.Error(), "holds experiment "+e.Name) {
				t.Errorf("merge of its folder: %v", err)
			}
			for _, name := range []string{reportText, reportCSV, "campaign.toml", "runs.csv"} {
				if st, err := os.Stat(filepath.Join(res.Dir, name)); err != nil || st.Size() == 0 {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// The virtual board's physics must answer to workers, batch size and cache. The record and the report have the meter
// of the configuration, separate from the module's power.
func TestExperimentBaseloadRecordsAMeter(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	s.Sampler.Meter = func() tegra.Val[float64] { return tegra.Some(31.25) }
	res := must.Get(runSweep(t.Context(), s, small(t, s, "baseload"), nil))(t)
	for _, l := range res.Lines {
		if l.Stats["meter_w"].Median != 31.25 || l.Stats["power_w"].Median > 20 {
			t.Errorf("%s: meter %v, module %v", l.Setting, l.Stats["meter_w"], l.Stats["power_w"])
		}
	}
	runs, _, err := record.ReadRuns(res.Dir)
	if err != nil || len(runs) != 3 || runs[0].Character.All.MeterW != tegra.Some(31.25) {
		t.Errorf("%d runs in the record, %v", len(runs), err)
	}
	report := must.Read(t, filepath.Join(res.Dir, reportText))
	must.Contain(t, string(report), "meter W", "in the supply reads 31.25 W")
}

func TestVirtualBoardAnswersToWhatIsVaried(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	mobilenet := must.Get(workloads.Find(s, "mobilenet"))(t)
	run := func(name string) map[string]map[string]experiment.Stat {
		r := small(t, s, name)
		r.Workload = mobilenet
		res := must.Get(runSweep(t.Context(), s, r, nil))(t)
		out := map[string]map[string]experiment.Stat{}
		for _, l := range res.Lines {
			out[strings.TrimSuffix(l.Setting+"|"+l.Part, "|")] = l.Stats
		}
		return out
	}
	workers := run("workers")
	// Method note (j) 3: pipelining cuts the stall sharply, more workers help
	// until the loader is hidden.
	if a, b, c := workers["workers 0"]["stall_ms"].Median, workers["workers 1"]["stall_ms"].Median,
		workers["workers 4"]["stall_ms"].Median; !(a > 1.5*b && b > 10*c) {
		t.Errorf("stalls with 0, 1 and 4 workers: %.1f, %.1f, %.1f ms", a, b, c)
	}
	// (j) 5: energy falls with pipelining, although power rises.
	if workers["workers 4"]["energy_j"].Median >= workers["workers 0"]["energy_j"].Median ||
		workers["workers 4"]["power_w"].Median <= workers["workers 0"]["power_w"].Median {
		t.Errorf("energy and power without and with workers: %v, %v", workers["workers 0"], workers["workers 4"])
	}
	// (j) 1: epoch 0 reads the data set from the disk, later ones nothing, and
	// all of it again when the cache is dropped.
	cache := run("cache")
	cold, warm, dropped := cache["cold at the start|epoch 0"], cache["cold at the start|later epochs"],
		cache["dropped each epoch|later epochs"]
	if read := cold["read_bytes_per_s"].Median * cold["epoch_s"].Median / 1e6; read < 2700 || read > 2900 {
		t.Errorf("epoch 0 read %.0f MB, the data set has 2,827", read)
	}
	if warm["reads_per_s"].Median != 0 || dropped["reads_per_s"].Median == 0 || warm["cache_pct"].Median < 99.9 {
		t.Errorf("later epochs read %v, with the cache dropped %v, and hold %v %%", warm["reads_per_s"],
			dropped["reads_per_s"], warm["cache_pct"])
	}
	// (j) 7: time per epoch falls with the batch size, the stall per
	// minibatch rises.
	batch := run("batch")
	if a, b := batch["batch 1"]["epoch_s"].Median, batch["batch 16"]["epoch_s"].Median; a < 3*b {
		t.Errorf("an epoch takes %.0f s at batch 1 and %.0f s at 16", a, b)
	}
}

// The cache experiment runs on the medium of the 2022 study, whose stall per epoch falls from 46.4 to 12.9 s, unless
// another is given.
func TestCacheExperimentRunsOnTheStudysMedium(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-xavier", Speed: math.Inf(1)})
	for _, medium := range []string{"", "ssd"} {
		r := small(t, s, "cache")
		r.Workload, _ = workloads.Find(s, "mobilenet")
		r.Request.Medium = medium
		res := must.Get(runSweep(t.Context(), s, r, nil))(t)
		stalls := map[string]float64{}
		for _, l := range res.Lines {
			stalls[l.Setting+"|"+l.Part] = l.Stats["stall_ms"].Median * float64(r.Workload.MinibatchesPerEpoch()) / 1000
		}
		cold, later := stalls["cold at the start|epoch 0"], stalls["cold at the start|later epochs"]
		must.Equal(t, math.Abs(cold/46.4-1) < 0.1 && math.Abs(later/12.9-1) < 0.1, medium == "", medium, cold, later)
	}
}

func TestInterruptedExperimentGoesOnWhereItStood(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	r := small(t, s, "workers")
	r.Repeat = 2
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	res, err := runSweep(ctx, s, r, func(e measure.Event) {
		if p, ok := e.(measure.ProgressEvent); ok && p.Progress.Row != nil {
			if rows++; rows == 3 {
				cancel()
			}
		}
	})
	if err != nil || res.End != profiles.Interrupted {
		t.Fatalf("ended %s, %v", res.End, err)
	}
	must.Fail(t, must.Err(Experiment(t.Context(), s, r, nil)), usage.Resume.String())
	other := r
	other.Resume, other.Repeat = true, 3
	must.Fail(t, must.Err(Experiment(t.Context(), s, other, nil)), "selection")
	r.Resume = true
	again := 0
	res, err = runSweep(t.Context(), s, r, func(e measure.Event) {
		if p, ok := e.(measure.ProgressEvent); ok && p.Progress.Row != nil {
			again++
		}
	})
	if err != nil || res.End != profiles.Complete || rows+again != 10 {
		t.Fatalf("ended %s, %v, with %d and %d runs; want 10 in all", res.End, err, rows, again)
	}
	for _, l := range res.Lines {
		must.Equal(t, l.Runs, 2, l.Setting)
	}
	runs, notes, err := record.ReadRuns(res.Dir)
	if err != nil || len(notes) > 0 || len(runs) != 10 {
		t.Errorf("%d runs recorded, notes %q, %v", len(runs), notes, err)
	}
}

func TestExperimentThatCannotRunSaysWhy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sweep.csv")
	must.NoError(t, os.WriteFile(path, []byte("cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"+
		"4,729600,318750000,2133000000,100,20\n8,729600,318750000,2133000000,90,22\n"), 0o644))
	s := sessiontest.Open(t, session.Options{Device: "replay:" + path})
	r := small(t, s, "workers")
	if _, err := Experiment(t.Context(), s, r, nil); !errors.Is(err, tegra.ErrUnsupported) ||
		!strings.Contains(err.Error(), "replay answers by power mode alone") {
		t.Errorf("on a replay: %v", err)
	}
	must.Fail(t, must.Err(os.Stat(r.Dir)), "no such file")
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

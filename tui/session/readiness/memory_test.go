package readiness

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func openBoard(t *testing.T, board string) *session.Session {
	t.Helper()
	return sessiontest.Open(t, session.Options{Device: "virtual:" + board, Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}})
}

func find(t *testing.T, s *session.Session, name string) workload.Workload {
	t.Helper()
	w := must.Get(workloads.Find(s, name))(t)
	return w
}

// The study's Xavier NX keeps less than 6 % of MobileNet's data: the advice takes the job's memory off what is free.
func TestCachingAdviceCountsTheJobsMemory(t *testing.T) {
	t.Parallel()
	for board, want := range map[string]string{
		"xavier-nx": "it does not fit, each epoch reads about 100 % of it again",
		"tx2":       "it does not fit, each epoch reads about 100 % of it again",
		"orin-nano": "it does not fit",
		"agx-orin":  "it fits",
	} {
		s := openBoard(t, board)
		w := find(t, s, "mobilenet")
		after := CachingOf(s, w, tegra.Some(1.0), tegra.Some(10.0), tegra.Some(50.0))
		must.Contain(t, after, want)
		r := must.Get(CheckWorkload(t.Context(), s, w))(t)
		for _, c := range r.Checks {
			if c.What == "page cache" && !strings.Contains(c.Do, want) {
				t.Errorf("%s by the doctor: %q, want %q", board, c.Do, want)
			}
		}
	}
}

// The doctor and a run agree on a virtual board.
func TestReadinessRefusesWhatARunRefuses(t *testing.T) {
	t.Parallel()
	s := openBoard(t, "nano")
	own := workload.Workload{Name: "mine", Command: []string{"true"}, Batch: 1}
	for _, w := range []workload.Workload{find(t, s, "mobilenet"), find(t, s, "lenet5"), own} {
		r := must.Get(CheckWorkload(t.Context(), s, w))(t)
		must.Equal(t, r.Refusal, workloads.Refusal(s, w), w.Name)
		if w.Name == "mine" && (r.Simulated || r.Refusal == "") {
			t.Errorf("a command is simulated: %+v", r)
		}
	}
}

// The memory of a job is read from its newest records: those of a year would be read at each start.
func TestRecordedMemoryIsOfTheNewestRecords(t *testing.T) {
	s := openBoard(t, "nano")
	w := find(t, s, "lenet5")
	for i := range campaigns.MostOfSetting + 1 {
		h := campaigns.HeaderOf(s, w, record.PlanHeader{Kind: "run"}, nil, record.Settings{})
		h.Created = time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)
		r := must.Get(record.Create(filepath.Join(s.Options.CampaignsDir(), fmt.Sprintf("%05d", i)), h))(t)
		c := record.Character{Batch: w.Batch}
		c.All.RAMBytes = tegra.Some(1e9 - 1e6*float64(i)) // the oldest took most
		must.NoError(t, cmp.Or(r.AppendRun(record.Run{Status: record.OK, Character: c}), r.Close()))
	}
	must.Equal(t, recordedMemory(s, w, 0), int64(1e9-1e6))
}

// The need of a job follows its batch size, whatever other sizes took.
func TestPairFitsByTheBatchSizeAskedFor(t *testing.T) {
	t.Parallel()
	s := openBoard(t, "nano")
	train, infer := find(t, s, "lenet5"), find(t, s, "bert-infer")
	if infer.Batch = 1; PairFits(s, find(t, s, "lenet5"), find(t, s, "mobilenet-infer")) != nil {
		t.Error("LeNet and MobileNet do not fit a Nano")
	}
	must.Fail(t, PairFits(s, train, infer), "did not run (DNR)", "bert-infer at batch size 1 1403 MB")
}

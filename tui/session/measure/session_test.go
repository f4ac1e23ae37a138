package measure

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestVerifyMeasuresAndPutsTheBoardBack(t *testing.T) {
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "resnet"))(t)
	before := s.Setup().Mode
	m := s.Device.Space().At(s.Device.Space().Len() / 2)
	once, err := Verify(t.Context(), s, ModeRequest{Workload: w, Mode: m}, nil)
	if err != nil || len(once) != 1 {
		t.Fatalf("%v, %v; want one reading", once, err)
	}
	near := metric.Watts(once[0].PowerW)
	rows, err := Verify(t.Context(), s, ModeRequest{Workload: w, Mode: m, Limit: near}, nil)
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v, %v; want several readings: one does not decide", rows, err)
	}
	row := rows[1]
	if row.Mode != m || !row.Status.Usable() || row.TimeMS <= 0 || row.PowerW <= 0 {
		t.Errorf("got %+v", row)
	}
	must.Equal(t, s.Setup().Mode, before)
	list, err := campaigns.List(s.Options.Paths)
	if n := len(list); err != nil || n != 2 || list[0].Verdict != "" || list[1].Verdict == "" ||
		list[1].Verdict != string(standing.VerdictOf(near, record.Usable(rows))) {
		t.Errorf("a list shows %+v, %v; want the verdict on %v of %v", list, err, near, rows)
	}
}

func TestShardsPartTheModes(t *testing.T) {
	all := make([]tegra.Setting, 10)
	for i := range all {
		all[i].Mode.Cores = i + 1
	}
	seen := map[int]int{}
	for i := 1; i <= 3; i++ {
		part := must.Get(shard(all, [2]int{i, 3}))(t)
		for _, m := range part {
			seen[m.Mode.Cores]++
		}
	}
	must.Equal(t, len(seen), len(all))
	for n, times := range seen {
		must.Equal(t, times, 1, n)
	}
	for _, bad := range [][2]int{{0, 3}, {4, 3}, {-1, 2}} {
		if _, err := shard(all, bad); !usage.Is(err) {
			t.Errorf("shard %v: got %v", bad, err)
		}
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

// A measured mode that misses a limit of its load is over, even without a limit on its own time or power.
func TestAnswerToALoadThatNoModeMeetsIsOver(t *testing.T) {
	t.Parallel()
	for feasible, want := range map[bool]standing.State{true: standing.Measured, false: standing.Over} {
		r := TuneResult{Served: &mix.Outcome{Meets: feasible}, Result: optimize.Result{Answers: []optimize.Answer{
			{Measured: tegra.Measured{TimeMS: 30, PowerW: 40}, N: 1, Feasible: feasible}}}}
		if r.AnswerTo(TuneRequest{Questions: metric.Question{}.List()},
			tegra.Board{}); r.Answers[0].Standing.State != want {
			t.Errorf("feasible %v: %v, want %v", feasible, r.Answers[0].Standing.State, want)
		}
	}
}

// What tuning found is the answer until its readings are over the limit: then another mode
// within is.
func TestAnswerMeasuredOverTheLimitGivesWayToTheBestWithin(t *testing.T) {
	o := sessiontest.LineOutlook(t)
	l := metric.Watts(36)
	found, other := o.Known[6].Setting, o.Known[8].Setting
	o = o.With(tegra.Measured{Setting: found, TimeMS: 70, PowerW: 35}).
		With(tegra.Measured{Setting: other, TimeMS: 75, PowerW: 33})
	r := &TuneResult{Result: optimize.Result{Answers: []optimize.Answer{
		{Measured: tegra.Measured{Setting: found, TimeMS: 70, PowerW: 35}, N: 1}}}}
	r.AnswerTo(TuneRequest{Questions: metric.Question{Limit: l}.List()}, tegra.Board{})
	o = o.Answering(l, r.Answers[0].About, nil)
	must.Equal(t, o.Answer(l), 6)
	o = o.With(tegra.Measured{Setting: found, TimeMS: 70, PowerW: 37.2})
	at := o.Answer(l)
	if s := o.Standing(at, l); at == 6 || !s.Within() {
		t.Errorf("with a mean of 36.1 W mode 6 is over 36 W: the answer is mode %d, %v", at, s)
	}
}

// The name of a workload means the present board's model, and each board of a folder has its own.
func TestModelOfAWorkloadIsThePresentBoards(t *testing.T) {
	t.Parallel()
	paths := config.Paths{DataDir: t.TempDir()}
	for _, board := range []string{"agx-orin", "tx2"} {
		s := sessiontest.Open(t, session.Options{Device: "virtual:" + board, Speed: math.Inf(1), Paths: paths})
		w, err := workloads.Find(s, "resnet18")
		must.NoError(t, err)
		_, err = Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 4}, nil)
		must.NoError(t, err)
	}
	for board, device := range map[string]string{"agx-orin": "AGX Orin", "tx2": "TX2"} {
		o := session.Options{Device: "virtual:" + board, Speed: math.Inf(1), Paths: paths}
		for _, name := range []string{"resnet18", "resnet", "resnet18@virtual-" + board} {
			m, err := models.Load(o, name)
			if err != nil || m.Provenance.Device != device {
				t.Errorf("%s on %s: %v, want the model of %s", name, board, err, device)
			}
		}
	}
	_, err := models.Load(session.Options{Device: "virtual:nano", Speed: math.Inf(1), Paths: paths}, "resnet18")
	if err == nil || !strings.Contains(err.Error(), "no model of resnet18 for this board, only for others") ||
		strings.Contains(err.Error(), "nearest") {
		t.Errorf("on a board where nothing was learned: %v", err)
	}
}

// A model that an earlier version kept goes on under its name, which opens it.
func TestModelOfAnOlderNameGoesOnUnderIt(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 0)
	profile := func() string {
		t.Helper()
		res := must.Get(Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 3}, nil))(t)
		return filepath.Base(res.Kept)
	}
	name := profile()
	older := filepath.Join(s.Options.ModelsDir(), "lstm-virtual.model")
	must.NoError(t, os.Rename(filepath.Join(s.Options.ModelsDir(), name), older))
	must.Equal(t, profile(), "lstm-virtual.model")
	for _, name := range []string{"lstm-virtual", "lstm"} {
		if _, err := models.Load(s.Options, name); err != nil {
			t.Error(err)
		}
	}
}

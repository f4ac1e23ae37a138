package run

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/profiles/harness/torch"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestWorkloadsSayHowTheyRunHere(t *testing.T) {
	virtualBoard := sessiontest.Fast(t)
	job := func(net, data string) torch.Job { return torch.Job{Net: net, Set: "coco", Data: data} }
	board, infer := &session.Session{Device: virtualBoard.Device}, job("resnet18", "")
	infer.Infer = true
	for name, c := range map[string]struct {
		s    *session.Session
		w    workload.Workload
		want string
	}{
		"measured physics":        {virtualBoard, workload.Workload{Name: "resnet18"}, "simulated"},
		"physics from a paper":    {virtualBoard, workload.Workload{Name: "lenet5"}, "estimated"},
		"inference of a known":    {virtualBoard, workload.Workload{Name: "resnet18", Torch: infer}, "not here"},
		"a name without physics":  {virtualBoard, workload.Workload{Name: "mine", Command: []string{"x"}}, "not here"},
		"a board without command": {board, workload.Workload{Name: "mine"}, "no command"},
		"a network without data":  {board, workload.Workload{Name: "resnet18", Torch: job("resnet18", "")}, "no data"},
		"inference without data":  {board, workload.Workload{Name: "resnet18-infer", Torch: infer}, "yes"},
		"a network with data":     {board, workload.Workload{Name: "resnet18", Torch: job("resnet18", "/data")}, "yes"},
	} {
		must.Equal(t, workloads.RunsAs(c.s, c.w), c.want, name)
	}
	w, err := workloads.Find(virtualBoard, "resnet18")
	must.NoError(t, err)
	w.Torch.Infer = true
	mine := workload.Workload{Name: "mine", Command: []string{"x"}, Torch: torch.Job{Beside: true}}
	folder := workload.Workload{Name: "far", Torch: job("resnet18", "/no/such/folder")}
	folder.Torch.Beside = true
	asked := workload.Workload{Name: "asked", Torch: job("alexnet", "")}
	asked.Torch.Infer, asked.Torch.Beside = true, true
	must.NoError(t, workloads.CanRun(virtualBoard, asked))
	for want, w := range map[string]workload.Workload{
		"workload resnet18: a virtual board simulates the inference of alexnet-infer": w,
		"workload mine: beside = true takes the power of a simulated network":         mine,
		"workload far: ": folder,
	} {
		_, err = Run(t.Context(), virtualBoard, measure.RunRequest{Workload: w, Minibatches: 5}, nil)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, tegra.ErrUnsupported) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

func TestSessionRunSaysThatTheBoardIsHot(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.HotSession(t)
	for _, n := range []int{0, 10} { // ten take less than the time between two samples
		res, err := Run(t.Context(), s, measure.RunRequest{Workload: w, Minibatches: n}, nil)
		if err != nil || res.Hot == "" {
			t.Errorf("%d minibatches: hot %q, %v", n, res.Hot, err)
		}
	}
	cool := sessiontest.Fast(t)
	if res, err := Run(t.Context(), cool, measure.RunRequest{Workload: w}, nil); err != nil || res.Hot != "" {
		t.Errorf("a cool board: %q, %v", res.Hot, err)
	}
}

func TestSessionRunDoubtsItsPower(t *testing.T) {
	t.Parallel()
	power := tegra.Some(30.0)
	for _, c := range []struct {
		name string
		of   measure.RunResult
		want []string
	}{
		{"steady", measure.RunResult{PowerW: power, Settled: telemetry.Settled}, nil},
		{"no figure for the module", measure.RunResult{}, nil},
		{"too short", measure.RunResult{PowerW: power}, []string{"when the run ended"}},
		{"restless", measure.RunResult{PowerW: power, Settled: telemetry.Unstable, SettleS: tegra.Some(30.0)},
			[]string{"within 30 s"}},
		{"hot", measure.RunResult{PowerW: power, Settled: telemetry.Settled, Hot: "tj at 97 °C"},
			[]string{"hot: tj at 97 °C"}},
	} {
		got := Doubts(c.of)
		if len(got) != len(c.want) || len(got) > 0 && !strings.Contains(got[0], c.want[0]) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRunOnRealTrafficRefusesWhatItsUsersWouldFeel(t *testing.T) {
	t.Parallel()
	s, _, url := sessiontest.Live(t)
	w := must.Get(workloads.Find(s, "chat"))(t)
	for name, c := range map[string]struct {
		r     measure.TuneRequest
		words string
	}{
		"no latency": {measure.TuneRequest{Questions: metric.Question{Limit: metric.LeastEnergy}.List()},
			"with “latency” … or limit.latency_ms"},
		"a rate": {measure.TuneRequest{Questions: metric.Question{Load: arrivals.Spec{RatePerS: 3,
			LatencyMS: 9}}.List()},
			"nothing is sent"},
		"at random": {measure.TuneRequest{Questions: metric.Question{Limit: metric.Millis(9)}.List(),
			Asked: record.Asked{Strategy: optimize.Random}},
			"slow modes"},
		"whole front": {measure.TuneRequest{Questions: metric.Question{Limit: metric.Millis(9)}.List(),
			Asked: record.Asked{Coverage: campaigns.CoverFront}},
			"slow modes"},
	} {
		c.r.Workload = w
		_, err := search.Tune(t.Context(), s, c.r, nil)
		if !usage.Is(err) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Server.Counters = "/none"
	must.Fail(t, must.Err(Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil)),
		"counters at "+url+"/none: HTTP status 404")
	w.Server.Counters = "http://192.0.2.1/metrics"
	must.Fail(t, must.Err(Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil)),
		"no loopback address")
}

func TestRepetitionsOfUnevenEnergyAreFlagged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spread  float64 // standard deviation over mean
		flagged bool
	}{{0.08, true}, {0.03, false}} {
		var parts []record.Part
		for i := range 10 { // five below and five above: the standard deviation is the distance times sqrt(10/9)
			off := c.spread * math.Sqrt(0.9) * float64(1-2*(i%2))
			parts = append(parts, record.Part{Minibatches: 458, EnergyJ: tegra.Some(0.5 * (1 + off))})
		}
		n, cv := record.Repetitions(parts)
		if n != 10 || math.Abs(cv.V-100*c.spread) > 1e-9 {
			t.Errorf("%v: %d repetitions that vary by %v %%", c.spread, n, cv)
		}
		v := &record.Served{Reps: n, CVPct: cv}
		doubts := strings.Join(Doubts(measure.RunResult{Character: record.Character{Serving: v}}), " ")
		must.Equal(t, strings.Contains(doubts, "Unsteady"), c.flagged, c.spread)
	}
	if _, cv := record.Repetitions(make([]record.Part, 10)); cv.OK {
		t.Error("repetitions without energy vary by a number")
	}
}

func TestRunOfAServerTellsTokensAndPhases(t *testing.T) {
	t.Parallel()
	s, server := sessiontest.BesideServer(t, "openai", 1)
	w := must.Get(workloads.Find(s, "chat"))(t)
	r := must.Get(Run(t.Context(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil))(t)
	v := r.Character.Serving
	if v == nil || v.Unit != "token" || v.Units != sessiontest.AnswerTokens*r.Minibatches || r.Minibatches < 8 ||
		!v.UnitJ.OK ||
		v.Requests < 8 || v.TTFTMS.V != 1 || len(v.Phases) != 2 ||
		!v.Phases[1].PowerW.OK {
		t.Fatalf("%d requests: %+v", r.Minibatches, v)
	}
	if perS := 1000 * sessiontest.AnswerTokens / r.TimeMS; math.Abs(v.PerS.V/perS-1) > 1e-9 {
		t.Errorf("%v tokens/s, %v ms a request", v.PerS, r.TimeMS)
	}
	server.Config.Handler = http.NotFoundHandler()
	server.Close()
	must.Fail(t, must.Err(Run(context.Background(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil)),
		"no server answers at")
	w.Server.URL = "http://192.0.2.1:8080"
	must.Fail(t, must.Err(Run(context.Background(), s, measure.RunRequest{Workload: w, NoRecord: true}, nil)),
		"has no loopback address")
}

package workloads

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// If nothing was chosen before, a search begins with the training job of the largest data set that fits the board. On
// a Nano that is what the 2022 study trained there.
func TestSessionSuggestsTheLargestWorkloadThatFitsEachBoard(t *testing.T) {
	t.Parallel()
	of := map[string]string{
		"agx-orin":   "resnet18", // 6.7 GB; MobileNet on the same data comes later in the list
		"agx-xavier": "resnet18",
		"xavier-nx":  "resnet18",
		"orin-nano":  "resnet18",
		"tx2":        "resnet18",

		"orin-nx": "resnet18", "orin-nano-super": "resnet18", "agx-thor": "resnet18",
		"nano": "lenet5", // 46 MB; of the others only LSTM fits, whose data are 17.8 MB
	}
	for _, name := range virtual.Names() {
		want := of[name]
		s := open(t, session.Options{Device: "virtual:" + name})
		list := must.Get(List(s))(t)
		got := Suggested(s, list)
		must.Equal(t, got, want, name)
		chosen, _ := physics.Find(got)
		for _, w := range list {
			why := Blocked(s, w)
			must.Equal(t, Refusal(s, w) != "", why != "", w.Name, name)
			if p, _ := physics.Find(w.Name); why == "" && !w.Infers() && p.DatasetMB > chosen.DatasetMB {
				t.Errorf("%s: %s is larger than %s and runs here", name, w.Name, got)
			}
		}
	}
	sized := open(t, session.Options{Device: "virtual:agx-orin", Batches: []int{8}})
	if list, err := List(sized); err != nil || list[0].Batch != 8 || !list[0].Sized {
		t.Errorf("with --batch 8 the first workload has batch size %d, %v", list[0].Batch, err)
	}
	s := open(t, session.Options{})
	own := []workload.Workload{{Name: "mine", Own: true}, {Name: "night", Own: true, Command: []string{"true"}}}
	s.Virtual = nil // as on a Jetson: mine has no command
	must.Equal(t, Suggested(s, own), "night")
	must.Equal(t, Suggested(s, own[:1]), "")
}

// A server that is configured runs from every list that starts workloads; where one cannot, the reason names the way.
func TestServersAndOwnJobsRunOrSayWhatTheyLack(t *testing.T) {
	t.Parallel()
	server := workload.Workload{Name: "chat", Kind: workload.Inference, Unit: workload.UnitToken,
		Server: workload.Server{API: "openai", URL: "http://127.0.0.1:8080"}}
	beside := server
	beside.Server.Beside = "llama"
	own := workload.Workload{Name: "mine", Command: []string{"train"}}
	really := own
	really.Torch.Net, really.Torch.Beside = "resnet18", true
	virtual := open(t, session.Options{Device: "virtual:agx-orin"})
	hardware := open(t, session.Options{Device: "virtual:agx-orin"})
	hardware.Virtual = nil
	for _, c := range []struct {
		on    *session.Session
		w     workload.Workload
		as    string
		lacks []string
	}{
		{hardware, server, "yes", nil},
		{virtual, beside, "yes", nil},
		{virtual, server, "not here", []string{"asks no server", `beside = "llama"`, "[workload.chat]"}},
		{hardware, own, "yes", nil},
		{virtual, really, "yes", nil},
		{virtual, own, "not here", []string{"jtune run mine", usage.NoDevice.String(), "beside = true",
			"[workload.mine]"}},
	} {
		if as := RunsAs(c.on, c.w); as != c.as {
			t.Errorf("%+v runs as %q, want %q", c.w, as, c.as)
		}
		why := Refusal(c.on, c.w)
		must.Equal(t, why != "", c.lacks != nil, c.w.Name)
		must.Contain(t, why, c.lacks...)
	}
	must.Contain(t, FixedBatch(virtual, beside), "server")
	builtIn := workload.Workload{Name: "ollama", Kind: workload.Inference}
	if err := CanRun(virtual, builtIn); err == nil ||
		!strings.Contains(err.Error(), "jtune run ollama "+usage.NoDevice.String()) {
		t.Errorf("a built-in server that is not simulated: %v", err)
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

func open(t testing.TB, o session.Options) *session.Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s := must.Get(session.Open(o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func fast(t testing.TB) *session.Session {
	return open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
}

func TestMinibatchesOfATrainingAreThoseOfTheModelsBatchSize(t *testing.T) {
	o := session.Options{Paths: config.Paths{DataDir: t.TempDir(), Config: filepath.Join(t.TempDir(), "none.toml")}}
	must.NoError(t, os.WriteFile(o.Config, nil, 0o644))
	list := must.Get(Configured(o.Paths))(t)
	for name, c := range map[string]struct {
		m    learn.Model
		want int
	}{
		"its own size":    {learn.Model{Provenance: learn.Provenance{Workload: "mobilenet"}}, 6 * 1443},
		"twice that":      {learn.Model{Provenance: learn.Provenance{Workload: "mobilenet", Batch: 32}}, 6 * 722},
		"at another size": {learn.Model{Batch: 8, Provenance: learn.Provenance{Workload: "mobilenet"}}, 6 * 2885},
		// a replay's name is a label: a sweep of inference is no training
		"of a replay": {learn.Model{Provenance: learn.Provenance{Workload: "mobilenet", Replay: "infer.csv"}}, 0},
		"unknown":     {learn.Model{Provenance: learn.Provenance{Workload: "nobodys"}}, 0},
	} {
		must.Equal(t, Minibatches(&c.m, list), c.want, name)
	}
}

// Typed values take precedence over the configuration, which fills in the rest; training knows no load.
func TestLoadForTakesTheConfigurationWhereNothingElseIsAsked(t *testing.T) {
	t.Parallel()
	none := arrivals.Spec{}
	w := workload.Workload{Name: "chat", Kind: workload.Inference, Load: workload.Demand{Rate: 10, MaxWaitMS: 5},
		Limit: workload.LatencyLimit{LatencyMS: 80, Quantile: 0.95}}
	if v := LoadFor(w, none, none.Gives); v.RatePerS != 10 || v.LatencyMS != 80 || v.Quantile != 0.95 {
		t.Errorf("of the configuration: %+v", v)
	}
	a := must.Get(metric.Parse("p99 50 ms, 30/s, uniform"))(t)
	if v := LoadFor(w, a.Load, a.Load.Gives); v.RatePerS != 30 || v.LatencyMS != 50 || v.Quantile != 0.99 ||
		v.Arrivals != "uniform" || v.MaxWaitMS != 5 {
		t.Errorf("what is typed: %+v", v)
	}
	w.Kind = ""
	must.Equal(t, LoadFor(w, a.Load, a.Load.Gives), none, "training is under a load")
	must.Equal(t, LoadFor(workload.Workload{Kind: workload.Inference}, none, none.Gives), none)
}

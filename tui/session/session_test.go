package session

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness/torch"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) {
	remove := testhome.Set()
	code := m.Run()
	remove()
	os.Exit(code)
}

func open(t testing.TB, o Options) *Session {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fast(t testing.TB) *Session {
	return open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1)})
}

func TestACampaignIsNamedByTheUsersClockNotTheVirtualBoards(t *testing.T) {
	s := fast(t)
	before := time.Now().Truncate(time.Second)
	if err := s.Clock.Sleep(t.Context(), 30*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	dir, err := s.newCampaignDir(s.header(workload.Workload{Name: "lstm"}, record.PlanHeader{Kind: "sample"}, nil,
		record.Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	stamp, ok := strings.CutSuffix(filepath.Base(dir), "-lstm-sample")
	when, err := time.ParseInLocation("20060102-150405", stamp, time.Local)
	if err != nil || !ok || when.Before(before) || when.After(time.Now()) {
		t.Errorf("a campaign begun at %v lies in %s (%v)", before, dir, err)
	}
}

func TestOpenPicksTheDeviceThatIsNamed(t *testing.T) {
	root := tegratest.AGXOrin35(t)
	batches := filepath.Join(t.TempDir(), "bs.csv")
	os.WriteFile(batches, []byte("bs,"+strings.Join(sweep.Columns, ",")+"\n16,2,729600,318750000,665600000,50,10\n"+
		"32,2,729600,318750000,665600000,90,11\n32,4,729600,318750000,665600000,80,12\n"), 0o644)
	badUsage := &usage.Error{}
	for _, c := range []struct {
		name    string
		o       Options
		virtual bool
		modes   int
		err     error
	}{
		{"a virtual board", Options{Device: "virtual:agx-orin"}, true, 18096, nil},
		{"a fake root is a Jetson", Options{Sysroot: root}, false, 18096, nil},
		{"and so when it is said", Options{Sysroot: root, Device: "jetson"}, false, 18096, nil},
		{"another virtual board", Options{Device: "virtual:nano"}, true, 1440, nil},
		{"a medium that it lacks", Options{Device: "virtual:nano", Medium: "ssd"}, false, 0, badUsage},
		{"an empty root has none", Options{Sysroot: t.TempDir()}, false, 0, tegra.ErrNoDevice},
		{"a fake root is no virtual board", Options{Sysroot: root, Device: "virtual:agx-orin"}, false, 0, badUsage},
		{"a board that is not simulated", Options{Device: "virtual:toaster"}, false, 0, tegra.ErrNoDevice},
		{"a replay of one batch size", Options{Device: "replay:" + batches, Batches: []int{32}}, true, 2, nil},
		{"a replay of several needs a choice", Options{Device: "replay:" + batches}, false, 0, badUsage},
		{"a batch size that is not there", Options{Device: "replay:" + batches, Batches: []int{8}}, false, 0,
			badUsage},
		{"a replay of nothing", Options{Device: "replay:/nowhere.csv"}, false, 0, tegra.ErrNoDevice},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.o)
			if c.err != nil {
				if is := errors.Is(err, c.err) || usage.Is(err) && c.err == badUsage; !is {
					t.Fatalf("got %v, want %v", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if b := s.Device.Board(); b.Virtual != c.virtual || (s.Virtual != nil) != c.virtual ||
				s.Device.Space().Len() != c.modes {
				t.Errorf("got virtual %v with %d modes, want %v with %d", b.Virtual, s.Device.Space().Len(), c.virtual,
					c.modes)
			}
		})
	}
}

// A job's batch size is the one asked for, and whose numbers it gives is
// said: a real job beside a virtual board has this machine's times.
func TestAJobsSizeAndWhoseNumbersItGives(t *testing.T) {
	s := open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Batches: []int{64}})
	w, err := s.Workload("lenet")
	if err != nil || w.Batch != 64 || w.MinibatchesPerEpoch() != 938 {
		t.Errorf("batch %d, %d minibatches per epoch, %v; want 64 and 938", w.Batch, w.MinibatchesPerEpoch(), err)
	}
	if got, want := s.BoardOf(w), "AGX Orin (VIRTUAL: a simulation, not a measurement)"; got != want ||
		s.system(w).NoLoads {
		t.Errorf("simulated: board %q, want %q; loads left out: %v", got, want, s.system(w).NoLoads)
	}
	w.Torch.Beside = true
	if got := s.BoardOf(w); !strings.HasPrefix(got, "times of this machine") || !s.system(w).NoLoads {
		t.Errorf("beside: board %q, loads left out: %v", got, s.system(w).NoLoads)
	}
	two := open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Batches: []int{8, 16}})
	if _, err := two.Workload("lenet"); !usage.Is(err) {
		t.Errorf("two sizes for one job: %v", err)
	}
}

func TestReadOnlyHasNoGuard(t *testing.T) {
	s := open(t, Options{Device: "virtual:agx-orin", ReadOnly: true})
	if _, err := s.Guard(t.Context()); !errors.Is(err, tegra.ErrPermission) {
		t.Errorf("got %v, want no permission", err)
	}
}

func TestVerifyMeasuresAndPutsTheBoardBack(t *testing.T) {
	s := fast(t)
	w, err := s.Workload("resnet")
	if err != nil {
		t.Fatal(err)
	}
	before := s.Setup().Mode
	m := s.Device.Space().At(s.Device.Space().Len() / 2)
	row, err := s.Verify(t.Context(), w, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row.Mode != m || !row.Status.Usable() || row.TimeMS <= 0 || row.PowerW <= 0 {
		t.Errorf("got %+v", row)
	}
	if after := s.Setup().Mode; after != before {
		t.Errorf("left in %v, found in %v", after, before)
	}
}

func TestTuneTellsItsProbesAndRecordsThem(t *testing.T) {
	s := fast(t)
	w, err := s.Workload("lstm")
	if err != nil {
		t.Fatal(err)
	}
	probes, rows, gates := 0, 0, 0
	var last profiles.Phase
	res, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w, Gate: func(_ context.Context) error {
		gates++
		return nil
	}}, Limit: optimize.Limit{PowerW: 25}, Probes: 10}, func(e Event) {
		switch e := e.(type) {
		case ProbeEvent:
			probes++
		case ProgressEvent:
			if last = e.Progress.Phase; e.Progress.Row != nil {
				rows++
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != profiles.Restoring { // the board is restored before the model is fitted
		t.Errorf("the last phase was %s", last)
	}
	if probes != len(res.Probes) || rows != probes || gates != probes+1 || probes > 10 {
		t.Errorf("reported %d probes and %d rows, asked the gate %d times, for %d measurements", probes, rows, gates,
			len(res.Probes))
	}
	if head, kept, err := record.Read(res.Dir); err != nil || len(kept) != probes || head.Plan.Kind != "tune" ||
		!head.Device.Virtual {
		t.Errorf("record: %d rows, plan %q, virtual %v, %v", len(kept), head.Plan.Kind, head.Device.Virtual, err)
	}
	if res.Fitted == nil || res.Versus.MaxN == nil || res.Versus.Present == nil || len(res.Versus.Presets) == 0 {
		t.Errorf("the result lacks its model or its comparisons: %+v", res.Versus)
	}
	if _, err := s.SaveModel("lstm-25w", res.Fitted); err != nil {
		t.Fatal(err)
	}
	m, err := s.LoadModel("lstm-25w")
	if err != nil || m.Provenance.Workload != "lstm" {
		t.Errorf("loaded %v, %v", m, err)
	}
}

func TestAGateThatRefusesEndsTheJob(t *testing.T) {
	s := fast(t)
	w, _ := s.Workload("lstm")
	stop := errors.New("stop")
	calls := 0
	gate := func(context.Context) error {
		if calls++; calls > 2 {
			return stop
		}
		return nil
	}
	res, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w, Gate: gate},
		Limit: optimize.Limit{Energy: true}}, nil)
	if !errors.Is(err, stop) {
		t.Errorf("tune: got %v, want the gate's error", err)
	}
	if kept := len(res.Probes); kept < 2 || kept > 3 {
		t.Errorf("tune: %d probes, want the two that were let through", kept)
	}
	calls = 0
	got, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w, Gate: gate}, Sample: 9}, nil)
	if !errors.Is(err, stop) || len(got.Rows) != 2 {
		t.Errorf("profile: got %d rows and %v, want 2 and the gate's error", len(got.Rows), err)
	}
}

func TestModelsListsWhatIsThereAndWhatIsBroken(t *testing.T) {
	s := fast(t)
	var rows []tegra.Measured
	for _, m := range s.Device.Space().Sample(12, 1) {
		ms, w, err := s.Virtual.Truth("resnet18", m)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w})
	}
	m, err := learn.Fit(t.Context(), rows, learn.Options{Space: s.Device.Space()})
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.SaveModel("good", m)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(filepath.Dir(path), "bad.model"), []byte("nonsense"), 0o644)
	list, err := s.Models()
	if err != nil || len(list) != 2 {
		t.Fatalf("got %d models, %v", len(list), err)
	}
	for _, info := range list {
		if (info.Err != nil) != (info.Name == "bad") || (info.Model == nil) != (info.Name == "bad") {
			t.Errorf("%s: model %v, error %v", info.Name, info.Model != nil, info.Err)
		}
	}
	for _, name := range []string{"", "a/b", "..", ".hidden"} {
		if _, err := s.SaveModel(name, m); !usage.Is(err) {
			t.Errorf("name %q: got %v, want it refused", name, err)
		}
	}
}

func TestShardsPartTheModes(t *testing.T) {
	all := make([]tegra.Setting, 10)
	for i := range all {
		all[i].Mode.Cores = i + 1
	}
	seen := map[int]int{}
	for i := 1; i <= 3; i++ {
		part, err := shard(all, [2]int{i, 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range part {
			seen[m.Mode.Cores]++
		}
	}
	if len(seen) != len(all) {
		t.Errorf("three parts hold %d of %d modes", len(seen), len(all))
	}
	for n, times := range seen {
		if times != 1 {
			t.Errorf("mode %d is in %d parts", n, times)
		}
	}
	for _, bad := range [][2]int{{0, 3}, {4, 3}, {-1, 2}} {
		if _, err := shard(all, bad); !usage.Is(err) {
			t.Errorf("shard %v: got %v", bad, err)
		}
	}
}

func TestASearchThatBreaksWasNotCancelled(t *testing.T) {
	broken := errors.New("the job is broken")
	for _, c := range []struct {
		name   string
		cancel bool
		want   optimize.Ended
	}{{"broken", false, optimize.Failing}, {"interrupted", true, optimize.Cancelled}} {
		s := fast(t)
		w, err := s.Workload("resnet")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		modes := 0
		gate := func(context.Context) error {
			if modes++; modes <= 2 {
				return nil
			}
			if c.cancel {
				cancel()
				return ctx.Err()
			}
			return broken
		}
		res, err := s.Tune(ctx, TuneRequest{Measuring: Measuring{Workload: w, Gate: gate},
			Limit: optimize.Limit{Energy: true}}, nil)
		if res.Ended != c.want || len(res.Probes) != 2 || errors.Is(err, broken) == c.cancel {
			t.Errorf("%s: ended %q after %d measurements with %v, want %q after 2", c.name, res.Ended, len(res.Probes),
				err, c.want)
		}
	}
}

func TestWorkloadsSayHowTheyRunHere(t *testing.T) {
	virtualBoard := fast(t)
	job := func(net, data string) torch.Job { return torch.Job{Net: net, Set: "coco", Data: data} }
	board, infer := &Session{Device: virtualBoard.Device}, job("resnet18", "")
	infer.Infer = true
	for name, c := range map[string]struct {
		s    *Session
		w    workload.Workload
		want string
	}{
		"measured physics":        {virtualBoard, workload.Workload{Name: "resnet18"}, "simulated"},
		"physics from a paper":    {virtualBoard, workload.Workload{Name: "lenet5"}, "estimated"},
		"inference of a known":    {virtualBoard, workload.Workload{Name: "resnet18", Torch: infer}, "not here"},
		"a name without physics":  {virtualBoard, workload.Workload{Name: "mine", Command: []string{"x"}}, "not here"},
		"a board without command": {board, workload.Workload{Name: "mine"}, "no command"},
		"a network without data":  {board, workload.Workload{Name: "resnet18", Torch: job("resnet18", "")}, "no data"},
		"a network with data":     {board, workload.Workload{Name: "resnet18", Torch: job("resnet18", "/data")}, "yes"},
	} {
		if got := c.s.RunsAs(c.w); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	w, err := virtualBoard.Workload("resnet18")
	if err != nil {
		t.Fatal(err)
	}
	w.Torch.Infer = true
	mine := workload.Workload{Name: "mine", Command: []string{"x"}, Torch: torch.Job{Beside: true}}
	folder := workload.Workload{Name: "far", Torch: job("resnet18", "/no/such/folder")}
	folder.Torch.Beside = true
	asked := workload.Workload{Name: "asked", Torch: job("alexnet", "")}
	asked.Torch.Infer, asked.Torch.Beside = true, true
	if err := virtualBoard.canRun(asked); err != nil {
		t.Errorf("AlexNet, which virtual boards know by its inference alone: %v", err)
	}
	for want, w := range map[string]workload.Workload{
		"workload resnet18: a virtual board simulates the inference of alexnet-infer": w,
		"workload mine: beside = true takes the power of a simulated network":         mine,
		"workload far: ": folder,
	} {
		_, err = virtualBoard.Run(t.Context(), RunRequest{Workload: w, Minibatches: 5}, nil)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, tegra.ErrUnsupported) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Where nothing was chosen before, a search begins with the training job of the largest data set that fits the board.
// On a Nano that is what the 2022 study trained there.
func TestSessionSuggestsTheLargestWorkloadThatFitsEachBoard(t *testing.T) {
	t.Parallel()
	of := map[string]string{
		"agx-orin":   "resnet18", // 6.7 GB; MobileNet on the same data comes later in the list
		"agx-xavier": "resnet18",
		"xavier-nx":  "resnet18",
		"orin-nano":  "resnet18",
		"tx2":        "resnet18",
		"nano":       "lenet5", // 46 MB; of the others only LSTM fits, whose data are 17.8 MB
	}
	for _, name := range virtual.Names() {
		want := of[name]
		s := open(t, Options{Device: "virtual:" + name})
		list, err := s.Workloads()
		if err != nil {
			t.Fatal(err)
		}
		got := s.Suggested(list)
		if got != want {
			t.Errorf("%s: a search begins with %s, want %s", name, got, want)
		}
		chosen, _ := physics.Find(got)
		for _, w := range list {
			why := s.Blocked(w)
			if refused := s.Refusal(w) != ""; refused != (why != "") {
				t.Errorf("%s on %s: %q, but refused: %v", w.Name, name, why, refused)
			}
			if p, _ := physics.Find(w.Name); why == "" && !w.Infers() && p.DatasetMB > chosen.DatasetMB {
				t.Errorf("%s: %s is larger than %s and runs here", name, w.Name, got)
			}
		}
	}
	s := open(t, Options{})
	own := []workload.Workload{{Name: "mine", Own: true}, {Name: "night", Own: true, Command: []string{"true"}}}
	s.Virtual = nil // as on a Jetson: mine has no command
	if got := s.Suggested(own); got != "night" {
		t.Errorf("of jobs with unknown data it suggests %q, want the first that runs", got)
	}
	if got := s.Suggested(own[:1]); got != "" {
		t.Errorf("it suggests %q, which cannot run", got)
	}
}

// The limit that is asked about first is one of the board's own budgets.
func TestDefaultPowerIsABudgetOfEachBoard(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{"agx-orin": 30, "agx-xavier": 30, "xavier-nx": 15, "nano": 5,
		"orin-nano": 15, "tx2": 15} {
		s := open(t, Options{Device: "virtual:" + name})
		if got := DefaultPowerW(s.Device.Presets()); got != want {
			t.Errorf("%s: %g W, want %g", name, got, want)
		}
	}
}

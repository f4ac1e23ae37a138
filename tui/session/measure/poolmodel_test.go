package measure

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// Several programs at once on one data directory lose nothing of each other's.
func TestPoolModelOfSeveralProgramsKnowsTheRowsOfAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for seed := range uint64(3) {
		s, w := sessiontest.InDir(t, dir, seed+1)
		all.Go(func() {
			if _, err := Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w},
				Sample: 3}, nil); err != nil {
				t.Error(err)
			}
			one := ModeRequest{Workload: w, Mode: s.Device.Space().At(int(seed))}
			if _, err := Verify(t.Context(), s, one, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, w := sessiontest.InDir(t, dir, 0)
	pool, err := models.PoolOf(s, w, nil)
	if err != nil || len(pool.Rows()) != 3*4 || len(pool.Parts) != 6 {
		t.Fatalf("pool of %d rows and %d campaigns, %v; want 12 and 6", len(pool.Rows()), len(pool.Parts), err)
	}
	must.Equal(t, len(sessiontest.SamplesOf(t, models.ModelOf(s.Options.Paths, pool))),
		len(tegra.OncePerSetting(pool.Rows())))
}

func TestPoolModelKeepsItsNameAndLeavesThoseOfOthersAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, w := sessiontest.InDir(t, dir, 0)
	measure := func(r ProfileRequest) string {
		t.Helper()
		r.Sample = 2
		res, err := Profile(t.Context(), s, r, nil)
		if err != nil || res.Kept == "" {
			t.Fatalf("kept %q, %v", res.Kept, err)
		}
		return filepath.Base(res.Kept)
	}
	must.Equal(t, measure(ProfileRequest{Measuring: Measuring{Workload: w}}), "lstm@virtual-agx-orin.model")
	mine := filepath.Join(s.Options.ModelsDir(), "mine.model")
	must.NoError(t, os.Rename(filepath.Join(s.Options.ModelsDir(), "lstm@virtual-agx-orin.model"), mine))
	must.Equal(t, measure(ProfileRequest{Measuring: Measuring{Workload: w}}), "mine.model")
	other := w.AtBatch(4)
	r := ProfileRequest{Measuring: Measuring{Workload: other}}
	a, b := measure(r), measure(r)
	must.Equal(t, a, "lstm@virtual-agx-orin.model")
	must.Equal(t, b, a)
	other.Workers++
	must.Equal(t, measure(ProfileRequest{Measuring: Measuring{Workload: other}}), "lstm@virtual-agx-orin-bs4.model")
	r = ProfileRequest{Measuring: Measuring{Workload: w, Batches: []int{4, 8}}}
	must.Equal(t, measure(r), "lstm@virtual-agx-orin-batches.model")
	elsewhere := ProfileRequest{Measuring: Measuring{Workload: w, Dir: filepath.Join(t.TempDir(), "c")},
		Sample: 2}
	outside := must.Get(Profile(t.Context(), s, elsewhere, nil))(t)
	must.Equal(t, outside.Kept, "")
	list, err := models.List(s.Options)
	for _, info := range list {
		from := info.Model.Provenance
		size := map[string]int{"mine": 16, "lstm@virtual-agx-orin": 4, // none: several
			"lstm@virtual-agx-orin-bs4": 4}[info.Name]
		if time.Since(from.When).Abs() > time.Hour || from.Batch != size {
			t.Errorf("%s has time %v and batch size %d", info.Name, from.When, from.Batch)
		}
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	want := []string{"lstm@virtual-agx-orin", "lstm@virtual-agx-orin-batches", "lstm@virtual-agx-orin-bs4", "mine"}
	must.NoError(t, err)
	must.Equal(t, names, want)
}

func TestPoolModelOfAllBatchSizesLearnsWhatIsMeasuredAtOne(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 0)
	res, err := Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w, Batches: []int{4, 8}},
		Sample: 4}, nil)
	if err != nil || res.Kept == "" {
		t.Fatal(res.Kept, err)
	}
	verified := tegra.Setting{Mode: s.Device.Space().Max(), Batch: 8}
	_, err = Verify(t.Context(), s, ModeRequest{Workload: w.AtBatch(8), Mode: verified.Mode}, nil)
	must.NoError(t, err)
	list, err := models.List(s.Options)
	if err != nil || len(list) != 1 || !sessiontest.SamplesOf(t, res.Kept)[verified] {
		t.Errorf("%d models, %v; want the one of all sizes, which knows the verified setting", len(list), err)
	}
}

// A program that is killed keeps no model; the next one to list them does.
func TestPoolModelLearnsWhatAKilledProgramHadMeasured(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 0)
	profile := func(n int) (dir, model string) {
		t.Helper()
		res, err := Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w}, Sample: n}, nil)
		if err != nil || res.Kept == "" {
			t.Fatal(res.Kept, err)
		}
		return res.Dir, res.Kept
	}
	listed := func() map[tegra.Setting]bool {
		t.Helper()
		list, err := models.List(s.Options) // as the commands do, without a device
		if err != nil || len(list) > 1 {
			t.Fatal(list, err)
		}
		for _, info := range list {
			return sessiontest.SamplesOf(t, info.Path)
		}
		return nil
	}
	dir, model := profile(3)
	early := must.Read(t, model)
	profile(5)
	if err := os.WriteFile(model, early, 0o644); err != nil { // as if the second had been killed
		t.Fatal(err)
	}
	must.Equal(t, len(listed()), 5)
	unfitted := func() string {
		t.Helper()
		list := must.Get(models.Kept(s.Options.Paths, learn.LoadUnfitted))(t)
		missing := must.Get(models.FindUnfitted(s.Options, list))(t)
		return fmt.Sprint(missing)
	}
	must.Equal(t, unfitted(), "[]")
	if err := errors.Join(os.Remove(model), os.Remove(filepath.Join(dir, "end.txt"))); err != nil { // or both
		t.Fatal(err)
	}
	for range 2 { // a list fits nothing
		must.Equal(t, unfitted(), "[{lstm 3}]")
	}
	must.Equal(t, len(listed()), 5)
	must.NoError(t, os.WriteFile(model, early, 0o644))
	must.Equal(t, len(must.Get(models.Load(s.Options, "lstm@virtual-agx-orin"))(t).Samples), 5)
	must.NoError(t, os.WriteFile(model, early, 0o644))
	_, _ = models.Load(s.Options, "mobilenet@virtual-agx-orin")
	must.Equal(t, len(sessiontest.SamplesOf(t, model)), 3)
	listed()
	at, err := os.Stat(model)
	must.NoError(t, err)
	listed()
	if again, err := os.Stat(model); err != nil || !again.ModTime().Equal(at.ModTime()) {
		t.Errorf("a model that knows all is fitted again, %v", err)
	}
	_, err = models.Shelf(s.Options.Paths).Delete("lstm@virtual-agx-orin")
	must.NoError(t, err)
	must.Equal(t, len(listed()), 0)
	must.Equal(t, unfitted(), "[]")
}

func TestPoolModelOfAReplayBelongsToTheContentOfItsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n2,729600,318750000,665600000,%d,10\n" +
		"4,729600,318750000,665600000,80,12\n8,729600,318750000,665600000,70,14\n"
	pool := func(file string, time int) models.Pool {
		t.Helper()
		path := filepath.Join(dir, file)
		must.NoError(t, os.WriteFile(path, fmt.Appendf(nil, text, time), 0o644))
		s := sessiontest.Open(t, session.Options{Device: "replay:" + path, Speed: math.Inf(1),
			Paths: config.Paths{DataDir: dir}})
		w, err := workloads.Find(s, "job")
		must.NoError(t, err)
		r := ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 3}
		_, err = Profile(t.Context(), s, r, nil)
		must.NoError(t, err)
		pool := must.Get(models.PoolOf(s, w, nil))(t)
		return pool
	}
	first, copied, changed := pool("a.csv", 90), pool("copy.csv", 90), pool("a.csv", 95)
	if first.Board != copied.Board || len(copied.Rows()) < 3 {
		t.Errorf("a file is %s, its copy %s", first.Board, copied.Board)
	}
	if changed.Board == first.Board || len(changed.Rows()) != 3 {
		t.Errorf("a file that has changed is still %s, with %d rows; want 3", changed.Board, len(changed.Rows()))
	}
}

// Where the models cannot be locked, a note says why the model was fitted and not saved: without the lock two programs
// would write over each other's.
func TestUpdateSaysThatTheModelsCannotBeLocked(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 0)
	if err := os.MkdirAll(filepath.Join(s.Options.ModelsDir(), ".lock"), 0o755); err != nil { // in the lock's place
		t.Fatal(err)
	}
	var said strings.Builder
	res, err := Profile(t.Context(), s, ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 3}, func(e Event) {
		if note, ok := e.(NoteEvent); ok {
			fmt.Fprintln(&said, note)
		}
	})
	if err != nil || res.Kept != "" || !strings.Contains(said.String(), "the model was not updated: models: open ") {
		t.Errorf("kept as %q, %v; it says %q", res.Kept, err, said.String())
	}
	out, err := models.Learn(s, w, nil, res.Dir, nil, nil, true)
	if err == nil || !strings.Contains(err.Error(), ".lock") || out.Model == nil || out.Path != "" {
		t.Errorf("learned %v, kept as %q, %v", out.Model != nil, out.Path, err)
	}
}

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
	if got, want := len(sessiontest.SamplesOf(t, models.ModelOf(s.Options.Paths,
		pool))), len(tegra.OncePerSetting(pool.Rows())); got != want {
		t.Errorf("the model knows %d modes, the pool %d", got, want)
	}
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
	if got := measure(ProfileRequest{Measuring: Measuring{Workload: w}}); got != "lstm@virtual-agx-orin.model" {
		t.Errorf("the first model is %s", got)
	}
	mine := filepath.Join(s.Options.ModelsDir(), "mine.model")
	must.NoError(t, os.Rename(filepath.Join(s.Options.ModelsDir(), "lstm@virtual-agx-orin.model"), mine))
	if got := measure(ProfileRequest{Measuring: Measuring{Workload: w}}); got != "mine.model" {
		t.Errorf("a renamed model is kept as %s from now on", got)
	}
	other := w.AtBatch(4)
	r := ProfileRequest{Measuring: Measuring{Workload: other}}
	a, b := measure(r), measure(r)
	if a != "lstm@virtual-agx-orin.model" || b != a {
		t.Errorf("another batch size is kept as %s, then %s", a, b)
	}
	other.Workers++
	if got := measure(ProfileRequest{Measuring: Measuring{Workload: other}}); got != "lstm@virtual-agx-orin-bs4.model" {
		t.Errorf("a third workload of that name is kept as %s", got)
	}
	r = ProfileRequest{Measuring: Measuring{Workload: w, Batches: []int{4, 8}}}
	if got := measure(r); got != "lstm@virtual-agx-orin-batches.model" {
		t.Errorf("all sizes are kept as %s", got)
	}
	elsewhere := ProfileRequest{Measuring: Measuring{Workload: w, Dir: filepath.Join(t.TempDir(), "c")},
		Sample: 2}
	outside, err := Profile(t.Context(), s, elsewhere, nil)
	if err != nil || outside.Kept != "" {
		t.Errorf("a campaign outside the data directory is kept as %q, %v", outside.Kept, err)
	}
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
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("models %v, %v; want %v", names, err, want)
	}
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
	if n := len(listed()); n != 5 {
		t.Errorf("the model knows %d modes, want the 5 on disk", n)
	}
	unfitted := func() string {
		t.Helper()
		list := must.Get(models.Kept(s.Options.Paths, learn.LoadUnfitted))(t)
		missing := must.Get(models.FindUnfitted(s.Options, list))(t)
		return fmt.Sprint(missing)
	}
	if got := unfitted(); got != "[]" {
		t.Errorf("%s has not been fitted, want nothing", got)
	}
	if err := errors.Join(os.Remove(model), os.Remove(filepath.Join(dir, "end.txt"))); err != nil { // or both
		t.Fatal(err)
	}
	for range 2 { // a list fits nothing
		if got, want := unfitted(), "[{lstm 3}]"; got != want {
			t.Errorf("%s has not been fitted, want %s", got, want)
		}
	}
	if n := len(listed()); n != 5 {
		t.Errorf("the model that was never kept knows %d modes, want 5", n)
	}
	must.NoError(t, os.WriteFile(model, early, 0o644))
	if m, err := models.Load(s.Options, "lstm@virtual-agx-orin"); err != nil || len(m.Samples) != 5 {
		t.Errorf("by its name it is %+v, %v; want the 5 modes on disk", m, err)
	}
	must.NoError(t, os.WriteFile(model, early, 0o644))
	_, _ = models.Load(s.Options, "mobilenet@virtual-agx-orin")
	if n := len(sessiontest.SamplesOf(t, model)); n != 3 {
		t.Errorf("asking for another workload's model has made this one know %d modes, want the 3 of its file", n)
	}
	listed()
	at, err := os.Stat(model)
	must.NoError(t, err)
	listed()
	if again, err := os.Stat(model); err != nil || !again.ModTime().Equal(at.ModTime()) {
		t.Errorf("a model that knows all is fitted again, %v", err)
	}
	_, err = models.Shelf(s.Options.Paths).Delete("lstm@virtual-agx-orin")
	must.NoError(t, err)
	if n := len(listed()); n != 0 {
		t.Errorf("a deleted model is back with %d modes", n)
	}
	if got := unfitted(); got != "[]" {
		t.Errorf("%s has not been fitted, and its model was deleted", got)
	}
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

package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// inDir opens a virtual board with a data directory, and finds a workload.
func inDir(t *testing.T, dir string, seed uint64) (*Session, workload.Workload) {
	t.Helper()
	return inDirOf(t, dir, seed, "lstm")
}

func inDirOf(t *testing.T, dir string, seed uint64, name string) (*Session, workload.Workload) {
	t.Helper()
	s := open(t, Options{Device: "virtual:agx-orin", Speed: math.Inf(1), Paths: Paths{DataDir: dir}, Seed: seed})
	w, err := s.Workload(name)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// samplesOf are the settings that a model file knows.
func samplesOf(t *testing.T, path string) map[tegra.Setting]bool {
	t.Helper()
	_, samples, err := learn.LoadSource(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[tegra.Setting]bool{}
	for _, m := range samples {
		out[m.Setting] = true
	}
	return out
}

// A model only ever learns more, whatever the campaigns are like and in whatever order
// they come: searches for a limit, short ones, impossible ones, ones stopped after a
// mode or two, profiles, verifications and runs.
func TestPoolModelNeverForgets(t *testing.T) {
	t.Parallel()
	stopped := func(after int) func(context.Context) error {
		return func(context.Context) error {
			if after--; after < 0 {
				return context.Canceled
			}
			return nil
		}
	}
	tune := func(s *Session, w workload.Workload, l optimize.Limit, probes int) error {
		_, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w},
			Limit: l, Probes: probes, Keep: true}, nil)
		return err
	}
	jobs := []struct {
		name string
		do   func(s *Session, w workload.Workload) error
	}{
		{"search", func(s *Session, w workload.Workload) error {
			return tune(s, w, optimize.Limit{PowerW: 28}, 6)
		}},
		{"short search", func(s *Session, w workload.Workload) error {
			return tune(s, w, optimize.Limit{Energy: true}, 2)
		}},
		{"impossible search", func(s *Session, w workload.Workload) error {
			if err := tune(s, w, optimize.Limit{PowerW: 1}, 4); !errors.Is(err, optimize.ErrInfeasible) {
				return fmt.Errorf("1 W: %w", err)
			}
			return nil
		}},
		{"stopped search", func(s *Session, w workload.Workload) error {
			_, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w, Gate: stopped(1)},
				Limit: optimize.Limit{PowerW: 25}, Keep: true}, nil)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}},
		{"stopped search over the front", func(s *Session, w workload.Workload) error {
			_, err := s.Tune(t.Context(), TuneRequest{Measuring: Measuring{Workload: w, Gate: stopped(2)},
				Limit: optimize.Limit{PowerW: 25}, Coverage: CoverFront, Keep: true}, nil)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		}},
		{"profile", func(s *Session, w workload.Workload) error {
			_, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 2}, nil)
			return err
		}},
		{"verification", func(s *Session, w workload.Workload) error {
			_, err := s.Verify(t.Context(), w, s.Device.Space().At(4711), nil)
			return err
		}},
		{"run", func(s *Session, w workload.Workload) error {
			_, err := s.Run(t.Context(), RunRequest{Workload: w, Minibatches: 400}, nil)
			return err
		}},
	}
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		s, w := inDir(t, t.TempDir(), seed)
		order := rand.New(rand.NewPCG(seed, 1)).Perm(len(jobs))
		var path string
		before := map[tegra.Setting]bool{}
		for _, i := range order {
			if err := jobs[i].do(s, w); err != nil {
				t.Fatalf("%s: %v", jobs[i].name, err)
			}
			list, err := s.Models()
			if err != nil || len(list) != 1 {
				t.Fatalf("after %s: %d models, %v; want one", jobs[i].name, len(list), err)
			}
			if path != "" && list[0].Path != path {
				t.Errorf("after %s the model is %s, it was %s", jobs[i].name, list[0].Path, path)
			}
			path = list[0].Path
			now := samplesOf(t, path)
			for at := range before {
				if !now[at] {
					t.Errorf("%s made the model forget %v", jobs[i].name, at.Mode)
				}
			}
			before = now
		}
		pool, err := s.Pool(w, nil)
		if known := len(tegra.OncePerSetting(pool.Rows())); err != nil || len(before) != known {
			t.Errorf("seed %d: the model knows %d modes, the pool %d, %v", seed, len(before), known, err)
		}
	}
}

// Several programs at once on one data directory lose nothing of each other's.
func TestPoolModelOfSeveralProgramsKnowsTheRowsOfAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for seed := range uint64(3) {
		s, w := inDir(t, dir, seed+1)
		all.Go(func() {
			if _, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w},
				Sample: 3}, nil); err != nil {
				t.Error(err)
			}
			if _, err := s.Verify(t.Context(), w, s.Device.Space().At(int(seed)), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, w := inDir(t, dir, 0)
	pool, err := s.Pool(w, nil)
	if err != nil || len(pool.Rows()) != 3*4 || len(pool.Parts) != 6 {
		t.Fatalf("pool of %d rows and %d campaigns, %v; want 12 and 6", len(pool.Rows()), len(pool.Parts), err)
	}
	if got, want := len(samplesOf(t, s.Options.modelOf(pool))), len(tegra.OncePerSetting(pool.Rows())); got != want {
		t.Errorf("the model knows %d modes, the pool %d", got, want)
	}
}

func TestPoolModelKeepsItsNameAndLeavesThoseOfOthersAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, w := inDir(t, dir, 0)
	measure := func(r ProfileRequest) string {
		t.Helper()
		r.Sample = 2
		res, err := s.Profile(t.Context(), r, nil)
		if err != nil || res.Kept == "" {
			t.Fatalf("kept %q, %v", res.Kept, err)
		}
		return filepath.Base(res.Kept)
	}
	if got := measure(ProfileRequest{Measuring: Measuring{Workload: w}}); got != "lstm-virtual.model" {
		t.Errorf("the first model is %s", got)
	}
	mine := filepath.Join(s.Options.ModelsDir(), "mine.model")
	if err := os.Rename(filepath.Join(s.Options.ModelsDir(), "lstm-virtual.model"), mine); err != nil {
		t.Fatal(err)
	}
	if got := measure(ProfileRequest{Measuring: Measuring{Workload: w}}); got != "mine.model" {
		t.Errorf("a renamed model is kept as %s from now on", got)
	}
	other := w.AtBatch(4)
	r := ProfileRequest{Measuring: Measuring{Workload: other}}
	a, b := measure(r), measure(r)
	if a != "lstm-virtual.model" || b != a {
		t.Errorf("another batch size is kept as %s, then %s", a, b)
	}
	other.Workers++
	if got := measure(ProfileRequest{Measuring: Measuring{Workload: other}}); got != "lstm-virtual-bs4.model" {
		t.Errorf("a third workload of that name is kept as %s", got)
	}
	r = ProfileRequest{Measuring: Measuring{Workload: w, Batches: []int{4, 8}}}
	if got := measure(r); got != "lstm-virtual-batches.model" {
		t.Errorf("all sizes are kept as %s", got)
	}
	elsewhere := ProfileRequest{Measuring: Measuring{Workload: w, Dir: filepath.Join(t.TempDir(), "c")},
		Sample: 2}
	outside, err := s.Profile(t.Context(), elsewhere, nil)
	if err != nil || outside.Kept != "" {
		t.Errorf("a campaign outside the data directory is kept as %q, %v", outside.Kept, err)
	}
	list, err := s.Models()
	for _, info := range list {
		from := info.Model.Provenance
		size := map[string]int{"mine": 16, "lstm-virtual": 4, "lstm-virtual-bs4": 4}[info.Name] // none: several
		if time.Since(from.When).Abs() > time.Hour || from.Batch != size {
			t.Errorf("%s is said to be of %v and of batch size %d", info.Name, from.When, from.Batch)
		}
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	want := []string{"lstm-virtual", "lstm-virtual-batches", "lstm-virtual-bs4", "mine"}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("models %v, %v; want %v", names, err, want)
	}
}

func TestPoolModelOfAllBatchSizesLearnsWhatIsMeasuredAtOne(t *testing.T) {
	t.Parallel()
	s, w := inDir(t, t.TempDir(), 0)
	res, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w, Batches: []int{4, 8}},
		Sample: 4}, nil)
	if err != nil || res.Kept == "" {
		t.Fatal(res.Kept, err)
	}
	verified := tegra.Setting{Mode: s.Device.Space().Max(), Batch: 8}
	if _, err := s.Verify(t.Context(), w.AtBatch(8), verified.Mode, nil); err != nil {
		t.Fatal(err)
	}
	list, err := s.Models()
	if err != nil || len(list) != 1 || !samplesOf(t, res.Kept)[verified] {
		t.Errorf("%d models, %v; want the one of all sizes, which knows the verified setting", len(list), err)
	}
}

// A program that is killed keeps no model; the next one to list them does.
func TestPoolModelLearnsWhatAKilledProgramHadMeasured(t *testing.T) {
	t.Parallel()
	s, w := inDir(t, t.TempDir(), 0)
	profile := func(n int) (dir, model string) {
		t.Helper()
		res, err := s.Profile(t.Context(), ProfileRequest{Measuring: Measuring{Workload: w}, Sample: n}, nil)
		if err != nil || res.Kept == "" {
			t.Fatal(res.Kept, err)
		}
		return res.Dir, res.Kept
	}
	listed := func() map[tegra.Setting]bool {
		t.Helper()
		list, err := s.Options.Models() // as the commands do, without a device
		if err != nil || len(list) > 1 {
			t.Fatal(list, err)
		}
		for _, info := range list {
			return samplesOf(t, info.Path)
		}
		return nil
	}
	dir, model := profile(3)
	early, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	profile(5)
	if err := os.WriteFile(model, early, 0o644); err != nil { // as if the second had been killed
		t.Fatal(err)
	}
	if n := len(listed()); n != 5 {
		t.Errorf("the model knows %d modes, want the 5 on disk", n)
	}
	if err := errors.Join(os.Remove(model), os.Remove(filepath.Join(dir, "end.txt"))); err != nil { // or both
		t.Fatal(err)
	}
	if n := len(listed()); n != 5 {
		t.Errorf("the model that was never kept knows %d modes, want 5", n)
	}
	if err := os.WriteFile(model, early, 0o644); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Options.LoadModel("lstm-virtual"); err != nil || len(m.Samples) != 5 {
		t.Errorf("by its name it is %+v, %v; want the 5 modes on disk", m, err)
	}
	at, err := os.Stat(model)
	if err != nil {
		t.Fatal(err)
	}
	listed()
	if again, err := os.Stat(model); err != nil || !again.ModTime().Equal(at.ModTime()) {
		t.Errorf("a model that knows all is fitted again, %v", err)
	}
	if _, err := s.Options.DeleteModel("lstm-virtual"); err != nil {
		t.Fatal(err)
	}
	if n := len(listed()); n != 0 {
		t.Errorf("a deleted model is back with %d modes", n)
	}
}

func TestPoolModelOfAReplayBelongsToTheContentOfItsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n2,729600,318750000,665600000,%d,10\n" +
		"4,729600,318750000,665600000,80,12\n8,729600,318750000,665600000,70,14\n"
	pool := func(file string, time int) Pool {
		t.Helper()
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, fmt.Appendf(nil, text, time), 0o644); err != nil {
			t.Fatal(err)
		}
		s := open(t, Options{Device: "replay:" + path, Speed: math.Inf(1), Paths: Paths{DataDir: dir}})
		w, err := s.Workload("job")
		if err != nil {
			t.Fatal(err)
		}
		r := ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 3}
		if _, err := s.Profile(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		pool, err := s.Pool(w, nil)
		if err != nil {
			t.Fatal(err)
		}
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

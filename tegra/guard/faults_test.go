package guard

import (
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// long tells that the long forms are to run.
var long = os.Getenv("JTUNE_LONG") != ""

// writeFaults are the kernel's possible failures of a write.
var writeFaults = map[string]func(k *tegratest.Kernel, path string){
	"EIO":                      func(k *tegratest.Kernel, path string) { k.Refuse[path] = syscall.EIO },
	"EACCES":                   func(k *tegratest.Kernel, path string) { k.Refuse[path] = syscall.EACCES },
	"ENOENT":                   func(k *tegratest.Kernel, path string) { k.Refuse[path] = syscall.ENOENT },
	"EINVAL":                   func(k *tegratest.Kernel, path string) { k.Refuse[path] = syscall.EINVAL },
	"EBUSY for good":           func(k *tegratest.Kernel, path string) { k.Refuse[path] = syscall.EBUSY },
	"EAGAIN for good":          func(k *tegratest.Kernel, path string) { k.Refuse[path] = syscall.EAGAIN },
	"stuck":                    func(k *tegratest.Kernel, path string) { k.Stuck[path] = true },
	"another value":            func(k *tegratest.Kernel, path string) { k.Clip[path] = "3" },
	"garbage":                  func(k *tegratest.Kernel, path string) { k.Clip[path] = "\x00\xff" },
	"nothing":                  func(k *tegratest.Kernel, path string) { k.Clip[path] = "" },
	"a value of a megabyte":    func(k *tegratest.Kernel, path string) { k.Clip[path] = strings.Repeat("9", 1<<20) },
	"unreadable after a write": func(k *tegratest.Kernel, path string) { k.After = failWhenWritten(k, path) },
	"gone after a write": func(k *tegratest.Kernel, path string) {
		k.After = func(w string) {
			if w == path {
				k.Fail[path] = syscall.ENOENT
			}
		}
	},
}

func (r *rig) heal() {
	r.k.Do(func() {
		r.k.Stuck, r.k.Clip, r.k.Refuse = map[string]bool{}, map[string]string{}, map[string]error{}
		r.k.Busy, r.k.Fail, r.k.After = map[string]int{}, map[string]error{}, nil
	})
}

// For any fault of a knob: either it reads back as requested, or the error names it; and once the board works again,
// everything is restored.
func TestGuardReportsEveryFaultOfAKnobAndRestores(t *testing.T) {
	t.Parallel()
	boards := []string{"nano-32", "agx-orin-36"}
	switch {
	case testing.Short():
		boards = boards[:1]
	case long:
		boards = nil
		for _, b := range tegratest.Boards() {
			boards = append(boards, b.Name)
		}
	}
	for i, name := range boards {
		board, _ := tegratest.BoardNamed(name)
		for j, fault := range slices.Sorted(maps.Keys(writeFaults)) {
			if !long && (i+j)%len(boards) != 0 {
				continue // each fault on one of the boards
			}
			hurt := writeFaults[fault]
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				r := newRigInMemory(t, board.New())
				low := tegra.Mode{Cores: 1, CPU: r.space.CPU[1], GPU: r.space.GPU[1], EMC: r.space.EMC[0]}
				for _, knob := range r.knobs(low) {
					r.faulty(knob, low, func(path string) { hurt(r.k, path) })
				}
				must.NoError(t, r.Close())
				r.wantAsFound()
			})
		}
	}
}

// knobs returns one file of each kind that setting m writes.
func (r *rig) knobs(m tegra.Mode) []tegra.KnobFile {
	r.t.Helper()
	var out []tegra.KnobFile
	seen := map[string]bool{}
	a, err := r.Apply(context.Background(), tegra.Request{Mode: m})
	must.NoError(r.t, err)
	for _, f := range a.Files {
		if kind := path.Base(f.Path); !seen[kind] {
			seen[kind] = true
			out = append(out, f)
		}
	}
	_, err = r.Restore(context.Background())
	must.NoError(r.t, err)
	return out
}

// faulty applies m with one knob hurt, heals it and restores.
func (r *rig) faulty(knob tegra.KnobFile, m tegra.Mode, hurt func(path string)) {
	r.t.Helper()
	ctx := context.Background()
	r.k.Do(func() { hurt(knob.Path) })
	a, err := r.Apply(ctx, tegra.Request{Mode: m})
	i := slices.IndexFunc(a.Files, func(f tegra.KnobFile) bool { return f.Path == knob.Path })
	switch {
	case err == nil && (!a.OK() || a.Actual != tegra.Some(m)):
		r.t.Errorf("%s: no error, yet %v and %+v", knob.Knob, a.Actual, a.Files)
	case err != nil && i >= 0 && a.Files[i].Asked != a.Files[i].Actual && !strings.Contains(err.Error(), knob.Knob):
		r.t.Errorf("%s is not named by %v", knob.Knob, err)
	}
	if err == nil && r.k.Value(knob.Path) != knob.Asked {
		r.t.Errorf("%s is %.40q, want %q, and nobody says so", knob.Path, r.k.Value(knob.Path), knob.Asked)
	}
	r.heal()
	if _, err := r.Restore(ctx); err != nil {
		r.t.Errorf("%s: restoring once it is well: %v", knob.Knob, err)
	}
	r.wantAsFound()
}

func TestGuardFollowsTablesThatChange(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.New("orin-nano-36"))
	top, list := r.space.Max(), tegratest.GPU36+"/available_frequencies"
	super := must.Get(r.k.FS.ReadFile(list))(t)
	change := func(text string) {
		if err := r.k.FS.WriteFile(list, []byte(text)); err != nil {
			t.Error(err)
		}
	}
	change("306000000 408000000 510000000 612000000 624750000 \n")
	if _, err := r.Apply(ctx, tegra.Request{Mode: top}); err == nil || !strings.Contains(err.Error(), "GPU") {
		t.Errorf("a clock that is listed no more: %v", err)
	}
	if got := r.k.Writes(); len(got) > 0 {
		t.Errorf("written: %v", got)
	}
	change(string(super))
	// While the mode is being set the kernel switches to the shorter table, and clips values missing from it.
	r.k.Do(func() {
		r.k.After = func(written string) {
			if strings.HasSuffix(written, "/scaling_max_freq") {
				change("306000000 408000000 510000000 612000000 624750000 \n")
				r.k.Clip[tegratest.GPU36+"/max_freq"] = "624750000"
			}
		}
	})
	if a, err := r.Apply(ctx, tegra.Request{Mode: top}); err == nil || !strings.Contains(err.Error(), "GPU max") ||
		a.Actual.OK && a.Actual.V == top {
		t.Errorf("clipped while being set: %v, %v", a.Actual, err)
	}
	r.heal()
	change(string(super))
	must.NoError(t, r.Close())
	r.wantAsFound()
}

// The time in a saved state is for people; a clock that jumped changes nothing about what is restored.
func TestGuardReadsASavedStateOfAnyClock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, when := range map[string]time.Time{"the future": time.Now().AddDate(50, 0, 0), "1970": time.Unix(0, 0),
		"no time": {}} {
		r := newRig(t, tegratest.New("nano-32"))
		r.apply(tegra.Mode{Cores: 1, CPU: r.space.CPU[0], GPU: r.space.GPU[0], EMC: r.space.EMC[0]})
		left := r.saved()
		r.Keep(ctx)
		r.Close()
		left.When = when
		r.leave(left)
		r.connect()
		if !r.HasPending() {
			t.Errorf("%s: not offered", name)
		}
		if _, err := r.RestorePending(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r.Close()
		r.wantAsFound()
	}
}

// A damaged state is never replaced by the present one: that may be the changed one.
func TestGuardNeverSavesOverADamagedState(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, text := range map[string]string{"empty": "", "nothing": "{}", "cut": `{"state":{"files":[{"path":"/sys/dev`,
		"garbage": "\x00\xff", "another shape": `[1]`, "huge": strings.Repeat("9", 4<<20)} {
		r := newRig(t, tegratest.New("nano-32"))
		file := path.Join(r.dir(), foundFile)
		must.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		if _, err := PendingRestore(r.root); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v at the start", name, err)
		}
		r.connect()
		for what, do := range map[string]func() error{
			"restore": func() error { _, err := r.RestorePending(ctx); return err },
			"revert":  func() error { _, err := r.Revert(ctx); return err },
			"apply":   func() error { _, err := r.Apply(ctx, tegra.Request{Mode: r.space.At(0)}); return err },
		} {
			if err := do(); err == nil || !strings.Contains(err.Error(), ErrDamaged.Error()) ||
				!strings.Contains(err.Error(), file) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if kept, err := os.ReadFile(file); err != nil || string(kept) != text {
			t.Errorf("%s: the damaged file is %q: %v", name, kept, err)
		}
		r.wantAsFound()
		os.Remove(file)
		r.apply(r.space.At(0))
		r.Close()
		r.wantAsFound()
	}
}

// A restore that fails says what stays changed and how to put it back; that then works.
func TestGuardSaysThatTheBoardIsLeftChanged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.New("nano-32"))
	a := r.apply(tegra.Mode{Cores: 1, CPU: r.space.CPU[1], GPU: r.space.GPU[1], EMC: r.space.EMC[0]})
	stuck := a.Files[len(a.Files)-1]
	r.k.Do(func() { r.k.Refuse[stuck.Path] = syscall.EPERM })
	_, err := r.Restore(ctx)
	for _, words := range []string{"the board is left changed: ", stuck.Knob, "jtune revert"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not say %q", err, words)
		}
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "the board is left changed") {
		t.Errorf("at the end: %v", err)
	}
	r.heal()
	r.connect()
	if _, err := r.RestorePending(ctx); err != nil || !r.HasPending() {
		t.Errorf("later: %v", err)
	}
	r.Close()
	r.wantAsFound()
}

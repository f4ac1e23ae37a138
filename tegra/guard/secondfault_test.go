package guard

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// failSaves makes the guard's saves fail after a number of them; its result ends that.
func (r *rig) failSaves(after int, err error) (heal func()) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.server.store.write = func(f *os.File, data []byte) (int, error) {
		if after--; after >= 0 {
			return f.Write(data)
		}
		n, _ := f.Write(data[:len(data)/2])
		return n, err
	}
	return func() {
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		r.server.store.write = nil
	}
}

// A state that is not saved could not be restored after a kill.
func writesNothingUnsaved(t *testing.T, r *rig) {
	low := tegra.Mode{Cores: 1, CPU: r.space.CPU[0], GPU: r.space.GPU[0], EMC: r.space.EMC[0]}
	for name, fault := range map[string]error{"a full disk": syscall.ENOSPC,
		"one that is read alone": syscall.EROFS} {
		heal := r.failSaves(0, fault)
		for range 2 { // the first attempt saved nothing either
			if _, err := r.Apply(context.Background(), tegra.Request{Mode: low, Fan: tegra.FanMax}); err == nil ||
				!strings.Contains(err.Error(), "save the found state") ||
				errors.Is(fault, syscall.EROFS) != errors.Is(err, tegra.ErrPermission) {
				t.Errorf("%s: %v", name, err)
			}
			if got := r.k.Writes(); len(got) > 0 {
				t.Fatalf("%s: written: %v", name, got)
			}
		}
		if left, _ := os.ReadDir(r.dir()); slices.ContainsFunc(left, func(e os.DirEntry) bool {
			return strings.HasPrefix(e.Name(), foundFile)
		}) {
			t.Errorf("%s: %v is left", name, left)
		}
		heal()
	}
	r.try(tegra.Request{Mode: low})
}

// The files of a cluster that comes online are saved before they are written, or not written.
func TestGuardWritesNoFileThatCameLaterWhereItCannotBeSaved(t *testing.T) {
	t.Parallel()
	tree := tegratest.New("agx-orin-36")
	for _, core := range []string{"8", "9", "10", "11"} {
		tree.Set(tegratest.CPU+"/cpu"+core+"/online", "0")
	}
	r := newRig(t, tree)
	heal := r.failSaves(1, syscall.ENOSPC)
	for range 2 {
		if _, err := r.Apply(context.Background(), tegra.Request{Mode: r.space.Max()}); err != nil {
			if !strings.Contains(err.Error(), "save the found state") {
				t.Errorf("%v", err)
			}
			continue
		}
		saved := r.saved()
		for _, w := range r.k.Writes() {
			path, _, _ := strings.Cut(w, "=")
			if _, ok := saved.State.Get(strings.TrimSpace(path)); !ok {
				t.Errorf("%s was written and is not saved", path)
			}
		}
	}
	heal()
	r.Close()
	r.wantAsFound()
}

// A knob that cannot be read could not be restored.
func writesNoUnreadKnob(t *testing.T, r *rig) {
	low := tegra.Mode{Cores: 1, CPU: r.space.CPU[0], GPU: r.space.GPU[0], EMC: r.space.EMC[0]}
	for _, knob := range r.knobs(low) {
		before := len(r.k.Writes())
		r.k.Do(func() { r.k.Fail[knob.Path] = syscall.EIO })
		_, err := r.Apply(context.Background(), tegra.Request{Mode: low})
		for _, w := range r.k.Writes()[before:] {
			if strings.Contains(w, knob.Path) {
				t.Errorf("%s was written although it cannot be read (%v)", w, err)
			}
		}
		r.heal()
		if _, err := r.Restore(context.Background()); err != nil {
			t.Errorf("%s: %v", knob.Knob, err)
		}
		r.wantAsFound()
	}
}

// A failed undo is repeated after pauses that double, up to a minute, until it succeeds.
func TestGuardSaysThatACountdownsUndoFailedAndTriesAgain(t *testing.T) {
	t.Parallel()
	const limit = tegratest.GPU35 + "/max_freq"
	for _, c := range []struct{ healed, restored time.Duration }{ // after the countdown
		{time.Second, 2 * time.Second}, {3 * time.Second, 6 * time.Second}, {63 * time.Second, 122 * time.Second},
		{200 * time.Second, 242 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, tegratest.NewAGXOrin35())
			told := make(chan error, 1)
			r.OnRevert(func(_ tegra.Applied, err error) { told <- err })
			_, err := r.ApplyFor(context.Background(), tegra.Request{Mode: mid}, time.Minute)
			must.NoError(t, err)
			r.k.Do(func() { r.k.Refuse[limit] = syscall.EIO })
			if err := <-told; err == nil || !strings.Contains(err.Error(), "GPU max") {
				t.Errorf("it says %v", err)
			}
			time.Sleep(c.healed)
			r.heal()
			time.Sleep(c.restored - c.healed - time.Millisecond)
			synctest.Wait()
			if len(r.changed()) == 0 {
				t.Errorf("healed after %v: restored before %v", c.healed, c.restored)
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			r.wantAsFound()
		})
	}
}

// A mode that could not be reverted is not kept, and the client gets the reason; a newer apply replaces the undo.
func TestGuardKeepsNoModeWhoseUndoFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		r := newRig(t, tegratest.NewAGXOrin35())
		_, err := r.ApplyFor(ctx, tegra.Request{Mode: mid}, time.Minute)
		must.NoError(t, err)
		r.k.Do(func() { r.k.Refuse[tegratest.GPU35+"/max_freq"] = syscall.EIO })
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if err := r.Keep(ctx); !errors.Is(err, ErrReverted) || !strings.Contains(err.Error(), "tries again") {
			t.Errorf("kept: %v", err)
		}
		r.heal()
		r.apply(slow)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := r.server.mode(); got != tegra.Some(slow) {
			t.Errorf("the undo of the mode before sets %v", got)
		}
		r.Close()
		r.wantAsFound()
	})
}

// The GPU's power control, whether auto or on, is restored.
func TestGuardRestoresTheGPUsPowerControl(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, board := range tegratest.Boards() {
		for _, found := range []string{"auto", "on"} {
			tree := board.New()
			var control []string
			for name := range tree.Files {
				if strings.HasSuffix(name, "/power/control") {
					control = append(control, name)
				}
			}
			if len(control) == 0 {
				continue
			}
			seen++
			for _, name := range control {
				tree.Set(name, found)
			}
			r := newRigInMemory(t, tree)
			for _, p := range []bool{false, true} {
				r.try(tegra.Request{Mode: r.space.Max(), DVFS: p})
			}
			other := map[string]string{"auto": "on", "on": "auto"}[found]
			for _, name := range control { // as nvpmodel sets it with a preset
				must.NoError(t, r.k.FS.WriteFile(name, []byte(other+"\n")))
			}
			r.Close()
			r.wantAsFound()
		}
	}
	if seen == 0 {
		t.Error("no board has such a file")
	}
}

package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestGuardRevertGoesBackOneApplyAndRestoreToTheStart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(mid)
	r.apply(slow)
	a, err := r.Revert(ctx)
	if err != nil || a.Actual != tegra.Some(mid) {
		t.Fatalf("revert gives %v, %v; want %s", a.Actual, err, mid)
	}
	if _, err := r.Revert(ctx); err != nil {
		t.Errorf("a second revert: %v", err)
	}
	r.wantAsFound()
	if _, err := r.Revert(ctx); !errors.Is(err, ErrNothing) {
		t.Errorf("a third revert: %v, want ErrNothing", err)
	}
	r.apply(mid)
	if _, err := r.Revert(ctx); err != nil {
		t.Errorf("a revert of one apply: %v", err)
	}
	r.wantAsFound()
	if _, err := r.Revert(ctx); !errors.Is(err, ErrNothing) {
		t.Errorf("one more: %v, want ErrNothing", err)
	}
	r.apply(mid)
	r.apply(slow)
	_, err = r.Restore(ctx)
	must.NoError(t, err)
	r.wantAsFound()
}

func TestGuardRevertGoesBackThroughWhatWasKeptToTheStateFoundFirst(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, again := range []bool{false, true} { // true: a new process for every step
		r := newRig(t, tegratest.NewAGXOrin35())
		next := func() {
			t.Helper()
			must.NoError(t, r.Keep(ctx))
			if again {
				r.Close()
				r.connect()
			}
		}
		back := func(want tegra.Mode) {
			t.Helper()
			if a, err := r.Revert(ctx); err != nil || a.Actual != tegra.Some(want) {
				t.Fatalf("revert gives %v, %v; want %s", a.Actual, err, want)
			}
		}
		for _, m := range []tegra.Mode{slow, mid, fast} {
			r.apply(m)
			next()
		}
		back(mid)
		next()
		r.apply(fast) // another way from there
		next()
		back(mid)
		back(slow)
		next()
		_, err := r.Revert(ctx)
		must.NoError(t, err)
		r.wantAsFound()
		next()
		if _, err := r.Revert(ctx); !errors.Is(err, ErrNothing) {
			t.Errorf("one more revert: %v, want ErrNothing", err)
		}
		r.Close()
		r.wantAsFound()
	}
}

func TestGuardForgetsStepsBackThatWereNotKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	for _, m := range []tegra.Mode{slow, mid} {
		r.apply(m)
		must.NoError(t, r.Keep(ctx))
	}
	for range 2 {
		_, err := r.Revert(ctx)
		must.NoError(t, err)
	}
	r.wantAsFound()
	r.Close() // back to mid, with both steps
	r.connect()
	for _, want := range []tegra.Mode{slow, {}} {
		if a, err := r.Revert(ctx); err != nil || want.Cores > 0 && a.Actual != tegra.Some(want) {
			t.Fatalf("revert gives %v, %v; want %s", a.Actual, err, want)
		}
	}
	r.wantAsFound()
}

// States that may be gone back to are kept up to a number of them, beyond it the newest and the one found first.
func TestPendingShortenedKeepsTheStateFoundFirst(t *testing.T) {
	t.Parallel()
	for _, total := range []int{mostSteps, 3 * mostSteps} {
		var p *Pending
		for n := range total {
			p = Pending{PID: n, Before: p}.shortened()
		}
		for n := 1; n < mostSteps; n++ {
			if want := total - n; p == nil || p.PID != want {
				t.Fatalf("of %d, step %d back is %+v, want %d", total, n, p, want)
			}
			p = p.Before
		}
		if p == nil || p.PID != 0 || p.Before != nil {
			t.Errorf("of %d, the first is %+v", total, p)
		}
	}
}

func TestGuardKeepStaysAndALaterProcessCanRevertIt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(mid)
	must.NoError(t, r.Keep(ctx))
	r.Close()
	kept := tegratest.Contents(t, r.root)
	if got := kept[tegratest.GPU35+"/max_freq"]; got != "624750000\n" {
		t.Fatalf("after keep and close the GPU's limit is %q", got)
	}

	r.connect() // applies, does not keep
	r.apply(slow)
	r.Close()
	if d := tegratest.Differences(kept, tegratest.Contents(t, r.root)); len(d) > 0 {
		t.Errorf("not back to what was kept:\n%s", strings.Join(d, "\n"))
	}

	if last, err := lastApplied(r.root); err != nil || last == nil {
		t.Fatalf("no state to revert to: %v, %v", last, err)
	}
	r.connect()
	_, err := r.Revert(ctx)
	must.NoError(t, err)
	must.NoError(t, r.Keep(ctx))
	r.Close()
	r.wantAsFound()
	if last, _ := lastApplied(r.root); last != nil {
		t.Error("the reverted state is still offered")
	}
}

func TestGuardRevertsWhenACountdownEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		r := newRig(t, tegratest.NewAGXOrin35())
		told := make(chan tegra.Applied, 1)
		r.OnRevert(func(a tegra.Applied, _ error) { told <- a })
		begun := time.Now()
		_, err := r.ApplyFor(ctx, tegra.Request{Mode: mid}, 15*time.Second)
		must.NoError(t, err)
		<-told
		if took := time.Since(begun); took != 15*time.Second {
			t.Errorf("reverted after %v, want 15 s", took)
		}
		r.wantAsFound()
		if err := r.Keep(ctx); !errors.Is(err, ErrReverted) || strings.Contains(err.Error(), "not all") {
			t.Errorf("keeping too late: %v, want ErrReverted", err)
		}
	})
}

// Declining a trial that is over leaves the kept mode alone, whether its countdown ended it or the end of its guard.
func TestGuardDeclinesNothingButATrial(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(r *rig){
		"its countdown has ended": func(r *rig) {
			_, err := r.ApplyFor(t.Context(), tegra.Request{Mode: slow}, time.Millisecond)
			must.NoError(t, err)
			must.Until(t, "the countdown ends", func() bool {
				r.server.mu.Lock()
				defer r.server.mu.Unlock()
				return r.server.lapsed
			})
		},
		"its guard has ended": func(r *rig) {
			r.apply(slow)
			r.Close()
			r.connect()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tegratest.NewAGXOrin35())
			r.apply(mid)
			must.NoError(t, r.Keep(t.Context()))
			kept := tegratest.Contents(t, r.root)
			over(r)
			if _, err := r.Decline(t.Context()); !errors.Is(err, ErrReverted) {
				t.Errorf("declined: %v, want ErrReverted", err)
			}
			if d := tegratest.Differences(kept, tegratest.Contents(t, r.root)); len(d) > 0 {
				t.Errorf("not what was kept:\n%s", strings.Join(d, "\n"))
			}
			r.apply(slow)
			if _, err := r.Decline(t.Context()); err != nil {
				t.Errorf("a trial: %v", err)
			}
			r.Close()
			if d := tegratest.Differences(kept, tegratest.Contents(t, r.root)); len(d) > 0 {
				t.Errorf("after a trial not what was kept:\n%s", strings.Join(d, "\n"))
			}
		})
	}
}

func TestGuardKeepsNothingThatIsNotOnTrial(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(slow)
	r.Close() // as at a kill, whose watchdog restores the board
	r.connect()
	if err := r.Keep(t.Context()); !errors.Is(err, ErrReverted) {
		t.Errorf("a mode of the guard before is kept: %v", err)
	}
	r.wantAsFound()
}

func TestGuardKeepStopsTheCountdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		r := newRig(t, tegratest.NewAGXOrin35())
		r.OnRevert(func(tegra.Applied, error) { t.Error("reverted although kept") })
		_, err := r.ApplyFor(ctx, tegra.Request{Mode: mid}, time.Hour)
		must.NoError(t, err)
		time.Sleep(time.Hour - time.Millisecond)
		must.NoError(t, r.Keep(ctx))
		time.Sleep(24 * time.Hour)
		r.Close()
		if got := r.k.Value(tegratest.GPU35 + "/max_freq"); got != "624750000" {
			t.Errorf("GPU limit %s", got)
		}
	})
}

func TestGuardReadsOnlyTheListedFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	data, err := r.ReadFile(tegratest.EMC + "/rate")
	if err != nil || string(data) != "2133000000\n" {
		t.Errorf("EMC rate: %q, %v", data, err)
	}
	for _, path := range []string{"/etc/nvpmodel.conf", tegratest.EMC + "/../../../../../etc/nvpmodel.conf", "",
		"/etc/shadow"} {
		if data, err := r.ReadFile(path); err == nil {
			t.Errorf("read %q: %q", path, data)
		}
	}
}

func TestGuardOffersAndTakesOverAStateLeftBehind(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(mid)
	saved := r.saved()
	r.Close()
	r.wantAsFound()
	for _, way := range []string{"recover", "close"} {
		r.connect()
		r.apply(mid)
		r.Keep(context.Background())
		r.Close()
		r.leave(saved) // as if guard and watchdog had both been killed
		if p, err := PendingRestore(r.root); err != nil || p == nil {
			t.Fatalf("nothing is offered: %v", err)
		}
		r.connect()
		if !r.HasPending() {
			t.Error("the new guard does not report the state")
		}
		if way == "recover" {
			_, err := r.RestorePending(context.Background())
			must.NoError(t, err)
		} else {
			r.apply(slow)
		}
		r.Close()
		r.wantAsFound()
		if p, _ := PendingRestore(r.root); p != nil {
			t.Error("still offered after it was restored")
		}
	}
}

func (r *rig) saved() *Pending {
	r.t.Helper()
	st := must.Get(stateStore(tegra.DiskFS(r.root), true))(r.t)
	p, err := st.load(foundFile)
	if err != nil || p == nil {
		r.t.Fatalf("no found state saved: %v", err)
	}
	return p
}

func (r *rig) leave(p *Pending) {
	r.t.Helper()
	st, _ := stateStore(tegra.DiskFS(r.root), true)
	must.NoError(r.t, st.save(foundFile, *p))
}

func TestGuardWritesOnlyKnownFilesOfASavedState(t *testing.T) {
	t.Parallel()
	tree := tegratest.NewAGXOrin35()
	tree.Set("/etc/passwd", "root")
	r := newRig(t, tree)
	r.leave(&Pending{State: tegra.State{Files: []tegra.StateFile{{Path: "/etc/passwd", Value: "evil"},
		{Path: tegratest.GPU35 + "/max_freq", Value: "1300500000"}}}})
	_, err := r.RestorePending(context.Background())
	must.NoError(t, err)
	r.wantAsFound()
}

func TestGuardRevertNeverReturnsToATrialThatNobodyKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(mid)
	left := r.saved()
	if err := r.Keep(ctx); err != nil { // leaves the board in mid …
		t.Fatal(err)
	}
	r.Close()
	r.leave(left) // … as if guard and watchdog had been killed at the question
	must.NoError(t, os.Remove(filepath.Join(r.dir(), lastFile)))

	r.connect()
	r.apply(slow)
	r.apply(fast)
	must.NoError(t, r.Keep(ctx))
	_, err := r.Revert(ctx)
	must.NoError(t, err)
	r.wantAsFound()
	r.Close() // not kept: back to fast
	r.connect()
	_, err = r.Revert(ctx)
	must.NoError(t, err)
	must.NoError(t, r.Keep(ctx))
	r.Close()
	r.wantAsFound()
	if last, _ := lastApplied(r.root); last != nil {
		t.Error("the reverted state is still offered")
	}
}

func TestGuardOffersNoStateThatWasRevertedAndKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.apply(mid)
	for _, step := range []func() error{
		func() error { return r.Keep(ctx) },
		func() error { _, err := r.Revert(ctx); return err },
		func() error { return r.Keep(ctx) },
	} {
		must.NoError(t, step())
	}
	r.wantAsFound()
	if last, _ := lastApplied(r.root); last != nil {
		t.Error("the state that is in force is offered for going back to")
	}
}

func (r *rig) dir() string { return filepath.Join(r.root, StateDir) }

// lastApplied is the state before the last kept apply, which Client.Revert restores; nil if there is none.
func lastApplied(sysroot string) (*Pending, error) {
	s, err := stateStore(tegra.DiskFS(sysroot), false)
	if err != nil {
		return nil, err
	}
	return s.load(lastFile)
}

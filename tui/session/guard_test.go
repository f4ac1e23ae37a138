package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/guard"
)

// fakeGuard is a guard that only knows whether it has ended.
type fakeGuard struct {
	tegra.Applier
	ended chan struct{}
	once  sync.Once
}

func newFakeGuard() *fakeGuard { return &fakeGuard{ended: make(chan struct{})} }

func (g *fakeGuard) Close() error {
	g.once.Do(func() { close(g.ended) })
	return nil
}

func (g *fakeGuard) Gone() bool {
	select {
	case <-g.ended:
		return true
	default:
		return false
	}
}

// prompt is a start that asks for a password until it is answered or given up.
type prompt struct {
	asked  chan struct{} // one token for each attempt
	answer chan privileged
	deaf   bool // it does not hear that its context ends, as sudo may not
}

func newPrompt() *prompt {
	return &prompt{asked: make(chan struct{}, 10), answer: make(chan privileged)}
}

func (p *prompt) start(ctx context.Context) (privileged, error) {
	p.asked <- struct{}{}
	given := ctx.Done()
	if p.deaf {
		given = nil
	}
	select {
	case g := <-p.answer:
		return g, nil
	case <-given:
		return nil, ctx.Err()
	}
}

type got struct {
	guard privileged
	err   error
}

// ask calls get on a goroutine of its own.
func ask(ctx context.Context, slot *guardSlot, p *prompt) chan got {
	out := make(chan got, 1)
	go func() {
		g, err := slot.get(ctx, p.start)
		out <- got{g, err}
	}()
	return out
}

// within receives, or fails the test after a time in which it must have hung.
func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(3 * time.Minute):
		t.Fatalf("%s: nothing within three minutes", what)
		panic("unreachable")
	}
}

func TestGuardSlotStartsOneGuardForAllCallers(t *testing.T) {
	t.Parallel()
	var slot guardSlot
	p, g := newPrompt(), newFakeGuard()
	var callers []chan got
	for range 5 {
		callers = append(callers, ask(t.Context(), &slot, p))
	}
	within(t, "the prompt", p.asked)
	p.answer <- g
	for _, c := range callers {
		if r := within(t, "a caller", c); r.guard != g || r.err != nil {
			t.Errorf("got %v, %v", r.guard, r.err)
		}
	}
	if len(p.asked) != 0 {
		t.Errorf("asked %d times more for the password", len(p.asked))
	}
}

func TestGuardSlotLetsACallerGoDuringAPrompt(t *testing.T) {
	t.Parallel()
	var slot guardSlot
	p, g := newPrompt(), newFakeGuard()
	first := ask(t.Context(), &slot, p)
	within(t, "the prompt", p.asked)
	ctx, cancel := context.WithCancel(t.Context())
	second := ask(ctx, &slot, p)
	cancel()
	if r := within(t, "the caller who gave up", second); !errors.Is(r.err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", r.err)
	}
	p.answer <- g
	if r := within(t, "the caller who stayed", first); r.guard != g {
		t.Errorf("got %v, %v", r.guard, r.err)
	}
}

func TestGuardSlotAsksAgainForThoseWhoStayed(t *testing.T) {
	t.Parallel()
	var slot guardSlot
	p, g := newPrompt(), newFakeGuard()
	ctx, cancel := context.WithCancel(t.Context())
	first := ask(ctx, &slot, p)
	within(t, "the first prompt", p.asked)
	second := ask(t.Context(), &slot, p)
	cancel()
	if r := within(t, "the first caller", first); !errors.Is(r.err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", r.err)
	}
	within(t, "the second prompt", p.asked)
	p.answer <- g
	if r := within(t, "the second caller", second); r.guard != g {
		t.Errorf("got %v, %v", r.guard, r.err)
	}
}

func TestGuardSlotCloseWaitsForNoPrompt(t *testing.T) {
	t.Parallel()
	var slot guardSlot
	p, g := newPrompt(), newFakeGuard()
	p.deaf = true
	caller := ask(t.Context(), &slot, p)
	within(t, "the prompt", p.asked)
	closed := make(chan error, 1)
	go func() { closed <- slot.close() }()
	if err := within(t, "close", closed); err != nil {
		t.Error(err)
	}
	p.answer <- g // the password comes all the same
	if r := within(t, "the caller", caller); !errors.Is(r.err, errClosed) {
		t.Errorf("got %v, %v, want errClosed", r.guard, r.err)
	}
	within(t, "the end of the guard nobody wants", g.ended)
	if _, err := slot.get(t.Context(), p.start); !errors.Is(err, errClosed) {
		t.Errorf("after close: %v", err)
	}
}

func TestGuardSlotReplacesADeadGuardOnceItsWatchdogIsDone(t *testing.T) {
	t.Parallel()
	var slot guardSlot
	old, next := newFakeGuard(), newFakeGuard()
	attempts := 0
	start := func(context.Context) (privileged, error) {
		switch attempts++; {
		case attempts == 1:
			return old, nil
		case attempts < 4:
			return nil, guard.ErrBusy
		}
		return next, nil
	}
	for range 2 {
		if g, err := slot.get(t.Context(), start); g != old || err != nil {
			t.Fatalf("got %v, %v", g, err)
		}
	}
	old.Close()
	if g, err := slot.get(t.Context(), start); g != next || err != nil || attempts != 4 {
		t.Errorf("got %v, %v after %d attempts", g, err, attempts)
	}
}

func TestGuardSlotHasNoPatienceWithAnotherProgramsGuard(t *testing.T) {
	t.Parallel()
	var slot guardSlot
	busy := func(context.Context) (privileged, error) { return nil, guard.ErrBusy }
	if _, err := slot.get(t.Context(), busy); !errors.Is(err, guard.ErrBusy) {
		t.Errorf("got %v", err)
	}
	dead := newFakeGuard()
	dead.Close()
	slot.guard = dead
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := slot.get(ctx, busy); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's end", err)
	}
}

// A board whose saved state is damaged is not taken for one as found.
func TestLeftBehindSaysADamagedState(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, guard.StateDir)
	must.NoError(t, os.MkdirAll(dir, 0o755))
	if got := leftBehind(root); got != "" {
		t.Errorf("without a state: %q", got)
	}
	file := filepath.Join(dir, "found.json")
	must.NoError(t, os.WriteFile(file, []byte("x"), 0o644))
	must.Contain(t, leftBehind(root), "may be left changed", file)
}

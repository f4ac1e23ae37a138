package guard

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"jtune/tegra"
)

// Server sets and restores knobs for one client; only it writes knobs.
type Server struct {
	fs      tegra.FS
	sysfs   *tegra.Sysfs
	planner *tegra.Planner
	store   store
	log     io.Writer
	pause   func(time.Duration) // waits before repeating a write while the kernel is busy
	flush   time.Duration       // time for the client to read the last answers at the end
	// preset makes nvpmodel set a preset, which also sets clocks of other engines and writes the id; nil if only the id
	// is to be written.
	preset func(id int) error

	mu     sync.Mutex
	found  *tegra.State      // state before the first write that was not kept; nil: nothing is changed
	last   *tegra.State      // state before the last apply that was not kept; nil: none
	asked  []tegra.KnobFile  // files of the last apply
	trials int               // modes applied since found, neither kept nor reverted
	back   *steps            // earlier found states; nil until needed
	fanOn  bool              // states include the fan's files
	timer  *countdown        // of the last apply; nil: none
	lapsed bool              // the last countdown ended without Keep
	undo   time.Duration     // pause before repeating a countdown's failed undo
	owed   map[string]bool   // files whose last write had no effect; every restore writes them again
	wrote  map[string]string // values written since a preset was, by path
	events func(response)
}

// ServerOptions are the options of NewServer; the zero value keeps nothing on disk.
type ServerOptions struct {
	Persist bool      // save states in StateDir below the FS's root
	Log     io.Writer // nil: none
}

// NewServer opens the board behind fsys for writing. It adopts the state that a dead guard left: Restore and the end of
// Serve restore it once a mode has been applied; Keep discards it.
func NewServer(fsys tegra.FS, clock tegra.Clock, o ServerOptions) (*Server, error) {
	s := &Server{fs: fsys, log: o.Log, owed: map[string]bool{}, wrote: map[string]string{}, events: func(response) {},
		pause: time.Sleep, flush: lastAnswers, undo: undoPause}
	var err error
	if s.sysfs, err = tegra.Open(fsys, clock); err != nil {
		return nil, err
	}
	if o.Persist {
		if s.store, err = stateStore(fsys, true); err != nil {
			return nil, err
		}
	}
	s.planner = s.sysfs.Planner()
	if program, ok := tegra.HostPath(fsys, nvpmodel); ok && program == nvpmodel { // this machine, not a folder
		if _, err := os.Stat(nvpmodel); err == nil {
			s.preset = runNVPModel
		}
	}
	return s, nil
}

func (s *Server) logf(format string, args ...any) {
	if s.log != nil {
		text := fmt.Sprintf(format, args...)
		fmt.Fprintf(s.log, "%s pid %d: %s\n", time.Now().Format("15:04:05.000000"), os.Getpid(), text)
	}
}

func (s *Server) snapshot() (tegra.State, error) {
	st, err := s.planner.Snapshot()
	if err == nil && s.fanOn {
		st.Add(s.planner.Fan())
	}
	return st, err
}

// hold ensures that the found state is known and saved before a write. It adopts the state that a dead guard left, and
// adds files that were unreadable at first.
func (s *Server) hold(now tegra.State) error {
	fresh := s.found == nil
	var more tegra.State
	now = s.ofUser(now)
	if fresh {
		left, err := s.store.load(foundFile)
		if err != nil { // to save the present state over it would make a changed board the found one
			return err
		}
		if left != nil {
			more.Add(left.State)
		}
	} else {
		more.Add(*s.found)
	}
	if added := more.Add(now); added == 0 && !fresh {
		return nil
	}
	if err := s.store.save(foundFile, s.pending(more)); err != nil {
		return err // found may hold only what is on disk
	}
	s.found = &more
	return nil
}

func (s *Server) pending(st tegra.State) Pending {
	return Pending{State: st, When: time.Now(), PID: os.Getpid()}
}

// apply sets a mode. On failure it rolls back to the previous state.
func (s *Server) apply(r tegra.Request, keepAfter time.Duration) (tegra.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.planner.Check(r.Mode); err != nil {
		return tegra.Applied{Asked: r.Mode}, err
	}
	was, lapsed := s.timer, s.lapsed
	s.stopTimer()
	s.fanOn = s.fanOn || r.Fan != tegra.FanUntouched
	var before tegra.State
	j := transition{s: s,
		plan: func(now tegra.State) ([]tegra.Write, error) { return s.planner.Plan(now, r, *s.found) },
		seen: func(now tegra.State) error {
			before.Add(s.ofUser(now))
			return s.hold(now)
		}}
	files, err := j.run()
	applied := tegra.Applied{Asked: r.Mode, Files: files}
	if err != nil {
		if len(files) > 0 {
			err = s.rollBack(err, before)
		}
		if s.lapsed = lapsed; was != nil { // the mode before is still on trial
			s.arm(time.Until(was.due), was.undo)
		}
		applied.Actual = s.mode()
		return applied, err
	}
	applied.Actual = s.mode()
	s.last, s.asked = &before, files
	s.trials++
	if keepAfter > 0 {
		s.startTimer(keepAfter)
	}
	return applied, nil
}

func (s *Server) mode() tegra.Val[tegra.Mode] {
	now, err := s.snapshot()
	if err != nil {
		return tegra.Val[tegra.Mode]{}
	}
	return s.planner.ModeOf(now)
}

func (s *Server) rollBack(cause error, before tegra.State) error {
	if _, err := s.restoreTo(before); err != nil {
		return fmt.Errorf("%w; rolling back failed too: %w", cause, err)
	}
	return fmt.Errorf("%w; the state before is back", cause)
}

// restoreTo restores a state as far as possible. A limit capped by heat counts as restored: the kernel shows it again
// once the board has cooled.
func (s *Server) restoreTo(want tegra.State) (tegra.Applied, error) {
	j := transition{s: s, bestEffort: true, capped: true, seen: func(tegra.State) error { return nil },
		plan: func(now tegra.State) ([]tegra.Write, error) {
			return s.planner.PlanState(now, want, slices.Collect(maps.Keys(s.owed))...), nil
		}}
	var err error
	for range restoreRuns {
		j.errs = nil
		if _, err = j.run(); err == nil {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("the board is left changed: %w; jtune revert puts it back once that is fixed", err)
	}
	return tegra.Applied{Files: j.files, Asked: s.planner.ModeOf(want).V, Actual: s.mode()}, err
}

// revert goes back one step: to the state before the last apply, then to the found state, then to the found states
// before kept modes, also of earlier guards, back to the one found first.
func (s *Server) revert() (tegra.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimer()
	if s.trials > 0 {
		return s.undoTrial()
	}
	back, err := s.steps()
	if err != nil {
		return tegra.Applied{}, err
	}
	if back.next == nil {
		_, err := s.store.load(foundFile)
		return tegra.Applied{}, cmp.Or(err, ErrNothing)
	}
	now, err := s.snapshot()
	if err != nil {
		return tegra.Applied{}, err
	}
	if err := s.hold(now); err != nil {
		return tegra.Applied{}, err
	}
	applied, err := s.restoreTo(back.next.State)
	if err == nil {
		back.reached, back.next = back.next, back.next.Before
	}
	return applied, err
}

// decline takes back the mode on trial, and nothing else: ErrReverted if a countdown, or the end of another guard, has
// done so.
func (s *Server) decline() (tegra.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimer()
	if s.trials == 0 {
		return tegra.Applied{Actual: s.mode()}, ErrReverted
	}
	return s.undoTrial()
}

// undoTrial goes back to the state before the last apply, or else to the found state.
func (s *Server) undoTrial() (tegra.Applied, error) {
	if s.last != nil {
		return s.undoLast()
	}
	applied, err := s.restoreTo(*s.found)
	if err == nil {
		s.trials = 0
	}
	return applied, err
}

// undoLast restores the state before the last apply.
func (s *Server) undoLast() (tegra.Applied, error) {
	applied, err := s.restoreTo(*s.last)
	if err == nil {
		s.last = nil
		s.trials--
	}
	return applied, err
}

// restore restores the found state, if there is one.
func (s *Server) restore() (tegra.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restoreLocked()
}

func (s *Server) restoreLocked() (tegra.Applied, error) {
	s.stopTimer()
	if s.found == nil {
		mode := s.mode()
		return tegra.Applied{Asked: mode.V, Actual: mode}, nil
	}
	applied, err := s.restoreTo(*s.found)
	s.logf("restored %d files: %v", len(applied.Files), err)
	if err != nil {
		return applied, err
	}
	s.found, s.last, s.trials = nil, nil, 0
	s.back.forget()
	return applied, s.store.remove(foundFile)
}

// recoverPending restores the state that a dead guard left unrestored.
func (s *Server) recoverPending() (tegra.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		left, err := s.store.load(foundFile)
		if err != nil {
			return tegra.Applied{}, err
		}
		if left == nil {
			return tegra.Applied{}, ErrNothing
		}
		s.found = &left.State
	}
	return s.restoreLocked()
}

// stillSet rereads the knobs of the last apply: until the user decides to keep it, a resume from suspend or another
// program may change them. A limit lowered by heat counts as set.
func (s *Server) stillSet() error {
	if s.last == nil {
		return nil
	}
	j := transition{s: s, files: slices.Clone(s.asked), capped: true}
	j.check()
	if err := errors.Join(j.errs...); err != nil {
		return fmt.Errorf("not kept: %w; a resume from suspend or another program changes clocks: apply the mode again",
			err)
	}
	return nil
}

// nothingToKeep reports whether no mode is on trial, no revert is to be kept, and no dead guard left its state.
func (s *Server) nothingToKeep() bool {
	if s.found != nil || s.back != nil && s.back.reached != nil {
		return false
	}
	left, err := s.store.load(foundFile)
	return left == nil && err == nil
}

// keep makes the current state the found state, unless knobs of the last apply have changed since. A later revert goes
// back to the previous found state, never to a trial that was not kept.
func (s *Server) keep() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lapsed {
		if s.lapsed = false; s.last != nil {
			return fmt.Errorf("%w, but not every clock or core could be restored; the guard tries again", ErrReverted)
		}
		return ErrReverted
	}
	if err := s.stillSet(); err != nil {
		return err
	}
	s.stopTimer()
	if s.nothingToKeep() {
		return fmt.Errorf("%w: no mode is on trial", ErrReverted)
	}
	back, err := s.steps()
	if err != nil {
		s.logf("states to go back to unreadable, set aside: %v", err)
		s.store.setAside(lastFile)
		back = &steps{}
		s.back = back
	}
	if top := back.next; s.trials > 0 && s.found != nil {
		before := s.pending(*s.found)
		if back.reached != nil { // a revert to this state was kept
			before.State = back.reached.State
		}
		before.Before = top
		top = before.shortened()
		if err := s.store.save(lastFile, *top); err != nil {
			return err
		}
		back.saved = top
	} else if back.reached != nil {
		if err := s.store.saveOrRemove(lastFile, top); err != nil {
			return err
		}
		back.saved = top
	}
	back.forget()
	s.found, s.last, s.trials = nil, nil, 0
	return s.store.remove(foundFile)
}

// countdown undoes an apply when its time is over.
type countdown struct {
	timer *time.Timer
	due   time.Time
	undo  func()
}

// arm starts a countdown. A request that stops it, or a newer one, keeps undo from being called.
func (s *Server) arm(d time.Duration, undo func()) {
	c := &countdown{due: time.Now().Add(d), undo: undo}
	c.timer = time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.timer != c || s.last == nil {
			return
		}
		s.timer = nil
		undo()
	})
	s.timer = c
}

func (s *Server) startTimer(d time.Duration) {
	s.arm(d, func() {
		s.lapsed = true
		applied, err := s.undoLast()
		s.logf("not kept in time: reverted, %v", err)
		s.events(response{Event: "reverted", Applied: toWireApplied(applied)}.failed(err))
		if err != nil {
			s.undoAgain(s.undo)
		}
	})
}

// undoAgain repeats a countdown's failed undo after a pause that doubles each time, until it succeeds or a request
// replaces it.
func (s *Server) undoAgain(pause time.Duration) {
	s.arm(pause, func() {
		_, err := s.undoLast()
		if s.logf("reverting again: %v", err); err != nil {
			s.undoAgain(min(2*pause, mostUndoPause))
		}
	})
}

const (
	undoPause     = 2 * time.Second
	mostUndoPause = time.Minute
)

func (s *Server) stopTimer() {
	if s.timer != nil {
		s.timer.timer.Stop()
		s.timer = nil
	}
	s.lapsed = false
}

// read returns the content of a root-only file.
func (s *Server) read(path string) ([]byte, error) {
	if !tegra.RootOnly(path) {
		return nil, fmt.Errorf("read %q: not one of the files that the guard reads for others", path)
	}
	return s.fs.ReadFile(path)
}

package guard

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
)

// transition is one sequence of writes from the current state to another.
type transition struct {
	s *Server
	// plan lists the writes from state now.
	plan func(now tegra.State) ([]tegra.Write, error)
	// bestEffort continues after a failure, to restore as much as possible.
	bestEffort bool
	// seen is called with every new snapshot, before any further write.
	seen func(now tegra.State) error
	// capped accepts limits lower than set if heat is the cause.
	capped bool

	files []tegra.KnobFile
	errs  []error
}

// run plans and writes. When cores have come online it takes a new snapshot and plans again: only then are the limits
// of a policy that was offline readable.
func (j *transition) run() ([]tegra.KnobFile, error) {
	for round := 0; ; round++ {
		again, err := j.round(round == 0)
		if err != nil {
			return j.files, err
		}
		if !again {
			break
		}
	}
	if len(j.errs) == 0 || j.bestEffort {
		j.check()
	}
	return j.files, errors.Join(j.errs...)
}

func (j *transition) round(first bool) (again bool, err error) {
	now, err := j.s.snapshot()
	if err != nil && !j.bestEffort { // knobs that are unreadable may still be restored
		return false, err
	}
	if err := j.seen(now); err != nil {
		return false, err
	}
	writes, err := j.plan(now)
	if err != nil {
		return false, err
	}
	if err := j.undoable(now, writes, first); err != nil {
		return false, err
	}
	enabled := false
	for i, w := range writes {
		if err := j.do(w); err != nil {
			j.errs = append(j.errs, err)
			if !j.bestEffort {
				return false, nil
			}
			continue
		}
		enabled = enabled || w.Enables
		if first && enabled && (i+1 == len(writes) || !writes[i+1].Enables) {
			return true, nil
		}
	}
	return false, nil
}

// undoable rejects, before anything is written, a file whose current value is unknown, since it could not be restored.
// If the first round brings cores online, it checks only those writes: more files become readable after them.
func (j *transition) undoable(now tegra.State, writes []tegra.Write, first bool) error {
	if j.bestEffort {
		return nil
	}
	last := len(writes)
	if first && slices.ContainsFunc(writes, func(w tegra.Write) bool { return w.Enables }) {
		for last > 0 && !writes[last-1].Enables {
			last--
		}
	}
	for _, w := range writes[:last] {
		if _, ok := j.s.found.Get(w.Path); !ok {
			if slices.Contains(j.s.planner.Lowered(now), w.Path) {
				return fmt.Errorf("%s: a thermal limit hides the limit to restore (%s): try again once the board has "+
					"cooled", w.Knob, w.Path)
			}
			return fmt.Errorf("%s: cannot read %s: refusing to write a value that could not be restored", w.Knob,
				w.Path)
		}
	}
	return nil
}

// do writes one knob and reads the same file back.
func (j *transition) do(w tegra.Write) error {
	if err := j.s.write(w.Path, w.Value); err != nil {
		j.note(w, "")
		j.s.owed[w.Path] = true
		return withKind(fmt.Sprintf("%s: write %s to %s", w.Knob, w.Value, w.Path), err)
	}
	j.s.wrote[w.Path] = w.Value
	if w.Path == tegra.PresetFile { // it sets limits, too
		clear(j.s.wrote)
	}
	actual, err := j.effect(w)
	if j.s.owed[w.Path] = true; err == nil && actual == w.Value {
		delete(j.s.owed, w.Path)
	}
	if w.Loose {
		return nil
	}
	j.note(w, actual)
	if err != nil {
		return fmt.Errorf("%s: read back %s: %w", w.Knob, w.Path, err)
	}
	file := tegra.KnobFile{Knob: w.Knob, Path: w.Path, Asked: w.Value, Actual: actual}
	err = file.Mismatch()
	switch {
	case err == nil || !j.s.planner.Capped(file):
		return err
	case j.capped:
		j.s.logf("a thermal limit caps it: %v", err)
		return nil
	}
	return fmt.Errorf("%w: a thermal limit caps it; try again once the board has cooled", err)
}

// effect reads a written file back. Since Linux 5.4 limits of the CPU take effect in a work item, shortly after the
// write has returned (cpufreq_notifier_max in drivers/cpufreq/cpufreq.c): a different value is read again for a while.
func (j *transition) effect(w tegra.Write) (string, error) {
	pause := effectPause
	for try := 1; ; try++ {
		actual, err := j.s.readBack(w.Path)
		if err != nil || actual == w.Value || w.Loose || try == effectTries ||
			j.s.planner.Capped(tegra.KnobFile{Path: w.Path, Asked: w.Value, Actual: actual}) {
			return actual, err
		}
		j.s.pause(pause)
		pause *= 2
	}
}

// note keeps one entry per file, in the order of first writes.
func (j *transition) note(w tegra.Write, actual string) {
	f := tegra.KnobFile{Knob: w.Knob, Path: w.Path, Asked: w.Value, Actual: actual}
	if i := slices.IndexFunc(j.files, func(k tegra.KnobFile) bool { return k.Path == w.Path }); i >= 0 {
		j.files[i] = f
		return
	}
	j.files = append(j.files, f)
}

// check rereads every written file, since a later write may have changed an earlier knob.
func (j *transition) check() {
	for i, f := range j.files {
		actual, err := j.s.readBack(f.Path)
		if err != nil {
			continue // a policy that went offline with its last core
		}
		j.files[i].Actual = actual
		err = j.files[i].Mismatch()
		switch {
		case err == nil || f.Actual != f.Asked: // as set, or already reported
		case j.capped && j.s.planner.Capped(j.files[i]):
			j.s.logf("a thermal limit caps it: %v", err)
		default:
			j.errs = append(j.errs, fmt.Errorf("%w after it had been set", err))
		}
	}
}

const (
	nvpmodel     = "/usr/sbin/nvpmodel" // NVIDIA's program
	nvpmodelWait = time.Minute          // it takes a second or two
)

// runNVPModel sets a preset. If that needs a reboot, the program asks, gets no answer and changes nothing. UNVERIFIED
// on a Jetson.
func runNVPModel(id int) error {
	ctx, cancel := context.WithTimeout(context.Background(), nvpmodelWait)
	defer cancel()
	said, err := exec.CommandContext(ctx, nvpmodel, "-m", strconv.Itoa(id)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("nvpmodel -m %d: %w: %s", id, err, text.Clip(text.OneLine(string(said))))
	}
	return nil
}

// write writes a knob.
func (s *Server) write(path, value string) error {
	if id := tegra.PresetIn(value); path == tegra.PresetFile && id.OK && s.preset != nil {
		if now, err := s.readBack(path); err == nil && now == value {
			return nil
		}
		err := s.preset(id.V)
		s.logf("nvpmodel -m %d: %v", id.V, err)
		return err
	}
	return s.patiently(func() error {
		err := s.fs.WriteFile(path, []byte(value+"\n"))
		s.logf("write %s = %s: %v", path, value, err)
		return err
	})
}

// patiently repeats do with pauses while the kernel is busy.
func (s *Server) patiently(do func() error) error {
	pause := retryPause
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == retries || !temporary(err) {
			return err
		}
		s.pause(pause)
		pause *= 2
	}
}

func temporary(err error) bool {
	return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
}

func (s *Server) readBack(path string) (string, error) {
	var data []byte
	err := s.patiently(func() (err error) {
		data, err = s.fs.ReadFile(path)
		return err
	})
	return strings.TrimSpace(string(data)), err
}

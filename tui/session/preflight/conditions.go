package preflight

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/caller"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/nvpmodel"
	"jtune/tui/session"
)

// Conditions lists what on this board will get in the way of a measurement, in words: doctor and every job say it.
func Conditions(s *session.Session) (list []string) {
	if s.Sysfs() == nil || s.Virtual != nil {
		return nil
	}
	b := s.Device.Board()
	say := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	read := func(path string) string {
		data, _ := s.FS().ReadFile(path)
		return strings.TrimSpace(string(data))
	}
	say(strings.Contains(b.Model, tegra.HiddenTree), "the device tree is hidden, as in a container that is not "+
		"privileged: the board is known by its GPU alone")
	say(WriteError(s) == syscall.EROFS, "/sys is mounted read-only, as in a container: nothing can be set from here; "+
		"run jtune on the host, or in a privileged container")
	isolated := read("/sys/devices/system/cpu/isolated")
	say(isolated != "", "cores %s are isolated: the scheduler gives them no work, so modes that count them are not "+
		"faster", isolated)
	for _, g := range []string{"userspace", "powersave"} {
		say(read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") == g,
			"the CPU's governor is %s: it keeps free clocks where they are", g)
	}
	say(endsBelow(s) != "", "%s", endsBelow(s))
	return list
}

// WriteError returns why this process may not write the clock limits; nil if it may.
func WriteError(s *session.Session) error {
	const write = 2 // W_OK of access(2)
	full, ok := tegra.HostPath(s.FS(), "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq")
	if !ok {
		return nil
	}
	return syscall.Access(full, write)
}

// endsBelow describes clocks that nvpmodel's configuration names and the kernel's tables lack; "" if there are none.
func endsBelow(s *session.Session) string {
	data, err := s.FS().ReadFile("/etc/nvpmodel.conf")
	if err != nil {
		return ""
	}
	conf, err := nvpmodel.Parse(strings.NewReader(string(data)))
	space := s.Device.Space()
	if err != nil || len(space.GPU) == 0 {
		return ""
	}
	const share = 1.03
	top := slices.Max(space.GPU)
	for _, m := range conf.Modes {
		r, _ := conf.GPU(m)
		if r.Max != nil && float64(*r.Max) > share*float64(top) {
			return fmt.Sprintf(
				"the mode %s names a GPU clock of %s, and the kernel's list ends at %s: the firmware is "+
					"older than the configuration",
				m.Name,
				tegra.Freq(*r.Max),
				top,
			)
		}
	}
	return ""
}

// errNoPower refuses what needs the power of the module.
var errNoPower = errors.New("this board shows no power of its module (jtune doctor says why), so no mode can be " +
	"searched by power or energy; jtune run measures times")

// MaySearch returns an error if a search by power, within a limit in watts (0: none), has no answer on this board.
func MaySearch(ctx context.Context, s *session.Session, limitW float64) error {
	if s.Virtual != nil || s.Sysfs() == nil {
		return nil
	}
	if s.Device.Board().TotalRule == "" && !caller.Root() && os.Geteuid() != 0 {
		if _, err := s.Guard(ctx); err != nil { // the monitors may be readable to root alone
			return err
		}
	}
	if s.Device.Board().TotalRule == "" && !s.MeterW().OK {
		return errNoPower
	}
	if limitW <= 0 {
		return nil
	}
	idle := leastW(ctx, s)
	if idle.OK && idle.V > limitW {
		return fmt.Errorf("%w: the idle board draws %.1f W at its lowest clocks, more than the limit of %g W",
			optimize.ErrInfeasible, idle.V, limitW)
	}
	return nil
}

// Bounds of an idle board's load, as in session.IdleW, and its readings.
const (
	idleCPUPct = 20.0
	idleGPUPct = 5.0
	idleReads  = 3
	idleEvery  = 250 * time.Millisecond
)

// leastW reads the least power of the idle board; absent if it is busy, or if its clocks do not rest at their lower
// limits: a lower mode may then draw less.
func leastW(ctx context.Context, s *session.Session) (least tegra.Val[float64]) {
	for range idleReads {
		r, err := s.Device.Read()
		if err != nil || s.Clock.Sleep(ctx, idleEvery) != nil || r.Locked.Or(true) || !r.TotalW.OK || !rests(r.GPU) ||
			r.CPU.LoadPct.Or(0) > idleCPUPct || r.GPU.LoadPct.Or(0) > idleGPUPct {
			return tegra.Val[float64]{}
		}
		least = tegra.Some(min(r.TotalW.V, least.Or(r.TotalW.V)))
	}
	return least
}

// rests reports whether a clock is at its lower limit.
func rests(c tegra.ClockReading) bool { return c.Actual.OK && c.Min.OK && c.Actual.V <= c.Min.V }

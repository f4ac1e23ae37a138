package preflight

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"jtune/internal/caller"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/nvpmodel"
	"jtune/tui/session"
)

// Conditions lists what on this board will get in the way of a measurement, in words: doctor and every job say it. now
// is a reading of the board.
func Conditions(s *session.Session, now tegra.Reading) (list []string) {
	b := s.Device.Board()
	if s.Sysfs() == nil {
		return nil
	}
	if s.Virtual != nil {
		return ofSupply(b, now)
	}
	say := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	say(strings.Contains(b.Model, tegra.HiddenTree), "the device tree is hidden, as in a container that is not "+
		"privileged: the board is known by other files alone")
	say(WriteError(s) == syscall.EROFS, "/sys is mounted read-only, as in a container: nothing can be set from here; "+
		"run jtune on the host, or in a privileged container")
	say(b.Reserved != "", "%s: the scheduler gives them no work, and modes with more cores are not offered", b.Reserved)
	for _, governor := range now.Pinned {
		say(true, "governor %s keeps free clocks where they are", governor)
	}
	say(endsBelow(s) != "", "%s", endsBelow(s))
	return append(list, ofSupply(b, now)...)
}

// ofSupply lists what says that the supply, or a clock, is not what it should be.
func ofSupply(b tegra.Board, now tegra.Reading) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, s := range now.Signals {
		switch {
		case s.Name == tegra.UnderVoltage && s.Count.Or(0) > 0:
			say("%s of the supply, %s since boot", s.Name, text.Count(int(s.Count.V), "event"))
		case s.Name != tegra.UnderVoltage && s.Alarm.Or(false): // its volts are listed below
			say("the alarm of %s is on", s.Name)
		}
	}
	for _, a := range now.Alarming() {
		if s, ok := now.Signals.Find(a.Signal); !ok || !s.Alarm.Or(false) {
			say("the %s is on", a)
		}
	}
	if c, ok := now.Slowest("CPU"); ok && !c.Capped {
		say("cores run at %.0f MHz where %.0f MHz is set", c.Actual.GHz()*1000, c.Asked.GHz()*1000)
	}
	for _, part := range []string{"GPU", "EMC"} {
		if c, ok := now.Slowest(part); ok && !c.Capped {
			say("%s", c)
		}
	}
	feed := tegra.RailReading{}
	for _, r := range now.Rails {
		if r.Name == b.FeedRail() {
			feed = r
		}
	}
	uv, _ := now.Signals.Find(tegra.UnderVoltage)
	if uv.Limit.OK && feed.Volts.OK && feed.Volts.V < uv.Limit.V {
		say("%s is at %.2f V, and the module needs %.2f V", feed.Name, feed.Volts.V, uv.Limit.V)
	}
	for _, r := range now.Rails {
		part := strings.Contains(r.Name, "GPU") || strings.Contains(r.Name, "CPU") || strings.Contains(r.Name, "SOC")
		if part && feed.PowerW.OK && r.PowerW.OK && r.PowerW.V > (1+excess)*feed.PowerW.V+excessW {
			say("%s shows %.2f W, more than the %.2f W of the input %s: their labels may be swapped", r.Name,
				r.PowerW.V, feed.PowerW.V, feed.Name)
		}
	}
	return list
}

// A part of the module cannot draw more than its input, but the monitors of both have an error, and are not read at the
// same moment.
const excess, excessW = 0.1, 0.5

// AboveAll says that a limit of the module's power is above all that is known of its board, which is no error;
// "" if it is not, or if nothing is known. readW is the highest reading of earlier measurements. The limit of
// the rail that feeds the module protects the supply: it counts where neither the data sheet nor a preset names
// a power.
func AboveAll(limitW float64, b tegra.Board, presets []tegra.Preset, now tegra.Reading,
	readW float64) string {
	most, from := b.MostW, "the module's data sheet"
	higher := func(w float64, what string) {
		if w > most {
			most, from = w, what
		}
	}
	for _, p := range presets {
		higher(tegra.PresetWatts(p.Name).Or(0), "the preset "+p.Name)
	}
	for _, r := range now.Rails {
		if first := r.Limits.First(); most == 0 && r.Name == b.FeedRail() {
			higher(first.Or(0)*r.Volts.Or(0), "the limit of rail "+r.Name)
		}
	}
	higher(readW, "the highest reading")
	if most == 0 || limitW <= most {
		return ""
	}
	return fmt.Sprintf("no reading or preset of this board reaches the limit of %g W: %.3g W is the most that is "+
		"known, from %s", limitW, most, from)
}

// AboveMost is AboveAll of a session's board as it is now.
func AboveMost(s *session.Session, limitW, readW float64) string {
	now, _ := s.Device.Read() // without a reading the rails' limits are not known
	return AboveAll(limitW, s.Device.Board(), s.Device.Presets(), now, readW)
}

// noClocks says which part of the board lists no clocks, so that it has no modes; "" if all do.
func noClocks(s *session.Session) string {
	switch space := s.Device.Space(); {
	case s.Sysfs() == nil:
		return ""
	case len(space.CPU) == 0:
		return "the CPU lists no clocks"
	case len(space.GPU) == 0:
		return "the GPU lists no clocks"
	}
	return ""
}

// ModesUnread says why the list of modes lacks some; "" if it lacks none. root: only root can read the memory's rates.
func ModesUnread(s *session.Session) (why string, root bool) {
	if s.Sysfs().Complete() {
		return "", false
	}
	if why := noClocks(s); why != "" {
		return why, false
	}
	for _, p := range s.Sysfs().Probes() {
		if p.Name == "EMC frequencies" && strings.HasPrefix(string(p.Why), tegra.NoPermission) {
			return "only root can read the memory's rates", true
		}
	}
	if debug, _ := s.FS().Glob("/sys/kernel/debug/*"); len(debug) == 0 {
		return "the memory's rates cannot be read: debugfs is not mounted here, as in a container", false
	}
	return "the memory's rates cannot be read: this kernel does not show them", false
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
	if err != nil || len(space.GPU) == 0 || len(space.CPU) == 0 {
		return ""
	}
	older := func(mode, part string, named, top tegra.Freq) string {
		return fmt.Sprintf(
			"the mode %s names a %s clock of %s, and the kernel's list ends at %s: the firmware is older "+
				"than the configuration",
			mode,
			part,
			named,
			top,
		)
	}
	above := func(named *int64, unit, top tegra.Freq) bool {
		const share = 1.03
		return named != nil && float64(*named)*float64(unit) > share*float64(top)
	}
	topGPU, topCPU := slices.Max(space.GPU), slices.Max(space.CPU)
	for _, m := range conf.Modes {
		if r, _ := conf.GPU(m); above(r.Max, tegra.Hz, topGPU) {
			return older(m.Name, "GPU", tegra.Freq(*r.Max)*tegra.Hz, topGPU)
		}
		for _, r := range conf.CPU(m) {
			if above(r.Max, tegra.KHz, topCPU) {
				return older(m.Name, "CPU", tegra.Freq(*r.Max)*tegra.KHz, topCPU)
			}
		}
	}
	return ""
}

// errNoPower refuses what needs the power of the module.
var errNoPower = errors.New("this board shows no power of its module (jtune doctor says why), so no mode can be " +
	"measured or searched by power or energy; jtune run measures times")

// NeedsModes refuses a search on a machine without power modes.
func NeedsModes(s *session.Session) error {
	if s.Host() != nil {
		return fmt.Errorf("%w: this machine has no power modes to choose among; measure the command by run, or name a "+
			"board with %s", tegra.ErrUnsupported, usage.Device.Value())
	}
	if why := noClocks(s); why != "" {
		return fmt.Errorf("%w: %s", tegra.ErrUnsupported, why)
	}
	return nil
}

// MayMeasure returns an error if modes cannot be measured on this board, or none of them can be within a limit in watts
// (0: none).
func MayMeasure(ctx context.Context, s *session.Session, limitW float64) error {
	if err := NeedsModes(s); err != nil {
		return err
	}
	if s.Virtual == nil {
		if s.Sysfs() == nil {
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
	}
	if limitW <= 0 || s.Replays() {
		return nil
	}
	if idle := idleAbove(ctx, s, limitW); idle.OK {
		return fmt.Errorf("%w: the idle board draws %.1f W at its lowest clocks, more than the limit of %g W",
			optimize.ErrInfeasible, idle.V, limitW)
	}
	return nil
}

// idleAbove reads the least power of the idle board. It is absent if it is within the limit, if the board is busy, or
// if its clocks do not rest at their lower limits: a lower mode may then draw less.
func idleAbove(ctx context.Context, s *session.Session, limitW float64) (least tegra.Val[float64]) {
	for range session.IdleReads {
		r, err := s.Device.Read()
		if err != nil || r.TotalW.Or(0) <= limitW || s.Clock.Sleep(ctx, session.IdleEvery) != nil ||
			r.Locked.Or(true) || !rests(r.GPU) || r.CPU.LoadPct.Or(0) > session.IdleCPUPct ||
			r.GPU.LoadPct.Or(0) > session.IdleGPUPct {
			return tegra.Val[float64]{}
		}
		least = tegra.Some(min(r.TotalW.V, least.Or(r.TotalW.V)))
	}
	return least
}

// rests reports whether a clock is at its lower limit.
func rests(c tegra.ClockReading) bool { return c.Actual.OK && c.Min.OK && c.Actual.V <= c.Min.V }

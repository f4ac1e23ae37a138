package session

import (
	"context"
	"errors"
	"time"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// Session is an open device and everything needed to work with it. Its methods are safe for concurrent use; the jobs
// (Tune, Profile, Verify, Run) must not overlap.
type Session struct {
	Options
	Device  tegra.Device
	Sampler *telemetry.Sampler // reads Device, for jobs and observers
	Clock   tegra.Clock
	Virtual *virtual.Board // nil on real hardware
	Notice  string         // one line for the user: "no Jetson here: using virtual:agx-orin"
	Skipped []string       // omitted rows of a replayed file; Notice summarizes them

	settings []tegra.Setting // of a replay with several batch sizes: what can be measured; else nil

	sysfs   *tegra.Sysfs
	fs      tegra.FS
	finder  record.Finder
	bundled bool   // a bundle holds the device's files
	Which   string // the board among those of its kind, see record.DeviceHeader
	Typed   TypedJobs

	host *tegra.Host // set without a device; else nil
	gpu  *gpuReader  // of the host; nil: none

	guard guardSlot
	meter *wattMeter // nil: not configured
}

// Sysfs returns the device's backend, for what Device lacks: the sources that it tried, and the files behind a mode.
func (s *Session) Sysfs() *tegra.Sysfs { return s.sysfs }

// FS returns the file system of the device's files.
func (s *Session) FS() tegra.FS { return s.fs }

// Setup reads the present setup of the device; all absent if it cannot be read.
func (s *Session) Setup() tegra.Setup {
	r, err := s.Device.Read()
	if err != nil {
		return tegra.Setup{}
	}
	return r.Setup()
}

// Bundled reports whether a bundle holds the device's files.
func (s *Session) Bundled() bool { return s.bundled }

// Finder finds campaigns that are measuring on this board.
func (s *Session) Finder() *record.Finder { return &s.finder }

// Host returns this machine if there is no device; else nil.
func (s *Session) Host() *tegra.Host { return s.host }

// Replayed returns the settings that a replay with several batch sizes can answer; nil: all modes.
func (s *Session) Replayed() []tegra.Setting { return s.settings }

// Close ends the guard, which restores the board unless the mode was kept, and closes the device's files. It does not
// wait for a password prompt. If both the guard and its watchdog were killed, the error says that the board is left
// changed.
func (s *Session) Close() error {
	had := s.guard.has()
	unrestored := s.guard.close()
	err := errors.Join(unrestored, s.meter.close(), s.gpu.close())
	if s.host != nil {
		return errors.Join(err, s.host.Close())
	}
	err = errors.Join(err, s.sysfs.Close())
	if had && s.Virtual == nil && unrestored == nil { // else the guard has said so
		if left := leftBehind(s.Sysroot); left != "" {
			err = errors.Join(err, errors.New(left))
		}
	}
	return err
}

// NameOf is tegra.NameOf for this device.
func (s *Session) NameOf(m tegra.Mode) string {
	return tegra.NameOf(m, s.Device.Space(), s.Device.Presets())
}

// MeterW returns the reading of the configured power meter; absent without one, and with a virtual board, which the
// meter does not measure.
func (s *Session) MeterW() tegra.Val[float64] { return s.meter.read() }

// firstMeter is how long to wait for a meter's first reading.
const firstMeter = 3 * time.Second

// AwaitMeter waits for the first reading of the configured power meter, and returns what is wrong if none arrives;
// otherwise "".
func (s *Session) AwaitMeter(ctx context.Context) string {
	for begun := time.Now(); s.meter != nil && !s.MeterW().OK && time.Since(begun) < firstMeter && ctx.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
	}
	return s.meter.problem()
}

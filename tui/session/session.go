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

// Session is an open device and everything needed to work with it. Its
// methods may be called from several goroutines; the jobs (Tune, Profile,
// Verify, Run) must not overlap.
type Session struct {
	Options
	Device  tegra.Device
	Sampler *telemetry.Sampler // reads Device, for the jobs and for who looks on
	Clock   tegra.Clock
	Virtual *virtual.Board // nil on real hardware
	Notice  string         // worth a line to the user: "no Jetson here: using virtual:agx-orin"
	Skipped []string       // each row of a replayed file that was left out; Notice sums them up

	settings []tegra.Setting // of a replay with several batch sizes: what can be measured; else nil

	sysfs   *tegra.Sysfs
	fs      tegra.FS
	finder  record.Finder
	bundled bool   // a bundle holds the device's files
	Which   string // board of its kind, see record.DeviceHeader
	Typed   TypedJobs

	host *tegra.Host // without a device; else nil
	gpu  *gpuReader  // of the host; nil: none

	guard guardSlot
	meter *wattMeter // nil: none is configured
}

// Sysfs is the device's backend, for what is not in Device: the sources
// it tried, and the files behind a mode.
func (s *Session) Sysfs() *tegra.Sysfs { return s.sysfs }

// FS is where the device's files live.
func (s *Session) FS() tegra.FS { return s.fs }

// Setup reads how the device is set now; all absent where it cannot be read.
func (s *Session) Setup() tegra.Setup {
	r, err := s.Device.Read()
	if err != nil {
		return tegra.Setup{}
	}
	return r.Setup()
}

// Bundled reports whether a bundle holds the device's files.
func (s *Session) Bundled() bool { return s.bundled }

// Finder looks for campaigns that measure on this board.
func (s *Session) Finder() *record.Finder { return &s.finder }

// Host is this machine where it is worked on without a device; else nil.
func (s *Session) Host() *tegra.Host { return s.host }

// Replayed are the settings that a replay with several batch sizes can answer; nil: all modes.
func (s *Session) Replayed() []tegra.Setting { return s.settings }

// Close ends the guard, which restores the found state unless it was kept, and
// closes the device's files. It waits for no password prompt. Where the guard and its watchdog were
// both killed, the error says that the board is left changed.
func (s *Session) Close() error {
	had := s.guard.has()
	err := errors.Join(s.guard.close(), s.meter.close(), s.gpu.close())
	if s.host != nil {
		return errors.Join(err, s.host.Close())
	}
	err = errors.Join(err, s.sysfs.Close())
	if had && s.Virtual == nil {
		if left := leftBehind(s.Sysroot); left != "" {
			err = errors.Join(err, errors.New(left))
		}
	}
	return err
}

// NameOf is NameOf for this device.
func (s *Session) NameOf(m tegra.Mode) string {
	return tegra.NameOf(m, s.Device.Space(), s.Device.Presets())
}

// MeterW is what the power meter of the configuration shows; absent without one, and beside a virtual board, which it
// does not measure.
func (s *Session) MeterW() tegra.Val[float64] { return s.meter.read() }

// firstMeter is how long the first reading of a meter is waited for.
const firstMeter = 3 * time.Second

// AwaitMeter waits for the first reading of the power meter of the configuration, and says what is wrong where none
// comes; "" otherwise.
func (s *Session) AwaitMeter(ctx context.Context) string {
	for begun := time.Now(); s.meter != nil && !s.MeterW().OK && time.Since(begun) < firstMeter && ctx.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
	}
	return s.meter.problem()
}

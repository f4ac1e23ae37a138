package session

import (
	"errors"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/tui/session/config"
)

// Version is written into records and models; main sets it at link time.
var Version = "dev"

// Options say which device to open and where to keep things. The zero value
// opens the Jetson this is, else the virtual AGX Orin.
type Options struct {
	config.Paths
	Device   string  // auto (default), jetson, virtual:NAME, replay:FILE.csv
	Sysroot  string  // device files are read and written below it, or a bundle's file to read; "" is /
	Speed    float64 // rate of a virtual clock; 0 is 1, +Inf never sleeps
	Seed     uint64  // of everything that draws at random
	Medium   string  // of a virtual board: what the data lie on; "" is the board's usual one
	Instance int     // of a virtual board: which unit; 0 is the mean of all
	Quirks   bool    // of a virtual board: with the vendor's known faults
	// Faults of a virtual board by name, and the air around it in °C; absent: 25.
	Faults   []string
	AmbientC tegra.Val[float64]
	// batch size of jobs, or sizes to choose among and those picked from files and models that hold several
	Batches  []int
	AllSizes bool   // of files and models that hold several
	NoDevice bool   // this machine, whatever it is, without power modes
	ReadOnly bool   // refuse everything that would write to the device
	Workload string // preselected workload, for the screens
	Remote   bool   // servers may be elsewhere than on the loopback
	Weights  string // model of a workload that runs any: a file, or the name that its server knows
}

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

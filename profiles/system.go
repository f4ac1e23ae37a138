package profiles

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
	"jtune/telemetry"
)

// System holds the sources of values that neither the job nor the device's readings report. The zero value reports
// nothing.
type System struct {
	FS      tegra.FS                // for uptime and kernel; nil: unknown
	Clocks  func() tegra.ClockTimes // nil: our own samples count the clocks
	Disk    *telemetry.Disk         // that holds the data; nil: unknown
	Data    *telemetry.Dataset      // nil: the page cache is what the job reports
	DataWhy string                  // why Data is nil
	Facts   []string                // of the device's software, for Character.Versions
	// NoLoads: the loads that the device reads are not those of the job. The table of a replay
	// holds only time and power, and a job that runs alongside a virtual board loads this
	// machine.
	NoLoads bool
}

// Uptime reads /proc/uptime.
func (s System) Uptime() (out tegra.Val[time.Duration]) {
	if s.FS == nil {
		return out
	}
	text, err := s.FS.ReadFile("/proc/uptime")
	if err != nil {
		return out
	}
	return parseUptime(string(text))
}

// parseUptime reads the seconds since the system started (proc(5)).
func parseUptime(text string) (out tegra.Val[time.Duration]) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if s, err := strconv.ParseFloat(first, 64); err == nil && s >= 0 && s < math.MaxInt64/1e9 {
		out = tegra.Some(time.Duration(s * float64(time.Second)))
	}
	return out
}

// kernel is the release of the running kernel; "" where it is unknown.
func (s *System) kernel() string {
	if s.FS == nil {
		return ""
	}
	release, err := s.FS.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return text.OneLine(string(release))
}

// PreloadNote says how much of preloaded data is in memory before the first minibatch that counts.
func PreloadNote(share float64) string {
	note := fmt.Sprintf("data preloaded: %.0f %% of them are in the page cache before the first minibatch that counts",
		100*share)
	if share < preloaded {
		note = "warning: " + note + ": memory does not hold them, the rest is read from the disk while it is measured"
	}
	return note
}

// preloaded is the share of the data that counts as all of them.
const preloaded = 0.95

// cached returns the page-cache share of the dataset, or why it is unknown.
func (s *System) cached() (tegra.Val[float64], string) {
	if s.Data == nil {
		return tegra.Val[float64]{}, s.DataWhy
	}
	share, err := s.Data.Cached()
	if err != nil {
		return share, err.Error()
	}
	return share, ""
}

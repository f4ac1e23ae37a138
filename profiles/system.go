package profiles

import (
	"math"
	"strconv"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// System is where a Watch finds what neither the job nor the device's readings
// tell. The zero value tells nothing.
type System struct {
	FS      tegra.FS                // for uptime and kernel; nil: not told
	Clocks  func() tegra.ClockTimes // nil: our own samples count the clocks
	Disk    *telemetry.Disk         // that holds the data; nil: not told
	Data    *telemetry.Dataset      // nil: the page cache is what the job tells
	DataWhy string                  // why Data is nil
	Facts   []string                // of the device's software, for Character.Versions
	// NoLoads: the loads that the device reads are not the job's: a replay's
	// table tells time and power alone, and a job that runs beside a virtual
	// board loads this machine.
	NoLoads bool
}

// uptime reads /proc/uptime.
func (s System) uptime() (out tegra.Val[time.Duration]) {
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

// kernel is the running kernel's release; "" where it is not told.
func (s System) kernel() string {
	if s.FS == nil {
		return ""
	}
	text, err := s.FS.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return oneLine(string(text))
}

// cached is the page-cache share of the dataset, or why it is not known.
func (s System) cached() (tegra.Val[float64], string) {
	if s.Data == nil {
		return tegra.Val[float64]{}, s.DataWhy
	}
	share, err := s.Data.Cached()
	if err != nil {
		return share, err.Error()
	}
	return share, ""
}

package telemetry

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"jtune/tegra"
)

// tickHz is the unit of CPU times in /proc: USER_HZ, 100 on every Linux.
const tickHz = 100

// Self measures what this process itself costs.
type Self struct {
	ticks int64
	at    time.Time
	ok    bool
}

// NewSelf begins measuring.
func NewSelf() *Self {
	s := &Self{}
	s.ticks, s.ok = selfTicks()
	s.at = time.Now()
	return s
}

// CPUPct is this process's share of one core since the last call, in per
// cent; absent when /proc does not tell, or too little time has passed.
func (s *Self) CPUPct() tegra.Val[float64] {
	ticks, ok := selfTicks()
	now := time.Now()
	dt := now.Sub(s.at)
	if ok && s.ok && dt < time.Second/tickHz {
		return tegra.Val[float64]{}
	}
	used, before := ticks-s.ticks, s.ok
	s.ticks, s.at, s.ok = ticks, now, ok
	if !ok || !before || used < 0 {
		return tegra.Val[float64]{}
	}
	return tegra.Some(100 * float64(used) / tickHz / dt.Seconds())
}

func selfTicks() (int64, bool) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, false
	}
	ticks, err := parseStat(string(text))
	return ticks, err == nil
}

// parseStat gives user plus system time, in ticks, of a line of
// /proc/PID/stat (proc(5), fields 14 and 15). The command's name stands in
// parentheses and may hold spaces and parentheses itself.
func parseStat(line string) (int64, error) {
	end := strings.LastIndexByte(line, ')')
	if end < 0 {
		return 0, fmt.Errorf("stat line has no command")
	}
	fields := strings.Fields(line[end+1:]) // from field 3, the state
	if len(fields) < 13 {
		return 0, fmt.Errorf("stat line has %d fields after the command, want 13 at least", len(fields))
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil || user < 0 {
		return 0, fmt.Errorf("stat field utime is %q", fields[11])
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil || system < 0 {
		return 0, fmt.Errorf("stat field stime is %q", fields[12])
	}
	return user + system, nil
}

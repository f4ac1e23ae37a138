package tegra

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"time"
)

// ClockTimes is the time that CPU and GPU have spent at each clock since the kernel began to count. A nil map: the
// kernel does not count.
type ClockTimes struct{ CPU, GPU map[Freq]time.Duration }

// ClockTimes reads the kernel's counters: cpufreq's stats/time_in_state, summed over the online clusters, and the GPU's
// devfreq trans_stat. No known board counts for the memory clock. UNVERIFIED: the formats follow the kernel's
// documentation; no recording of a Jetson has these files.
func (s *Sysfs) ClockTimes() ClockTimes {
	var t ClockTimes
	seen := map[string]bool{}
	for _, c := range s.cpu.cores {
		dir := cpufreqDir(c.n)
		if place := realPath(s.fs, dir); !seen[place] {
			seen[place] = true
			if text, err := s.fs.ReadFile(dir + "/stats/time_in_state"); err == nil {
				t.CPU = added(t.CPU, parseTimeInState(text))
			}
		}
	}
	if s.gpu.dir != "" {
		if text, err := s.fs.ReadFile(s.gpu.dir + "/trans_stat"); err == nil {
			t.GPU = parseTransStat(text)
		}
	}
	return t
}

// realPath returns the target of a folder's link, or name if it is no link.
func realPath(fsys FS, name string) string {
	target, err := fsys.Readlink(name)
	switch {
	case err != nil:
		return name
	case path.IsAbs(target):
		return path.Clean(target)
	}
	return path.Join(path.Dir(name), target)
}

func added(sum, more map[Freq]time.Duration) map[Freq]time.Duration {
	if sum == nil {
		return more
	}
	for f, t := range more {
		sum[f] += t
	}
	return sum
}

// parseTimeInState reads lines of a clock in kHz and a time in units of 10 ms (kernel,
// Documentation/cpu-freq/cpufreq-stats). It skips other lines.
func parseTimeInState(text []byte) map[Freq]time.Duration {
	var out map[Freq]time.Duration
	for line := range bytes.Lines(text) {
		f := strings.Fields(string(line))
		if len(f) == 2 {
			out = withTime(out, f[0], KHz, f[1], 10*time.Millisecond)
		}
	}
	return out
}

// parseTransStat reads devfreq's transition table (kernel, Documentation/ABI/testing/sysfs-class-devfreq): one line per
// clock in Hz, ending with the milliseconds spent there. A star marks the current clock. "Not Supported." means no
// table.
func parseTransStat(text []byte) map[Freq]time.Duration {
	var out map[Freq]time.Duration
	for line := range bytes.Lines(text) {
		name, row, ok := strings.Cut(string(line), ":")
		f := strings.Fields(row)
		if name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "*")); ok && len(f) > 1 {
			out = withTime(out, name, Hz, f[len(f)-1], time.Millisecond)
		}
	}
	return out
}

// longestTime bounds a plausible counter: ten years.
const longestTime = 10 * 365 * 24 * time.Hour

func withTime(to map[Freq]time.Duration, freq string, unit Freq, spent string,
	tick time.Duration) map[Freq]time.Duration {
	f, err1 := strconv.ParseInt(freq, 10, 64)
	n, err2 := strconv.ParseInt(spent, 10, 64)
	if err1 != nil || err2 != nil || f <= 0 || f > int64(maxFreq/unit) || n < 0 || n > int64(longestTime/tick) {
		return to
	}
	if to == nil {
		to = map[Freq]time.Duration{}
	}
	to[Freq(f)*unit] = time.Duration(n) * tick
	return to
}

package tegra

import (
	"bytes"
	"maps"
	"strconv"
)

// loadMeter computes the load from /proc/stat's counters since the last call. Counters jump when cores go on or
// offline; the meter then starts over.
type loadMeter struct {
	last map[int]cpuTicks
	pct  map[int]float64 // of the last interval with ticks
}

type cpuTicks struct{ busy, total uint64 }

// percent returns each online core's load in percent; nothing at the first call.
func (m *loadMeter) percent(stat *source, miss func(string, error)) map[int]float64 {
	if stat == nil {
		return nil
	}
	data, err := stat.bytes()
	if err != nil {
		miss("CPU load", err)
		return nil
	}
	return m.take(parseStat(data))
}

func (m *loadMeter) take(now map[int]cpuTicks) map[int]float64 {
	last := m.last
	if !maps.EqualFunc(last, now, func(cpuTicks, cpuTicks) bool { return true }) {
		m.last, m.pct = now, nil
		return nil
	}
	pct := maps.Clone(m.pct)
	if pct == nil {
		pct = map[int]float64{}
	}
	for n, t := range now {
		was := last[n]
		if t.total < was.total || t.busy < was.busy { // the counters were reset
			m.last, m.pct = now, nil
			return nil
		}
		if t.total == was.total {
			continue // no tick yet: keep the last value
		}
		pct[n] = min(100, 100*float64(t.busy-was.busy)/float64(t.total-was.total))
		last[n] = t
	}
	m.pct = pct
	return pct
}

// parseStat reads the cpuN lines of /proc/stat: user nice system idle iowait irq softirq steal, in ticks. Idle and
// iowait do not count as load.
func parseStat(data []byte) map[int]cpuTicks {
	out := map[int]cpuTicks{}
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte("cpu")) { // the line of interrupts has hundreds of fields
			continue
		}
		fields := bytes.Fields(line)
		if len(fields) < 5 {
			continue
		}
		n, err := strconv.Atoi(string(fields[0][len("cpu"):]))
		if err != nil || n < 0 { // "cpu" alone is the sum
			continue
		}
		if t, ok := ticks(fields[1:]); ok {
			out[n] = t
		}
	}
	return out
}

func ticks(fields [][]byte) (cpuTicks, bool) {
	var t cpuTicks
	for i, field := range fields[:min(len(fields), 8)] {
		v, err := strconv.ParseUint(string(field), 10, 63)
		if err != nil || t.total+v < t.total {
			return t, false
		}
		t.total += v
		if i != 3 && i != 4 {
			t.busy += v
		}
	}
	return t, true
}

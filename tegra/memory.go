package tegra

import (
	"bytes"
	"math"
	"strconv"
)

// readMemory reads /proc/meminfo. Used memory excludes what dropping caches could free, as in tegrastats.
func readMemory(info *source, r *Reading, miss func(string, error)) {
	if info == nil {
		return
	}
	data, err := info.bytes()
	if err != nil {
		miss("memory in use", err)
		return
	}
	m := parseMeminfo(data)
	total, okTotal := m["MemTotal"]
	free, okFree := m["MemFree"]
	cached := m["Cached"] + m["Buffers"] + m["SReclaimable"]
	if okTotal {
		r.RAMTotal = Some(total)
	}
	if _, ok := m["Cached"]; ok {
		r.RAMCached = Some(cached)
	}
	if okTotal && okFree {
		r.RAMUsed = Some(max(0, total-free-cached))
	}
}

// parseMeminfo returns the table in bytes; it skips malformed lines.
func parseMeminfo(data []byte) map[string]int64 {
	out := map[string]int64{}
	for line := range bytes.Lines(data) {
		name, rest, ok := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(rest)
		if !ok || len(fields) == 0 {
			continue
		}
		v, err := strconv.ParseInt(string(fields[0]), 10, 64)
		if err != nil || v < 0 || v > math.MaxInt64/1024/8 {
			continue
		}
		if len(fields) > 1 && string(fields[1]) == "kB" {
			v *= 1024
		}
		out[string(name)] = v
	}
	return out
}

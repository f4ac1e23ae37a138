package tegra

import (
	"slices"
	"time"
)

// slowValues are those that need not be read at every reading when readings are
// frequent: temperatures (a call to the firmware each, 80 µs on a board), the
// fan, the memory in use, alarms of rails. Clocks, loads, power and throttling are never kept.
type slowValues struct {
	every  time.Duration // 0: at every reading
	at     time.Duration // device time of the last look
	looked bool
	seen   Reading // nothing but these values, and which of them are missing
}

// Relax lets Read repeat temperatures, fan and memory in use that are younger
// than d, for readings that come many times a second. Zero, as at Open, looks
// at all of them each time.
func (s *Sysfs) Relax(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = slowValues{every: d}
}

func (s *Sysfs) readSlow(r *Reading) {
	k := &s.slow
	if !k.looked || r.T-k.at >= k.every {
		k.look(s, r.T)
	}
	r.Temps, r.TempsOff = slices.Clone(k.seen.Temps), slices.Clone(k.seen.TempsOff)
	r.FanPct, r.FanRPM = k.seen.FanPct, k.seen.FanRPM
	r.RAMUsed, r.RAMTotal, r.RAMCached = k.seen.RAMUsed, k.seen.RAMTotal, k.seen.RAMCached
	r.Alarms = slices.Clone(k.seen.Alarms)
	r.Missing = append(r.Missing, k.seen.Missing...)
}

func (k *slowValues) look(s *Sysfs, now time.Duration) {
	var r Reading
	miss := func(name string, err error) { r.Missing = append(r.Missing, Missing{name, reason(err)}) }
	readZones(s.zones, &r, miss)
	s.fan.read(&r, miss)
	r.Alarms = s.rails.alarms(miss)
	readMemory(s.meminfo, &r, miss)
	*k = slowValues{every: k.every, at: now, looked: true, seen: r}
}

package tegra

import (
	"slices"
	"time"
)

// slowValues caches values that frequent readings need not read again: temperatures (one firmware call each, 80 µs on a
// board), fan, used memory, engines, rail alarms and governors. Clocks, loads, power and throttling are always read.
type slowValues struct {
	every  time.Duration // 0: at every reading
	at     time.Duration // device time when they were last read
	looked bool
	seen   Reading // these values only, and which of them are missing
}

// Relax lets Read repeat temperatures, fan, used memory, engines and rail alarms for up to d. At zero, the default,
// every Read reads them.
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
	r.Alarms, r.Pinned = slices.Clone(k.seen.Alarms), slices.Clone(k.seen.Pinned)
	r.Engines = slices.Clone(k.seen.Engines)
	r.Missing = append(r.Missing, k.seen.Missing...)
}

func (k *slowValues) look(s *Sysfs, now time.Duration) {
	r := Reading{T: now}
	miss := func(name string, err error) { r.Missing = append(r.Missing, Missing{name, reason(err)}) }
	readZones(s.zones, &r, miss)
	s.fan.read(&r, miss)
	r.Alarms = s.rails.alarms(miss)
	readMemory(s.meminfo, &r, miss)
	s.readGovernors(&r)
	readEngines(s.engines, &r, miss)
	*k = slowValues{every: k.every, at: now, looked: true, seen: r}
}

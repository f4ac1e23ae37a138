package tegra

import (
	"fmt"
	"slices"
	"time"
)

// SlowClock is a clock that runs below what it was set to (its limits are equal: it is locked) or asked for.
type SlowClock struct {
	Name   string // "CPU core 4", "GPU", "EMC"
	Core   bool   // it is a core's
	Actual Freq
	Asked  Freq
	Locked bool // Asked is what it is locked to
	Capped bool // hardware or firmware allows no more than Actual
}

func (c SlowClock) String() string {
	if c.Locked {
		return fmt.Sprintf("%s clock reads %v where %v is set", c.Name, c.Actual, c.Asked)
	}
	return fmt.Sprintf("%s runs at %v of %v asked", c.Name, c.Actual, c.Asked)
}

// Slowest returns the slowest clock of Slow of the CPU, the GPU or the memory: "CPU", "GPU" or "EMC".
func (r *Reading) Slowest(part string) (worst SlowClock, ok bool) {
	for _, c := range r.Slow {
		if is := c.Name == part || c.Core && part == "CPU"; is && (!ok || c.Actual < worst.Actual) {
			worst, ok = c, true
		}
	}
	return worst, ok
}

const (
	// ClockTolerance is the largest relative difference between a clock and its setting.
	ClockTolerance = 0.03
	// realEvery is the least time between two readings of a policy's real clock: the read runs on that core.
	realEvery = time.Second
	// realSlack lets a reading a second, which may be early by a little, have one.
	realSlack = 50 * time.Millisecond
	// realFile shows the real clock, to root only.
	realFile = "/cpuinfo_cur_freq"
	// A core or a GPU is certainly idle up to idlePct, and certainly at work from busyPct.
	idlePct, busyPct = 5.0, 50.0
)

// behind reports whether a clock is below another by more than the tolerance.
func behind(f, of Freq) bool { return float64(f) < (1-ClockTolerance)*float64(of) }

// realClockOf is the real clock of a policy's cores, as last read. Reading it measures one core's cycles.
type realClockOf struct {
	*source
	is     Val[Freq]
	asked  Val[Freq]     // what the kernel asked for, if that was the same before and after the reading
	due    time.Duration // of the next reading
	soon   time.Duration // earliest time of it
	limits [2]Freq       // in force at the reading
}

// read reads the clock when it is due. When the limits have changed since, the last reading means nothing any more,
// and the next one is due as soon as may be.
func (c *realClockOf) read(p *policy, t, every time.Duration) {
	if limits := [2]Freq{p.now[minClock].Freq, p.now[maxClock].Freq}; limits != c.limits {
		c.is, c.asked, c.limits, c.due = Val[Freq]{}, Val[Freq]{}, limits, c.soon
	}
	if t+realSlack < c.due {
		return
	}
	from := max(c.due, t-realSlack)
	c.due, c.soon = from+every, from+realEvery
	c.is, c.asked = Val[Freq]{}, Val[Freq]{}
	f, err := clock(c.source)
	if err != nil || f == 0 {
		return
	}
	c.is = Some(f)
	before := p.now[curClock]
	if after, err := clock(p.files[curClock]); err == nil && before.err == nil && after == before.Freq {
		c.asked = Some(after)
	}
}

// vague reports whether a clock read is no more than a request of another moment. The driver of Xavier, Orin and Thor
// (tegra194-cpufreq) returns the listed clock of the last request while the core's cycles agree with it to 115 MHz,
// else what the cycles show. A listed clock other than the present request counts only for a core that is certainly at
// work; one that a list lacks is measured by the cycles.
func (p *policy) vague(list []Freq, core CoreReading) bool {
	is, ask := p.real.is, p.now[curClock]
	return is.OK && ask.err == nil && is.V != ask.Freq && core.LoadPct.Or(0) < busyPct &&
		(len(list) == 0 || slices.Contains(list, is.V))
}

// slow returns the core's clock if it does not follow its setting (locked) or its request (free).
func (p *policy) slow(list []Freq, core CoreReading) (SlowClock, bool) {
	ask, c := p.now[curClock], p.real
	locked := core.Min.OK && core.Max.OK && core.Min.V == core.Max.V
	if locked && ask.err == nil && behind(ask.Freq, core.Max.V) {
		return SlowClock{Actual: ask.Freq, Asked: core.Max.V, Locked: true,
			Capped: p.capped(ask.Freq, core.Max.V)}, true
	}
	of := c.asked
	if locked {
		of = core.Max
	}
	if !c.is.OK || !of.OK || !behind(c.is.V, of.V) || core.LoadPct.OK && core.LoadPct.V <= idlePct {
		return SlowClock{}, false
	}
	if p.vague(list, core) {
		return SlowClock{}, false
	}
	return SlowClock{Actual: c.is.V, Asked: of.V, Locked: locked, Capped: p.capped(c.is.V, of.V)}, true
}

func (p *policy) capped(f, asked Freq) bool {
	most := p.now[capClock]
	return most.err == nil && most.Freq < asked && !behind(f, most.Freq)
}

// Judge adds the clocks of GPU and memory that do not follow, and decides what throttled means: a cooling device other
// than a fan is active, or a measured clock is below the set one. A counter that rose is not a state; what its events
// cost is weighed by telemetry.Toll.
func (r *Reading) Judge() {
	known := r.Heat.OK || slices.ContainsFunc(r.Cores, func(c CoreReading) bool { return c.Freq.OK && !c.Requested })
	for _, c := range []struct {
		name string
		ClockReading
	}{{"GPU", r.GPU}, {"EMC", r.EMC}} {
		if !c.Actual.OK || c.Actual.V == 0 || !c.Max.OK {
			continue
		}
		locked := c.Min.OK && c.Min.V == c.Max.V
		asked := c.Max.V
		if !locked {
			asked = min(c.Target.Or(0), c.Max.V)
			if c.LoadPct.Or(0) < busyPct {
				continue
			}
		}
		known = known || c.name == "GPU"
		if behind(c.Actual.V, asked) {
			capped := c.Cap.OK && c.Cap.V < asked && !behind(c.Actual.V, c.Cap.V)
			r.Slow = append(r.Slow, SlowClock{c.name, false, c.Actual.V, asked, locked, capped})
		}
	}
	slow := slices.ContainsFunc(r.Slow, func(c SlowClock) bool { return !c.Capped })
	if r.Throttled = Some(r.Heat.V || slow); !known && !r.Throttled.V {
		r.Throttled = Val[bool]{}
	}
}

// MeasureClocks sets the least time between two readings of a core's real clock, 0: the usual second, and makes one
// due.
func (s *Sysfs) MeasureClocks(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cpu.every = max(every, realEvery)
	for _, c := range s.cpu.cores {
		c.clocks.real.due = min(c.clocks.real.due, c.clocks.real.soon)
	}
}

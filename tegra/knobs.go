package tegra

import (
	"slices"
	"strconv"
)

// limits is one range of clocks; ok if both ends were readable.
type limits struct {
	min, max Freq
	ok       bool
}

// knobs is the content of the four knobs' files at one moment.
type knobs struct {
	online []int    // online cores
	unsure bool     // whether some core is online is unknown
	cpu    []limits // limits of each online core
	gpu    limits
	locked Val[bool] // whether the memory's rate is locked
	rate   Val[Freq]
	cap    Val[Freq] // memory cap; 0: none
}

// rateTolerance is the largest relative deviation of the measured memory clock from the listed rate it is locked to.
const rateTolerance = 0.02

// express returns the mode of the limits, and whether they lock it (minimum = maximum, memory rate locked). The mode is
// absent if the online cores are not the first of the core order, if clusters differ, or if a value is not listed.
func (s *Sysfs) express(k knobs) (mode Val[Mode], locked Val[bool]) {
	pinned := k.gpu.ok && k.gpu.min == k.gpu.max
	for _, l := range k.cpu {
		pinned = pinned && l.ok && l.min == l.max
	}
	switch {
	case !pinned:
		locked = Some(false)
	case k.locked.OK:
		locked = Some(k.locked.V)
	}
	m, ok := s.modeOf(k)
	if ok {
		mode = Some(m)
	}
	return mode, locked
}

func (s *Sysfs) modeOf(k knobs) (Mode, bool) {
	n := len(k.online)
	if k.unsure || n == 0 || n > len(s.cpu.order) || !slices.Equal(ascending(k.online), ascending(s.cpu.order[:n])) {
		return Mode{}, false
	}
	m := Mode{Cores: n, CPU: k.cpu[0].max, GPU: k.gpu.max}
	for _, l := range k.cpu {
		if !l.ok || l.max != m.CPU {
			return Mode{}, false
		}
	}
	if k.gpu.ok {
		s.relistFor(m.CPU, m.GPU)
	}
	if !k.gpu.ok || !slices.Contains(s.cpu.freqs, m.CPU) || !slices.Contains(s.gpu.freqs, m.GPU) {
		return Mode{}, false
	}
	var ok bool
	m.EMC, ok = s.emcOf(k)
	return m, ok
}

// emcOf returns the memory's rate: the locked one, else its cap, else the top.
func (s *Sysfs) emcOf(k knobs) (Freq, bool) {
	if !k.locked.OK || len(s.emc.freqs) == 0 {
		return 0, false
	}
	top := s.emc.top()
	f := k.cap
	if k.locked.V {
		f = k.rate
	}
	switch {
	case !f.OK:
		return 0, false
	case !k.locked.V && (f.V == 0 || top.OK && f.V > top.V):
		return top.V, top.OK
	}
	near := Nearest(s.emc.freqs, f.V)
	return near, float64(abs(near-f.V)) <= rateTolerance*float64(near)
}

// knobsNow takes the knobs from the reading just made.
func (s *Sysfs) knobsNow(r *Reading) knobs {
	k := knobs{online: s.cpu.on, unsure: s.cpu.unsure, cpu: s.cpu.ranges, rate: r.EMC.Actual, locked: s.emc.lockedNow,
		cap: s.emc.capNow}
	k.gpu = limits{r.GPU.Min.V, r.GPU.Max.V, r.GPU.Min.OK && r.GPU.Max.OK}
	return k
}

// knobsOf takes the knobs from a snapshot.
func (s *Sysfs) knobsOf(st State) knobs {
	files := st.byPath()
	var k knobs
	for _, c := range s.cpu.cores {
		if c.online != nil && c.n != 0 {
			switch files[c.online.path] {
			case "0":
				continue
			case "1":
			default:
				k.unsure = true
			}
		}
		dir := s.cpu.dir(c.n)
		k.online = append(k.online, c.n)
		k.cpu = append(k.cpu, rangeOf(files, dir+minFile, dir+maxFile))
	}
	if s.gpu.dir != "" {
		k.gpu = rangeOf(files, s.gpu.min.path, s.gpu.max.path)
	}
	k.rate = clockOf(files, s.emc.setRate)
	if s.emc.locked != nil {
		if v := files[s.emc.locked.path]; v == "0" || v == "1" {
			k.locked = Some(v == "1")
		}
	}
	k.cap = Some(Freq(0))
	if s.emc.cap != nil {
		k.cap = clockOf(files, s.emc.cap.path)
	}
	return k
}

func rangeOf(files map[string]string, min, max string) limits {
	lo, hi := clockOf(files, min), clockOf(files, max)
	return limits{lo.V, hi.V, lo.OK && hi.OK}
}

func clockOf(files map[string]string, path string) Val[Freq] {
	v, err := strconv.ParseInt(files[path], 10, 64)
	if err != nil || v < 0 || v > int64(maxFreq) {
		return Val[Freq]{}
	}
	return Some(ClockOf(v))
}

package tegra

import (
	"fmt"
	"slices"
	"strconv"
)

const cpuRoot = "/sys/devices/system/cpu"

// cpuGroup is the CPU's files: which cores there are, their clocks and limits.
type cpuGroup struct {
	cores []core
	order []int          // core numbers in the order that counts take them
	freqs []Freq         // what every cluster lists, ascending
	lists map[int]string // each core's own list, as last read
	stat  *source
	load  loadMeter

	dirs   map[int]string // see lookAtPolicies
	on     []int          // of the last reading: cores that were online
	ranges []limits       // and the limits of each
	unsure bool           // of some core it could not be told
}

// core is one core with its held files.
type core struct {
	n      int
	online *source // nil: cannot go offline
	clocks *policy
}

// policy is the held clock files of cores that share them.
type policy struct {
	cur, min, max, cap *source
	now                policyClocks
	fresh              bool // now is of the reading that is being made
}

// policyClocks is what a policy's files say at one moment.
type policyClocks struct {
	cur, min, max, cap             Freq
	curErr, minErr, maxErr, capErr error
}

func newPolicy(fsys FS, dir string) *policy {
	return &policy{cur: newSource(fsys, dir+"/scaling_cur_freq"), min: newSource(fsys, dir+minFile),
		max: newSource(fsys, dir+maxFile), cap: newSource(fsys, dir+"/cpuinfo_max_freq")}
}

// read reads the files at the first call after fresh was cleared.
func (p *policy) read() *policyClocks {
	if !p.fresh {
		p.fresh = true
		p.now.cur, p.now.curErr = khz(p.cur)
		p.now.min, p.now.minErr = khz(p.min)
		p.now.max, p.now.maxErr = khz(p.max)
		p.now.cap, p.now.capErr = khz(p.cap)
	}
	return &p.now
}

func corePath(n int, file string) string {
	return cpuRoot + "/cpu" + strconv.Itoa(n) + "/" + file
}

// cpufreqDir is a core's own name for the folder of its policy.
func cpufreqDir(n int) string { return corePath(n, "cpufreq") }

func (f *finder) cpu(fam family) (*cpuGroup, error) {
	path := cpuRoot + "/present"
	text, err := readText(f.fs, path)
	if err != nil {
		return nil, fmt.Errorf("no CPU to control: %w", err)
	}
	present, err := cpuList(text)
	if err != nil || len(present) == 0 {
		return nil, fmt.Errorf("%s: no cores in %q", path, clip(text))
	}
	f.found("present cores", path, "")
	g := &cpuGroup{order: coreOrder(present, fam.cores)}
	shared := map[string]*policy{}
	for _, n := range present {
		place := f.real(cpufreqDir(n)) // a core without a link has files of its own
		if shared[place] == nil {
			shared[place] = newPolicy(f.fs, cpufreqDir(n))
		}
		c := core{n: n, clocks: shared[place]}
		if online := corePath(n, "online"); n != 0 || f.exists(online) {
			c.online = newSource(f.fs, online)
		}
		g.cores = append(g.cores, c)
	}
	g.lists = map[int]string{}
	f.cpuLists(g)
	g.freqs = f.cpuFreqs(g)
	if f.exists("/proc/stat") {
		f.found("CPU load", "/proc/stat", "")
		g.stat = newTable(f.fs, "/proc/stat")
	} else {
		f.missing("CPU load", "/proc/stat", "no such file")
	}
	return g, nil
}

// coreOrder is the family's order when it speaks of exactly these cores.
func coreOrder(present, order []int) []int {
	if slices.Equal(present, ascending(order)) {
		return order
	}
	return present
}

// listPath is where a core's cluster lists its clocks.
func listPath(n int) string { return cpufreqDir(n) + "/scaling_available_frequencies" }

// cpuLists reads every core's list anew. A cluster that is wholly offline has
// none now and keeps the one it had.
func (f *finder) cpuLists(g *cpuGroup) (changed bool) {
	for _, c := range g.cores {
		text, err := readText(f.fs, listPath(c.n))
		if err == nil && text != g.lists[c.n] {
			g.lists[c.n], changed = text, true
		}
	}
	return changed
}

// cpuFreqs gives the clocks that all clusters with a list offer.
func (f *finder) cpuFreqs(g *cpuGroup) []Freq {
	var common []Freq
	from := ""
	for _, c := range g.cores {
		list := freqList(g.lists[c.n], KHz)
		if len(list) == 0 {
			continue
		}
		if from == "" {
			common, from = list, listPath(c.n)
			continue
		}
		common = slices.DeleteFunc(slices.Clone(common), func(q Freq) bool { return !slices.Contains(list, q) })
	}
	name := "CPU frequencies"
	switch {
	case from == "":
		f.missing(name, listPath(g.cores[0].n), "no core lists its clocks")
	case len(common) == 0:
		f.missing(name, from, "the clusters have no clock in common")
	default:
		f.found(name, from, strconv.Itoa(len(common))+" steps")
	}
	return common
}

// isOnline reads the core's own switch; a core without one is on.
func (c *core) isOnline() (bool, error) {
	if c.online == nil {
		return true, nil
	}
	on, err := c.online.flag()
	if err != nil && c.n == 0 {
		return true, nil
	}
	return on && err == nil, err
}

// khz reads a cpufreq file as a clock.
func khz(s *source) (Freq, error) {
	v, err := s.int()
	if err == nil && (v < 0 || v > int64(maxFreq/KHz)) {
		err = fmt.Errorf("%s: %d kHz is no clock", s.path, v)
	}
	return Freq(v) * KHz, err
}

func (g *cpuGroup) read(r *Reading, miss func(string, error)) {
	r.Cores = make([]CoreReading, len(g.cores))
	loads := g.load.percent(g.stat, miss)
	sum, n := 0.0, 0
	g.on, g.ranges, g.unsure = g.on[:0], g.ranges[:0], false
	for i := range g.cores {
		g.cores[i].clocks.fresh = false
	}
	for i := range g.cores {
		c := &g.cores[i]
		on, err := c.isOnline()
		if err != nil {
			miss(fmt.Sprintf("core %d", c.n), err)
			g.unsure = true
		}
		r.Cores[i].Online = on
		if !on {
			continue
		}
		now := c.clocks.read()
		if now.curErr == nil {
			r.Cores[i].Freq = Some(now.cur)
			r.CPU.Actual = Some(max(now.cur, r.CPU.Actual.Or(0)))
		} else {
			miss(fmt.Sprintf("core %d clock", c.n), now.curErr)
		}
		if load, ok := loads[c.n]; ok {
			r.Cores[i].LoadPct = Some(load)
			sum, n = sum+load, n+1
		}
		g.on, g.ranges = append(g.on, c.n), append(g.ranges, limits{now.min, now.max, now.minErr == nil && now.maxErr == nil})
		now.widen(&r.CPU)
	}
	if n > 0 {
		r.CPU.LoadPct = Some(sum / float64(n))
	}
}

// widen widens the CPU's range by one online core's: where clusters differ,
// the slowest minimum and the fastest maximum are shown.
func (p *policyClocks) widen(r *ClockReading) {
	if p.minErr == nil {
		r.Min = Some(min(p.min, r.Min.Or(p.min)))
	}
	if p.maxErr == nil {
		r.Max = Some(max(p.max, r.Max.Or(p.max)))
	}
	if p.capErr == nil {
		r.Cap = Some(max(p.cap, r.Cap.Or(p.cap)))
	}
}

// dir is the folder under which a core's limits are written.
func (g *cpuGroup) dir(n int) string { return g.dirs[n] }

func (g *cpuGroup) close() {
	for _, c := range g.cores {
		for _, s := range []*source{c.online, c.clocks.cur, c.clocks.min, c.clocks.max, c.clocks.cap} {
			s.close()
		}
	}
	g.stat.close()
}

package tegra

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
)

const cpuRoot = "/sys/devices/system/cpu"

// cpuGroup holds the CPU's files: cores, clocks and limits.
type cpuGroup struct {
	cores []core
	order []int             // core numbers in the order in which they come online
	freqs []Freq            // clocks that every cluster lists, ascending
	lists map[int]clockList // each core's own list, as last read
	spare []int             // cores that the scheduler does not fill: isolated, or left off at boot
	first int               // number of cores online at Open
	stat  *source
	load  loadMeter

	dirs   map[int]string // see lookAtPolicies
	on     []int          // cores online at the last reading
	ranges []limits       // their limits
	unsure bool           // whether some core is online is unknown
	every  time.Duration  // between readings of a policy's real clock
}

// core is one core and its open files.
type core struct {
	n      int
	online *source // nil: cannot go offline
	clocks *policy
}

// Files of a cpufreq policy.
const (
	curClock = iota
	minClock
	maxClock
	capClock
	policyFiles
)

// policy holds the clock files that a cluster's cores share.
type policy struct {
	files [policyFiles]*source
	steer *source // governor
	now   policyClocks
	fresh bool // now belongs to the current reading
	real  realClockOf
}

// policyClocks is the content of a policy's files at one moment.
type policyClocks [policyFiles]struct {
	Freq
	err error
}

func newPolicy(fsys FS, dir string) *policy {
	p := new(policy)
	for i, file := range []string{"/scaling_cur_freq", minFile, maxFile, "/cpuinfo_max_freq"} {
		p.files[i] = newSource(fsys, dir+file)
	}
	p.real.source, p.steer = newSource(fsys, dir+realFile), newSource(fsys, dir+governorFile)
	return p
}

// read reads the files once per reading: at the first call after fresh was cleared.
func (p *policy) read(t, every time.Duration) *policyClocks {
	if p.fresh {
		return &p.now
	}
	for i, s := range p.files {
		p.now[i].Freq, p.now[i].err = clock(s)
	}
	p.real.read(p, t, every)
	p.fresh = true
	return &p.now
}

func corePath(n int, file string) string {
	return cpuRoot + "/cpu" + strconv.Itoa(n) + "/" + file
}

// cpufreqDir returns a core's own name for its policy folder.
func cpufreqDir(n int) string { return corePath(n, "cpufreq") }

func (f *finder) cpu(b *Board, fam family) (*cpuGroup, error) {
	path := cpuRoot + "/present"
	raw, err := readText(f.fs, path)
	if err != nil {
		return nil, fmt.Errorf("no CPU to control: %w", err)
	}
	present, err := cpuList(raw)
	if err != nil || len(present) == 0 {
		return nil, fmt.Errorf("%s: no cores in %q", path, text.Clip(raw))
	}
	f.found("present cores", path, "")
	g := &cpuGroup{order: coreOrder(present, fam.cores), every: realEvery}
	shared := map[string]*policy{}
	for _, n := range present {
		place := f.real(cpufreqDir(n)) // a core without a link has its own files
		if shared[place] == nil {
			shared[place] = newPolicy(f.fs, cpufreqDir(n))
		}
		c := core{n: n, clocks: shared[place]}
		if online := corePath(n, "online"); n != 0 || f.exists(online) {
			c.online = newSource(f.fs, online)
		}
		g.cores = append(g.cores, c)
	}
	g.lists = map[int]clockList{}
	f.cpuLists(g)
	b.Reserved = f.reserve(g)
	g.freqs = f.cpuFreqs(g)
	if f.exists("/proc/stat") {
		f.found("CPU load", "/proc/stat", "")
		g.stat = newTable(f.fs, "/proc/stat")
	} else {
		f.missing("CPU load", "/proc/stat", "no such file")
	}
	return g, nil
}

// reserve finds the cores that the kernel's command line keeps from the scheduler, and returns them in words.
func (f *finder) reserve(g *cpuGroup) string {
	var words []string
	isolated, err := readText(f.fs, cpuRoot+"/isolated")
	if list, parseErr := cpuList(isolated); err == nil && parseErr == nil && len(list) > 0 {
		g.spare = append(g.spare, list...)
		words = append(words, "cores "+isolated+" are isolated")
	}
	line, _ := readText(f.fs, "/proc/cmdline")
	most := math.MaxInt
	for word := range strings.FieldsSeq(line) {
		if n, ok := strings.CutPrefix(word, "maxcpus="); ok {
			if v, err := strconv.Atoi(n); err == nil && v > 0 {
				most = v
			}
		}
	}
	var off []int
	for i, c := range g.cores {
		on, _ := c.isOnline()
		if on {
			g.first++
		} else if i >= most {
			off = append(off, c.n)
		}
	}
	if len(off) > 0 {
		g.spare = append(g.spare, off...)
		words = append(words, "cores "+numberList(off)+" were left off at boot (maxcpus)")
	}
	return strings.Join(words, ", ")
}

// counts returns the numbers of cores that modes have: those without a core that the scheduler does not fill, and the
// number that was online at Open.
func (g *cpuGroup) counts() (out []int) {
	for i, n := range g.order {
		if slices.Contains(g.spare, n) {
			break
		}
		out = append(out, i+1)
	}
	if len(g.spare) > 0 && g.first > len(out) {
		out = append(out, g.first)
	}
	return out
}

// coreOrder returns the family's order if it lists exactly the present cores, else ascending order.
func coreOrder(present, order []int) []int {
	if slices.Equal(present, ascending(order)) {
		return order
	}
	return present
}

// clockList is the text of a list of clocks, and what it says.
type clockList struct {
	raw   string
	freqs []Freq
}

// listPath returns the file that lists the clocks of a core's cluster.
func listPath(n int) string { return cpufreqDir(n) + "/scaling_available_frequencies" }

// cpuLists rereads every core's list. A cluster that is fully offline keeps its last list.
func (f *finder) cpuLists(g *cpuGroup) (changed bool) {
	for _, c := range g.cores {
		raw, err := readText(f.fs, listPath(c.n))
		if err == nil && raw != g.lists[c.n].raw {
			g.lists[c.n], changed = clockList{raw, freqList(raw)}, true
		}
	}
	return changed
}

// cpuFreqs returns the clocks that every cluster with a list offers.
func (f *finder) cpuFreqs(g *cpuGroup) []Freq {
	var common []Freq
	from := ""
	for _, c := range g.cores {
		list := g.lists[c.n].freqs
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

// isOnline reads the core's online switch; a core without one is always on.
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
		now := c.clocks.read(r.T, g.every)
		if load, ok := loads[c.n]; ok {
			r.Cores[i].LoadPct = Some(load)
			sum, n = sum+load, n+1
		}
		lo, hi := now[minClock], now[maxClock]
		r.Cores[i].Min = Val[Freq]{V: lo.Freq, OK: lo.err == nil}
		r.Cores[i].Max = Val[Freq]{V: hi.Freq, OK: hi.err == nil}
		switch cur := now[curClock]; {
		case c.clocks.real.is.OK:
			r.Cores[i].Freq = c.clocks.real.is
		case cur.err == nil:
			r.Cores[i].Freq, r.Cores[i].Requested = Some(cur.Freq), true
		default:
			miss(fmt.Sprintf("core %d clock", c.n), cur.err)
		}
		if f := r.Cores[i].Freq; f.OK {
			r.CPU.Actual = Some(max(f.V, r.CPU.Actual.Or(0)))
		}
		if slow, ok := c.clocks.slow(g.lists[c.n].freqs, r.Cores[i]); ok {
			slow.Core, slow.Name = true, fmt.Sprintf("CPU core %d", c.n)
			r.Slow = append(r.Slow, slow)
		} else {
			r.Cores[i].Vague = c.clocks.vague(g.lists[c.n].freqs, r.Cores[i])
		}
		g.on, g.ranges = append(g.on, c.n), append(g.ranges, limits{lo.Freq, hi.Freq, lo.err == nil && hi.err == nil})
		now.widen(&r.CPU)
	}
	if n > 0 {
		r.CPU.LoadPct = Some(sum / float64(n))
	}
}

// widen extends the CPU's range by one online core's: if clusters differ, the lowest minimum and the highest maximum
// count.
func (p *policyClocks) widen(r *ClockReading) {
	if lo := p[minClock]; lo.err == nil {
		r.Min = Some(min(lo.Freq, r.Min.Or(lo.Freq)))
	}
	if hi := p[maxClock]; hi.err == nil {
		r.Max = Some(max(hi.Freq, r.Max.Or(hi.Freq)))
	}
	if most := p[capClock]; most.err == nil {
		r.Cap = Some(max(most.Freq, r.Cap.Or(most.Freq)))
	}
}

// dir returns the folder under which a core's limits are written.
func (g *cpuGroup) dir(n int) string { return g.dirs[n] }

func (g *cpuGroup) close() {
	for _, c := range g.cores {
		for _, s := range append(c.clocks.files[:], c.online, c.clocks.real.source, c.clocks.steer) {
			s.close()
		}
	}
	g.stat.close()
}

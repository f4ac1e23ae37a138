package nvpmodel

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
)

// Target is a power mode in nvpmodel's terms.
type Target struct {
	CoresOn []int // indices of the online cores, including core 0
	CPUKHz  int64
	GPUHz   int64
	EMCHz   int64            // 0: no cap
	Masks   map[string]int64 // power-gate masks in force by argument name; keeping them avoids a reboot
	Like    *int             // id of the mode that other parameters are taken from; nil: the nearest
}

var modeName = regexp.MustCompile(`^[A-Z0-9][A-Z0-9_]*$`)

// Block prints a POWER_MODEL section for t with the configuration's parameter names, the next free id, and name. It
// pins CPU and GPU (min = max); nvpmodel can only cap the memory. Parameters that depend on the module, such as current
// limits and the clocks of the DLA, come from the nearest mode; a comment names it. The section belongs before
// PM_CONFIG.
func Block(c *Config, t Target, name string) (string, error) {
	name = strings.ToUpper(strings.TrimSpace(name))
	if !modeName.MatchString(name) {
		return "", fmt.Errorf("mode name %q: want letters, digits and _ without spaces", text.Clip(name))
	}
	id := 0
	for _, m := range c.Modes {
		if strings.EqualFold(m.Name, name) {
			return "", fmt.Errorf("mode name %s is taken by id %d; choose another", name, m.ID)
		}
		id = max(id, m.ID+1)
	}
	w := blockWriter{c: c, t: t}
	if err := w.check(); err != nil {
		return "", err
	}
	w.choose()
	fmt.Fprintf(&w.out, "< POWER_MODEL ID=%d NAME=%s >\n", id, name)
	for _, k := range []kind{cores, masks, powerOn, cpuClock, gpuClock, powerOff, emcClock, other} {
		w.section(k)
	}
	return w.out.String(), nil
}

// choose picks the template and writes which it is, and where those that could be differ in a current limit.
func (w *blockWriter) choose() {
	list, contained := w.c.Templates(w.t)
	if len(list) == 0 {
		return
	}
	w.template = list[0]
	for _, m := range list {
		if w.t.Like != nil && m.ID == *w.t.Like {
			w.template = m
		}
	}
	why := "the smallest mode that contains it"
	switch {
	case !contained:
		why = "the largest mode: none contains it"
	case w.template.ID != list[0].ID:
		why = "as chosen"
	}
	if !slices.ContainsFunc(w.template.Settings, func(s Setting) bool {
		p, _ := w.c.param(s.Param)
		return p.kind() == other
	}) {
		return
	}
	fmt.Fprintf(&w.out, "# current limits and other parameters: from %s, %s\n", w.template, why)
	for _, s := range w.c.CurrentLimits(w.template) {
		var others []string
		for _, m := range list {
			if v, ok := w.c.value(m, s.Param, s.Arg); ok && v != s.Value {
				others = append(others, v+" in "+m.String())
			}
		}
		if len(others) > 0 {
			fmt.Fprintf(&w.out, "# %s %s is %s here, %s\n", s.Param, s.Arg, s.Value, strings.Join(others, ", "))
		}
	}
}

// Templates lists the modes whose other parameters suit t, the smallest first: those that contain its cores and clocks,
// else the largest alone.
func (c *Config) Templates(t Target) (list []Mode, contained bool) {
	list = slices.Clone(c.Modes)
	slices.SortStableFunc(list, func(a, b Mode) int { return cmp.Compare(c.size(a), c.size(b)) })
	within := slices.DeleteFunc(slices.Clone(list), func(m Mode) bool { return !c.contains(m, t) })
	if len(within) > 0 || len(list) == 0 {
		return within, true
	}
	return list[len(list)-1:], false
}

// Caps returns the largest clocks of CPU, GPU and memory that a mode allows, in Hz; infinite without a limit.
func (c *Config) Caps(m Mode) (clocks [3]float64) {
	most := func(v *int64) float64 {
		if v == nil || *v <= 0 {
			return math.Inf(1)
		}
		return float64(*v)
	}
	ranges := slices.Collect(maps.Values(c.CPU(m)))
	if len(ranges) == 0 {
		ranges = []Range{{}}
	}
	for _, r := range ranges {
		clocks[0] = max(clocks[0], 1000*most(r.Max))
	}
	gpu, _ := c.GPU(m)
	emc, _ := c.EMC(m)
	clocks[1], clocks[2] = most(gpu.Max), most(&emc)
	return clocks
}

func (t Target) clocks() [3]float64 {
	emc := float64(t.EMCHz)
	if t.EMCHz == 0 {
		emc = math.Inf(1)
	}
	return [3]float64{1000 * float64(t.CPUKHz), float64(t.GPUHz), emc}
}

// contains reports whether t has no more cores than a mode, and no higher clocks. Clocks within a thousandth are equal:
// a mode's are not always listed ones.
func (c *Config) contains(m Mode, t Target) bool {
	on, _ := c.Cores(m)
	clocks := c.Caps(m)
	for i, v := range t.clocks() {
		if v*0.999 > clocks[i] {
			return false
		}
	}
	return len(on) == 0 || !slices.ContainsFunc(t.CoresOn, func(n int) bool { return !slices.Contains(on, n) })
}

// size measures a mode in octaves of cores and clocks.
func (c *Config) size(m Mode) float64 {
	on, _ := c.Cores(m)
	octaves := math.Log2(float64(max(1, len(on))))
	for _, v := range c.Caps(m) {
		octaves += math.Log2(min(v, 1e10)) // above any clock
	}
	return octaves
}

// CurrentLimits lists a mode's settings of the power monitor.
func (c *Config) CurrentLimits(m Mode) (list []Setting) {
	for _, s := range m.Settings {
		if p, ok := c.param(s.Param); ok && p.Type == "HWMON" {
			list = append(list, s)
		}
	}
	return list
}

func (c *Config) value(m Mode, param, arg string) (string, bool) {
	i := slices.IndexFunc(m.Settings, func(s Setting) bool { return s.Param == param && s.Arg == arg })
	if i < 0 {
		return "", false
	}
	return m.Settings[i].Value, true
}

type blockWriter struct {
	c        *Config
	t        Target
	template Mode
	out      strings.Builder
}

func (w *blockWriter) check() error {
	if len(w.t.CoresOn) == 0 || w.t.CPUKHz <= 0 || w.t.GPUHz <= 0 || w.t.EMCHz < 0 {
		return fmt.Errorf("power mode is incomplete: %d cores, CPU %d kHz, GPU %d Hz, memory %d Hz", len(w.t.CoresOn),
			w.t.CPUKHz, w.t.GPUHz, w.t.EMCHz)
	}
	have := map[kind]bool{}
	declared := map[int]bool{0: true}
	for _, p := range w.c.Params {
		k := p.kind()
		clock := k == cpuClock || k == gpuClock || k == emcClock
		have[k] = have[k] || !clock || p.arg(maxFreq)
		for _, a := range p.Args {
			if n, ok := coreIndex(strings.TrimSuffix(a.Name, newer)); ok {
				declared[n] = true
			}
		}
	}
	for k, what := range map[kind]string{cores: "cores (CORE_n)", cpuClock: "CPU clock", gpuClock: "GPU clock",
		emcClock: "EMC clock"} {
		if !have[k] {
			return fmt.Errorf("nvpmodel configuration declares no parameter for %s: cannot write a mode for it", what)
		}
	}
	for _, n := range w.t.CoresOn {
		if !declared[n] {
			return fmt.Errorf("nvpmodel configuration declares no CORE_%d", n)
		}
	}
	return nil
}

func (w *blockWriter) section(k kind) {
	for _, p := range w.c.Params {
		if p.kind() != k {
			continue
		}
		switch k {
		case cores:
			w.cores(p)
		case masks:
			w.masks(p)
		case powerOn:
			w.power(p, "on")
		case powerOff:
			w.power(p, "auto")
		case cpuClock:
			if slices.Contains(w.t.CoresOn, p.leader()) {
				w.pin(p, w.t.CPUKHz)
			}
		case gpuClock:
			w.pin(p, w.t.GPUHz)
		case emcClock:
			w.line(p, maxFreq, w.emcCap())
		case other:
			w.copied(p)
		}
	}
}

// line writes a setting if the configuration declares it.
func (w *blockWriter) line(p Param, arg string, v int64) {
	if !p.arg(arg) {
		return
	}
	fmt.Fprintf(&w.out, "%s %s %d\n", p.Name, arg, v)
}

func (w *blockWriter) pin(p Param, v int64) {
	w.line(p, minFreq, v)
	w.line(p, maxFreq, v)
}

func (w *blockWriter) cores(p Param) {
	for _, name := range p.argNames() {
		n, ok := coreIndex(name)
		if !ok {
			continue
		}
		on := int64(0)
		if n == 0 || slices.Contains(w.t.CoresOn, n) {
			on = 1
		}
		w.line(p, name, on)
	}
}

func (w *blockWriter) masks(p Param) {
	fallback := w.c.Masks(w.template)
	for _, name := range p.argNames() {
		v, ok := w.t.Masks[name]
		if !ok {
			v, ok = fallback[name]
		}
		if ok {
			w.line(p, name, v)
		}
	}
}

func (w *blockWriter) power(p Param, value string) {
	for _, name := range p.argNames() {
		fmt.Fprintf(&w.out, "%s %s %s\n", p.Name, name, value)
	}
}

func (w *blockWriter) copied(p Param) {
	for _, s := range w.template.Settings {
		if s.Param == p.Name {
			fmt.Fprintf(&w.out, "%s %s %s\n", s.Param, s.Arg, s.Value)
		}
	}
}

// emcCap returns "no cap" as this file's modes write it: 0, or -1 since L4T 36.
func (w *blockWriter) emcCap() int64 {
	if w.t.EMCHz > 0 {
		return w.t.EMCHz
	}
	for _, m := range w.c.Modes {
		if v, ok := w.c.EMC(m); ok && v == NoLimit {
			return NoLimit
		}
	}
	return 0
}

// argNames lists the names that modes use, without those of newer kernels.
func (p Param) argNames() []string {
	var out []string
	for _, a := range p.Args {
		name := strings.TrimSuffix(a.Name, newer)
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// String names a mode in messages.
func (m Mode) String() string { return m.Name + " (id " + strconv.Itoa(m.ID) + ")" }

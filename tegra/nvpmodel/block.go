package nvpmodel

import (
	"fmt"
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
}

var modeName = regexp.MustCompile(`^[A-Z0-9][A-Z0-9_]*$`)

// Block prints a POWER_MODEL section for t with the configuration's parameter names, the next free id, and name. It
// pins CPU and GPU (min = max); nvpmodel can only cap the memory. Other engines, such as the DLA, get the limits of the
// mode whose masks are nearest to t's. The section belongs before PM_CONFIG.
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
	w := blockWriter{c: c, t: t, template: c.templateFor(t.Masks)}
	if err := w.check(); err != nil {
		return "", err
	}
	fmt.Fprintf(&w.out, "< POWER_MODEL ID=%d NAME=%s >\n", id, name)
	for _, k := range []kind{cores, masks, powerOn, cpuClock, gpuClock, powerOff, emcClock, other} {
		w.section(k)
	}
	return w.out.String(), nil
}

// templateFor returns the mode whose masks need no reboot, else the first mode.
func (c *Config) templateFor(inForce map[string]int64) Mode {
	for _, m := range c.Modes {
		if !NeedsReboot(inForce, c.Masks(m)) {
			return m
		}
	}
	if len(c.Modes) > 0 {
		return c.Modes[0]
	}
	return Mode{}
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

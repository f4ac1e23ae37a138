package tegra

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/lazyregexp"
	"jtune/internal/text"
	"jtune/tegra/nvpmodel"
)

const confPath = "/etc/nvpmodel.conf"

// PresetFile holds the id of the preset that nvpmodel set last and sets again at boot.
const PresetFile = "/var/lib/nvpmodel/status"

// configuration reads the device's nvpmodel.conf; nil if there is none.
func (f *finder) configuration() *nvpmodel.Config {
	data, err := f.fs.ReadFile(confPath)
	if err != nil {
		f.missing("presets", confPath, reason(err))
		return nil
	}
	conf, err := nvpmodel.Parse(bytes.NewReader(data))
	if err != nil {
		f.missing("presets", confPath, text.Clip(err.Error()))
		return nil
	}
	note := strconv.Itoa(len(conf.Modes)) + " modes"
	if n := len(conf.Errors); n > 0 {
		note += ", " + strconv.Itoa(n) + " lines not understood, first: line " + strconv.Itoa(conf.Errors[0].Line) +
			": " +
			conf.Errors[0].Message
	}
	f.found("presets", confPath, note)
	return conf
}

// presets converts the configuration's modes to limits on this board's lists. It omits modes that name a core set or
// clock the board lacks.
func (f *finder) presets(conf *nvpmodel.Config, s *Sysfs) []Preset {
	if conf == nil || s.space.product() == 0 {
		return nil
	}
	inForce := f.masksInForce(conf)
	var out []Preset
	for _, m := range conf.Modes {
		p := Preset{ID: m.ID, Name: m.Name, Default: conf.Default != nil && *conf.Default == m.ID}
		mode, minCPU, minGPU, why := s.presetMode(conf, m)
		if why != "" {
			f.missing("preset "+m.Name, confPath, why)
			continue
		}
		p.Mode, p.NeedsReboot = mode, nvpmodel.NeedsReboot(inForce, conf.Masks(m))
		p.MinCPU, p.MinGPU = minCPU, minGPU
		out = append(out, p)
	}
	return out
}

// presetMode returns the preset's limits: its core count, the fastest maximum of its clusters, and the listed clocks
// nearest to its own, as nvpmodel chooses them. A knob that the preset leaves open gets its largest value. minCPU and
// minGPU are its lower clock limits; 0 means the lowest.
func (s *Sysfs) presetMode(conf *nvpmodel.Config, m nvpmodel.Mode) (out Mode, minCPU, minGPU Freq, why string) {
	out = s.space.Max()
	if on, off := conf.Cores(m); len(on)+len(off) > 0 {
		on = slices.DeleteFunc(on, func(n int) bool { return !slices.Contains(s.cpu.order, n) })
		if len(on) == 0 || len(on) > len(s.cpu.order) || !slices.Equal(on, ascending(s.cpu.order[:len(on)])) {
			return Mode{}, 0, 0, "its cores are no count of cores on this board"
		}
		out.Cores = len(on)
	}
	var cpu int64
	for _, r := range conf.CPU(m) {
		if r.Min != nil && *r.Min > 0 {
			minCPU = max(minCPU, Nearest(s.space.CPU, Freq(min(*r.Min, maxFreq.KHz()))*KHz))
		}
		if r.Max != nil && cpu >= 0 {
			if cpu = max(cpu, *r.Max); *r.Max < 0 {
				cpu = -1
			}
		}
	}
	if cpu > 0 {
		out.CPU = Nearest(s.space.CPU, Freq(min(cpu, maxFreq.KHz()))*KHz)
	}
	r, _ := conf.GPU(m)
	if r.Max != nil && *r.Max > 0 {
		out.GPU = Nearest(s.space.GPU, Freq(*r.Max))
	}
	if r.Min != nil && *r.Min > 0 {
		minGPU = Nearest(s.space.GPU, Freq(*r.Min))
	}
	out.EMC = s.emc.top().Or(0) // 0 marks an unknown top rate, which only root can read
	if v, ok := conf.EMC(m); ok && v > 0 {
		out.EMC = Nearest(s.space.EMC, Freq(v))
	}
	return out, min(minCPU, out.CPU), min(minGPU, out.GPU), ""
}

// Nearest returns the listed frequency nearest to f.
func Nearest(list []Freq, f Freq) Freq {
	return slices.MinFunc(list, func(a, b Freq) int { return cmp.Compare(abs(a-f), abs(b-f)) })
}

// masksInForce reads the power-gate masks; if only root may, it takes those of the mode set last.
func (f *finder) masksInForce(conf *nvpmodel.Config) map[string]int64 {
	out := map[string]int64{}
	for name, paths := range conf.MaskPaths() {
		for _, path := range paths {
			text, err := readText(f.fs, path)
			if err != nil {
				continue
			}
			if v, err := strconv.ParseInt(text, 0, 64); err == nil {
				out[name] = v
				break
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	text, _ := readText(f.fs, PresetFile)
	if id := PresetIn(text); id.OK {
		if m, ok := conf.Mode(id.V); ok {
			return conf.Masks(m)
		}
	}
	return out
}

// presetStatus matches PresetFile: "pmode:0002", followed by more words on some releases.
var presetStatus = lazyregexp.New(`^pmode:([0-9]{1,6})(?:\s|$)`)

// PresetIn returns the preset id in the content of PresetFile.
func PresetIn(text string) Val[int] {
	m := presetStatus.FindStringSubmatch(text)
	if m == nil {
		return Val[int]{}
	}
	id, err := strconv.Atoi(m[1])
	return Val[int]{id, err == nil}
}

// withPreset returns the content of PresetFile with another id.
func withPreset(text string, id int) string {
	_, rest, more := strings.Cut(text, " ")
	if more {
		rest = " " + rest
	}
	return fmt.Sprintf("pmode:%04d%s", id, rest)
}

// PresetID returns the id of the preset that nvpmodel set last; absent if the file does not name one.
func (s *Sysfs) PresetID() Val[int] {
	text, err := readText(s.fs, PresetFile)
	if err != nil {
		return Val[int]{}
	}
	return PresetIn(text)
}

// NVPModelBlock prints a mode as a POWER_MODEL section for this device's nvpmodel.conf. It uses the power-gate masks in
// force, so the mode applies without a reboot.
func (s *Sysfs) NVPModelBlock(m Mode, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conf == nil {
		return "", errNoConfiguration
	}
	m, err := s.space.Snap(m)
	if err != nil {
		return "", err
	}
	t := nvpmodel.Target{CoresOn: ascending(s.cpu.order[:m.Cores]), CPUKHz: m.CPU.KHz(), GPUHz: int64(m.GPU),
		EMCHz: int64(m.EMC), Masks: s.masks}
	if s.emc.top() == Some(m.EMC) {
		t.EMCHz = 0
	}
	return nvpmodel.Block(s.conf, t, name)
}

package tegra

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
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
	if id := conf.Default; id != nil && len(conf.Modes) > 0 {
		if _, ok := conf.Mode(*id); !ok {
			note += fmt.Sprintf(", none has the id %d of DEFAULT", *id)
		}
	}
	if len(conf.Modes) == 0 {
		f.missing("presets", confPath, note)
	} else {
		f.found("presets", confPath, note)
	}
	return conf
}

// presets converts the configuration's modes to limits on this board's lists. A mode that this board cannot be set to
// is in the second list, with the reason.
func (f *finder) presets(conf *nvpmodel.Config, s *Sysfs) (out []Preset, unusable []Unusable) {
	if conf == nil || s.space.product() == 0 {
		return nil, nil
	}
	inForce := f.masksInForce(conf)
	for _, m := range conf.Modes {
		u := Unusable{ID: m.ID, Name: m.Name}
		if u.Why = f.lacking(conf, m, s); u.Why != "" {
			u.Foreign = true
		} else if on, off := conf.Cores(m); len(on)+len(off) > 0 && !s.countable(on) {
			u.Why = fmt.Sprintf("it turns on cores %s, and jtune counts cores from %d on: nvpmodel -m %d sets it",
				numberList(on), s.cpu.order[0], m.ID)
		} else if clocks := s.clusterClocks(conf, m); len(clocks) > 1 {
			u.Why = fmt.Sprintf("it limits clusters to different clocks, %v and %v, and jtune sets one for all: "+
				"nvpmodel -m %d sets it", clocks[0], clocks[len(clocks)-1], m.ID)
		}
		if u.Why != "" {
			f.missing("preset "+m.Name, confPath, u.Why)
			unusable = append(unusable, u)
			continue
		}
		p := s.presetOn(conf, m)
		if note := between(p.Mode, conf.Caps(m)); note != "" {
			f.found("preset "+m.Name, confPath, note)
		}
		p.Default = conf.Default != nil && *conf.Default == m.ID
		p.NeedsReboot = nvpmodel.NeedsReboot(inForce, conf.Masks(m))
		out = append(out, p)
	}
	return out, unusable
}

// lacking names the cores and clock files of a mode that this board does not have; "" if it has all. nvpmodel fails on
// such a mode.
func (f *finder) lacking(conf *nvpmodel.Config, m nvpmodel.Mode, s *Sysfs) string {
	absent := func(n int) bool { return !slices.Contains(s.cpu.order, n) }
	on, off := conf.Cores(m)
	cores := slices.DeleteFunc(slices.AppendSeq(slices.Concat(on, off), maps.Keys(conf.Clusters(m))),
		func(n int) bool { return !absent(n) })
	cores = slices.Compact(ascending(cores))
	var what string
	if len(cores) > 0 {
		what = "cores " + numberList(cores)
	} else if paths := conf.GPUPaths(m); s.gpu.dir != "" && len(paths) > 0 && !slices.ContainsFunc(paths, f.exists) {
		what = paths[0]
	}
	if what == "" {
		return ""
	}
	return "it sets " + what + ", which this board does not have: the file belongs to another board"
}

// clusterClocks returns the distinct maxima, ascending, that a mode sets for the clusters whose cores it turns on.
func (s *Sysfs) clusterClocks(conf *nvpmodel.Config, m nvpmodel.Mode) (clocks []Freq) {
	_, off := conf.Cores(m)
	for leader, r := range conf.Clusters(m) {
		if r.Max != nil && !slices.Contains(off, leader) {
			clocks = append(clocks, nearestClock(s.space.CPU, *r.Max, KHz))
		}
	}
	slices.Sort(clocks)
	return slices.Compact(clocks)
}

// countable reports whether cores, ascending, are the first of the order in which jtune turns cores on.
func (s *Sysfs) countable(cores []int) bool {
	return len(cores) > 0 && slices.Equal(cores, ascending(s.cpu.order[:len(cores)]))
}

func numberList(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// between says which limits of a mode are not the listed clocks that they become; "" if all are.
func between(m Mode, caps [3]float64) string {
	var notes []string
	for i, v := range caps {
		k := KnobCPU + Knob(i)
		if is := m.Value(k); !math.IsInf(v, 1) && is > 0 && math.Abs(v-is) > is/1000 {
			notes = append(notes, fmt.Sprintf("%s limit %v is not listed: %v", k, Freq(v), Freq(is)))
		}
	}
	return strings.Join(notes, ", ")
}

// presetOn returns the preset's limits: its core count, the maximum of its clusters, and the listed clocks nearest to
// its own, as nvpmodel chooses them: 2000000 kHz of a TX2 becomes 2035200 (recorded). The memory has no table of
// nvpmodel's: the firmware keeps to the highest rate within the cap. A maximum that the preset leaves open, or sets to
// NoLimit, is the largest value, as is a minimum of NoLimit (UNVERIFIED on a board); a minimum that it leaves open is
// the lowest.
func (s *Sysfs) presetOn(conf *nvpmodel.Config, m nvpmodel.Mode) Preset {
	p := Preset{ID: m.ID, Name: m.Name, Mode: s.space.Max()}
	if on, _ := conf.Cores(m); len(on) > 0 {
		p.Mode.Cores = len(on)
	}
	for _, r := range conf.CPU(m) {
		if r.Min != nil && *r.Min != 0 {
			p.MinCPU = max(p.MinCPU, nearestClock(s.space.CPU, *r.Min, KHz))
		}
	}
	if clocks := s.clusterClocks(conf, m); len(clocks) > 0 {
		p.Mode.CPU = clocks[0]
	}
	r, _ := conf.GPU(m)
	if r.Max != nil && *r.Max != 0 {
		p.Mode.GPU = nearestClock(s.space.GPU, *r.Max, Hz)
	}
	if r.Min != nil && *r.Min != 0 {
		p.MinGPU = nearestClock(s.space.GPU, *r.Min, Hz)
	}
	p.Mode.EMC = s.emc.top().Or(0) // 0 marks an unknown top rate, which only root can read
	if v, ok := conf.EMC(m); ok && v > 0 {
		p.Mode.EMC = atMost(s.space.EMC, Freq(v))
	}
	p.MinCPU, p.MinGPU = min(p.MinCPU, p.Mode.CPU), min(p.MinGPU, p.Mode.GPU)
	return p
}

// nearestClock returns the listed clock nearest to a value of the configuration; NoLimit means the top.
func nearestClock(list []Freq, v int64, unit Freq) Freq {
	if v < 0 {
		return list[len(list)-1]
	}
	return Nearest(list, Freq(min(v, int64(maxFreq/unit)))*unit)
}

// atMost returns the highest listed frequency up to f, else the lowest.
func atMost(list []Freq, f Freq) Freq {
	i, _ := slices.BinarySearch(list, f+f/1000+1)
	return list[max(0, i-1)]
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

// WithPreset returns the content of PresetFile with another id.
func WithPreset(text string, id int) string {
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
	return s.NVPModelBlockLike(m, name, Val[int]{})
}

// NVPModelBlockLike is NVPModelBlock with what depends on the module taken from the mode with an id; absent: the
// nearest.
func (s *Sysfs) NVPModelBlockLike(m Mode, name string, like Val[int]) (string, error) {
	t, err := s.targetOf(m)
	if err != nil {
		return "", err
	}
	if like.OK {
		t.Like = &like.V
	}
	return nvpmodel.Block(s.conf, t, name)
}

// CurrentLimits lists the modes that could be the template of an exported mode and differ in a current limit, with
// their limits; the nearest is first.
func (s *Sysfs) CurrentLimits(m Mode) (out []Template, err error) {
	t, err := s.targetOf(m)
	if err != nil {
		return nil, err
	}
	list, _ := s.conf.Templates(t)
	for _, m := range list {
		var limits []string
		for _, l := range s.conf.CurrentLimits(m) {
			limits = append(limits, l.Param+" "+l.Arg+" "+l.Value)
		}
		own := Template{m.ID, m.Name, strings.Join(limits, ", ")}
		if !slices.ContainsFunc(out, func(o Template) bool { return o.Limits == own.Limits }) {
			out = append(out, own)
		}
	}
	return out, nil
}

// Template is a mode whose current limits an exported mode may take.
type Template struct {
	ID           int
	Name, Limits string
}

// targetOf returns a mode in nvpmodel's terms.
func (s *Sysfs) targetOf(m Mode) (nvpmodel.Target, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conf == nil {
		return nvpmodel.Target{}, errNoConfiguration
	}
	m, err := s.space.Snap(m)
	if err != nil {
		return nvpmodel.Target{}, err
	}
	t := nvpmodel.Target{CoresOn: ascending(s.cpu.order[:m.Cores]), CPUKHz: m.CPU.KHz(), GPUHz: int64(m.GPU),
		EMCHz: int64(m.EMC), Masks: s.masks}
	if s.emc.top() == Some(m.EMC) {
		t.EMCHz = 0
	}
	return t, nil
}

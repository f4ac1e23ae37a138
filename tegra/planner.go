package tegra

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// State is the content of every file that setting a mode touches.
type State struct {
	Files []StateFile `json:"files"`
}

// StateFile is one knob file and its content.
type StateFile struct {
	Path  string `json:"path"`
	Value string `json:"value"` // without the final newline
}

// Get returns the content of a file.
func (st State) Get(path string) (string, bool) {
	for _, f := range st.Files {
		if f.Path == path {
			return f.Value, true
		}
	}
	return "", false
}

// Add copies the files of more that st lacks and returns how many it copied.
func (st *State) Add(more State) (added int) {
	known := st.byPath()
	for _, f := range more.Files {
		if _, ok := known[f.Path]; !ok {
			st.Files = append(st.Files, f)
			added++
		}
	}
	return added
}

func (st State) byPath() map[string]string {
	out := make(map[string]string, len(st.Files))
	for _, f := range st.Files {
		out[f.Path] = f.Value
	}
	return out
}

// SettingName returns the short name of a knob file, such as cpu4/cpufreq/scaling_max_freq.
func SettingName(file string) string {
	if short, ok := strings.CutPrefix(file, cpuRoot+"/"); ok {
		return short
	}
	return path.Base(path.Dir(file)) + "/" + path.Base(file)
}

func (st *State) put(path, value string) {
	i := slices.IndexFunc(st.Files, func(f StateFile) bool { return f.Path == path })
	if i < 0 {
		st.Files = append(st.Files, StateFile{path, value})
		return
	}
	st.Files[i].Value = value
}

// putClock stores a clock in the unit of the number that the file holds now; the usual one if it holds none.
func (st *State) putClock(now State, path string, f, usual Freq) {
	text, _ := now.Get(path)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil && v > 0 {
		usual = ClockOf(v) / Freq(v)
	}
	st.put(path, f.In(usual))
}

// Write is one step of setting a mode.
type Write struct {
	Knob    string // "core 3", "CPU 0 max", "EMC rate", …
	Path    string
	Value   string
	Loose   bool // intermediate step: a different read-back is no error
	Enables bool // makes other files appear or change: a core coming online, a preset
}

// Planner knows the files behind a mode and the safe order of writing them. It only reads; the guard writes.
type Planner struct{ s *Sysfs }

// begin locks the board for one operation; the result unlocks it.
func (c *Planner) begin() (end func()) {
	c.s.mu.Lock()
	c.s.lookAtPolicies()
	return c.s.mu.Unlock
}

const (
	minFile = "/scaling_min_freq"
	maxFile = "/scaling_max_freq"

	gpuMin       = "/min_freq" // of any devfreq folder
	gpuMax       = "/max_freq"
	governorFile = "/scaling_governor"
	gpuGovernor  = "/governor"
	cpuGovernors = "/scaling_available_governors"
	gpuGovernors = "/available_governors"
)

// Snapshot reads every file that setting a mode may write, except the fan's. It omits files that are unreadable (a
// policy whose cores are offline) or implausible. It returns ErrUnsupported if nothing could set the knobs.
func (c *Planner) Snapshot() (State, error) {
	defer c.begin()()
	st := c.read(c.paths())
	if _, ok := st.Get(c.s.cpu.dir(0) + maxFile); !ok && c.s.cpu.cores[0].n == 0 {
		return st, fmt.Errorf("the limits of core 0 cannot be read: %w", ErrUnsupported)
	}
	return st, nil
}

// Settings reads the files of Snapshot that hold a setting, to compare them later. A locked memory rate is the listed
// one that it means; the rate of a free memory clock is only a reading, and left out.
func (c *Planner) Settings() State {
	defer c.begin()()
	st := c.read(c.paths())
	files, emc := st.byPath(), c.s.emc
	if emc.setRate == "" {
		return st
	}
	if emc.locked == nil || files[emc.locked.path] != "1" {
		st.Files = slices.DeleteFunc(st.Files, func(f StateFile) bool { return f.Path == emc.setRate })
		return st
	}
	if v, ok := c.s.emcOf(c.s.knobsOf(st)); ok {
		st.put(emc.setRate, v.In(Hz))
	}
	return st
}

// Fan reads the files that a fan policy changes.
func (c *Planner) Fan() State {
	defer c.begin()()
	fan := c.s.fan
	if fan.pwm == nil {
		return State{}
	}
	if fan.control == "" {
		return c.read([]string{fan.pwm.path})
	}
	return c.read([]string{fan.pwm.path, fan.control})
}

func (c *Planner) read(paths []string) State {
	var st State
	for _, name := range paths {
		if text, err := readText(c.s.fs, name); err == nil && plausible(name, text) {
			st.Files = append(st.Files, StateFile{name, text})
		}
	}
	return st
}

// plausible reports whether a knob's value can be restored: a switch is 0 or 1, a governor or power control a word,
// everything else a number.
func plausible(file, text string) bool {
	switch path.Base(file) {
	case "online":
		return text == "0" || text == "1"
	case path.Base(PresetFile):
		return PresetIn(text).OK
	case path.Base(governorFile), path.Base(gpuGovernor), path.Base(gpuPower):
		other := func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		return text != "" && len(text) <= 32 && !strings.ContainsFunc(text, other)
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// paths lists the knob files, each under the one name that is written.
func (c *Planner) paths() []string {
	var out []string
	for _, core := range c.s.cpu.cores {
		if core.n != 0 {
			out = append(out, core.online.path)
		}
	}
	for _, core := range c.s.cpu.cores {
		if dir := c.s.cpu.dir(core.n); !slices.Contains(out, dir+minFile) {
			out = append(out, dir+minFile, dir+maxFile, dir+governorFile)
		}
	}
	if c.s.gpu.dir != "" {
		out = append(out, c.s.gpu.min.path, c.s.gpu.max.path, c.s.gpu.dir+gpuGovernor)
	}
	if c.s.gpu.device != "" {
		out = append(out, c.s.gpu.device+gpuPower)
	}
	emc := c.s.emc
	for _, lock := range emc.locks {
		out = append(out, lock.path)
	}
	if emc.cap != nil {
		out = append(out, emc.cap.path)
	}
	if emc.setRate != "" {
		out = append(out, emc.setRate)
	}
	if c.s.conf != nil {
		out = append(out, PresetFile)
	}
	return out
}

const gpuPower = "/power/control"

// lookAtPolicies picks one name for each cpufreq policy folder: that of its lowest-numbered core. Without links (a fake
// root, a policy offline) each core has its own folder.
func (s *Sysfs) lookAtPolicies() {
	f := finder{fs: s.fs}
	leader := map[string]int{}
	s.cpu.dirs = make(map[int]string, len(s.cpu.cores))
	for _, c := range s.cpu.cores {
		place := f.real(cpufreqDir(c.n))
		if _, ok := leader[place]; !ok {
			leader[place] = c.n
		}
		s.cpu.dirs[c.n] = cpufreqDir(leader[place])
	}
}

// ModeOf returns the mode that a state's limits express; absent if they match no mode.
func (c *Planner) ModeOf(st State) Val[Mode] {
	defer c.begin()()
	m, _ := c.s.express(c.s.knobsOf(st))
	return m
}

// Check rereads the lists of clocks and returns an error unless Space.Snap accepts the mode.
func (c *Planner) Check(m Mode) error {
	defer c.begin()()
	c.s.relist()
	_, err := c.snap(m)
	return err
}

// snap moves a mode to the nearest listed one.
func (c *Planner) snap(m Mode) (Mode, error) {
	space := c.s.enumerate()
	if space.Len() == 0 {
		return m, fmt.Errorf("no power modes are known on this board (jtune doctor shows why): %w", ErrUnsupported)
	}
	return space.Snap(m)
}

// Plan lists the writes that take the board from state now to the requested mode, in the safe order. It snaps the mode
// to the nearest listed one. found is the state of memory and fan before the first change; the zero State means now.
func (c *Planner) Plan(now State, r Request, found State) ([]Write, error) {
	defer c.begin()()
	if len(found.Files) == 0 {
		found = now
	}
	want, err := c.target(now, found, r)
	if err != nil {
		return nil, err
	}
	p := ordering{c: c, now: now.byPath(), want: want.byPath(), all: true}
	return p.plan(), nil
}

// PlanState lists the writes that restore the state want, in the safe order. It skips files that already hold their
// value, those for which a damaged state has a value that Snapshot never stores, and the rate file of a free memory
// clock, which is then only a reading. owed names files whose last write had no effect; it rewrites those.
func (c *Planner) PlanState(now, want State, owed ...string) []Write {
	defer c.begin()()
	p := ordering{c: c, now: now.byPath(), want: want.byPath(), owed: owed}
	maps.DeleteFunc(p.want, func(file, value string) bool { return !plausible(file, value) })
	return p.plan()
}

package tegra

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// target returns the state of all knob files for a request.
func (c *Planner) target(now, found State, r Request) (State, error) {
	s := c.s
	m, err := c.snap(r.Mode)
	if err != nil {
		return State{}, err
	}
	var want State
	minCPU, minGPU := s.cpu.freqs[0], s.gpu.freqs[0]
	if r.Preset.OK {
		p, err := s.presetOf(r.Preset.V, m)
		if err != nil {
			return State{}, err
		}
		minCPU, minGPU = cmp.Or(p.MinCPU, minCPU), cmp.Or(p.MinGPU, minGPU)
		if was, ok := now.Get(PresetFile); ok {
			want.put(PresetFile, WithPreset(was, p.ID))
		}
	}
	if !r.DVFS && r.Governors != (Governors{}) {
		return State{}, fmt.Errorf("a governor needs free clocks, these are locked: %w",
			ErrUnsupported)
	}
	on := s.cpu.order[:m.Cores]
	for _, core := range s.cpu.cores {
		isOn := slices.Contains(on, core.n)
		if core.n != 0 {
			if _, ok := now.Get(core.online.path); !ok && !isOn {
				return State{}, fmt.Errorf("core %d cannot be taken offline: %w", core.n, ErrUnsupported)
			}
			want.put(core.online.path, flag(isOn))
		}
		if isOn {
			dir := s.cpu.dir(core.n)
			want.putClock(now, dir+minFile, lowest(r.DVFS, minCPU, m.CPU), KHz)
			want.putClock(now, dir+maxFile, m.CPU, KHz)
			err := c.targetGovernor(&want, now, found, dir+governorFile, dir+cpuGovernors, r.DVFS, r.Governors.CPU)
			if err != nil {
				return State{}, err
			}
		}
	}
	err = c.targetGovernor(&want, now, found, s.gpu.dir+gpuGovernor, s.gpu.dir+gpuGovernors, r.DVFS, r.Governors.GPU)
	if err != nil {
		return State{}, err
	}
	want.putClock(now, s.gpu.min.path, lowest(r.DVFS, minGPU, m.GPU), Hz)
	want.putClock(now, s.gpu.max.path, m.GPU, Hz)
	c.targetEMC(&want, now, found, m.EMC, r.DVFS)
	c.targetFan(&want, found, r.Fan)
	return want, nil
}

func lowest(dvfs bool, least, f Freq) Freq {
	if dvfs {
		return least
	}
	return f
}

// presetOf returns the preset with this id, or an error if its limits are not m or it needs a reboot.
func (s *Sysfs) presetOf(id int, m Mode) (Preset, error) {
	i := slices.IndexFunc(s.presets, func(p Preset) bool { return p.ID == id })
	switch {
	case i < 0:
		return Preset{}, fmt.Errorf("no preset has the id %d: %w", id, ErrUnsupported)
	case s.presets[i].NeedsReboot:
		return Preset{}, fmt.Errorf("%w without a reboot: preset %s needs different GPU power gating", ErrUnsupported,
			s.presets[i].Name)
	case s.presets[i].Mode != m:
		return Preset{}, fmt.Errorf("preset %s is %s, not %s: %w", s.presets[i].Name, s.presets[i].Mode, m,
			ErrUnsupported)
	}
	return s.presets[i], nil
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// targetEMC caps the memory clock and locks its rate unless dvfs is set. To free the clock it writes the values that
// the lock files held when they were found free.
func (c *Planner) targetEMC(want *State, now, found State, f Freq, dvfs bool) {
	emc := c.s.emc
	if emc.cap != nil {
		v := f
		if emc.capZero && f == emc.freqs[len(emc.freqs)-1] { // the guard runs as root and sees the whole list
			v = 0
		}
		want.putClock(now, emc.cap.path, v, Hz)
	}
	wasFree := false
	if emc.locked != nil {
		v, ok := found.Get(emc.locked.path)
		wasFree = ok && v == "0"
	}
	for _, lock := range emc.locks {
		v := flag(!dvfs)
		if was, ok := found.Get(lock.path); ok && dvfs && wasFree {
			v = was
		}
		want.put(lock.path, v)
	}
	if emc.setRate == "" {
		return
	}
	if !dvfs {
		want.putClock(now, emc.setRate, f, Hz)
	} else if was, ok := found.Get(emc.setRate); ok && wasFree {
		want.put(emc.setRate, was) // freeing the rate then leaves the file unchanged
	}
}

func (c *Planner) targetFan(want *State, found State, policy FanPolicy) {
	fan := c.s.fan
	if fan.pwm == nil || policy == FanUntouched {
		return
	}
	control, duty := fan.manual, strconv.Itoa(fanFull)
	if policy == FanAuto {
		was, _ := found.Get(fan.control)
		control = cmp.Or(fan.auto, was)
		duty, _ = found.Get(fan.pwm.path)
	}
	if fan.control != "" && control != "" {
		want.put(fan.control, control)
	}
	if duty != "" {
		want.put(fan.pwm.path, duty)
	}
}

// scaling lists the governors that scale a clock with its load, the kernel's defaults on a Jetson first: CPU, then GPU.
var scaling = []string{"schedutil", "interactive", "ondemand", "conservative", "nvhost_podgov", "simple_ondemand"}

// pinning lists the governors that keep a clock where it is, whatever its load and limits.
var pinning = []string{"performance", "powersave", "userspace"}

// readGovernors finds the governors in force that pin a clock.
func (s *Sysfs) readGovernors(r *Reading) {
	look := func(file *source, of string) {
		if file == nil {
			return
		}
		name, err := file.word()
		if pinned := name + " of the " + of; err == nil && slices.Contains(pinning, name) &&
			!slices.Contains(r.Pinned, pinned) {
			r.Pinned = append(r.Pinned, pinned)
		}
	}
	seen := map[*policy]bool{}
	for _, c := range s.cpu.cores {
		if p := c.clocks; !seen[p] && slices.Contains(s.cpu.on, c.n) {
			seen[p] = true
			look(p.steer, "CPU")
		}
	}
	look(s.gpu.steer, "GPU")
}

// targetGovernor chooses a governor that scales free clocks: the requested one, else the found one, or a member of
// scaling if the found one pins the clock. Locked clocks (min = max) keep the found governor.
func (c *Planner) targetGovernor(want *State, now, found State, path, list string, dvfs bool, asked string) error {
	is, ok := now.Get(path)
	if !ok {
		if asked != "" {
			return fmt.Errorf("there is no %s to write %s to: %w", path, asked, ErrUnsupported)
		}
		return nil
	}
	if was, ok := found.Get(path); ok {
		is = was
		want.put(path, was)
	}
	if !dvfs || asked == "" && !slices.Contains(pinning, is) {
		return nil
	}
	offered := c.offered(list)
	if asked != "" {
		if !slices.Contains(offered, asked) {
			return fmt.Errorf("governor %q is not offered: %s holds %s: %w", asked, list, strings.Join(offered, ", "),
				ErrUnsupported)
		}
		want.put(path, asked)
		return nil
	}
	for _, governor := range scaling {
		if slices.Contains(offered, governor) {
			want.put(path, governor)
			return nil
		}
	}
	return nil
}

// offered lists the governors in a file; nil if it is unreadable.
func (c *Planner) offered(list string) []string {
	text, err := readText(c.s.fs, list)
	if err != nil {
		return nil
	}
	return strings.Fields(text)
}

// Governors lists the governors that the board offers for core 0 and for the GPU.
func (c *Planner) Governors() (cpu, gpu []string) {
	defer c.begin()()
	return c.offered(c.s.cpu.dir(0) + cpuGovernors), c.offered(c.s.gpu.dir + gpuGovernors)
}

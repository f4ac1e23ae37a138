package tegra

import "slices"

// relist reads the lists of clocks again, which new firmware settings or a module loaded late may have changed since
// Open, and enumerates the space again when they have. A list that cannot be read now stays unchanged.
func (s *Sysfs) relist() {
	f := &finder{fs: s.fs}
	changed := false
	if f.cpuLists(s.cpu) {
		s.cpu.freqs, changed = f.cpuFreqs(s.cpu), true
	}
	if s.gpu.dir != "" {
		if list := f.gpuFreqs(s.gpu.dir); len(list) > 0 && !slices.Equal(list, s.gpu.freqs) {
			s.gpu.freqs, changed = list, true
		}
	}
	if list, _, _ := f.emcList(s.emc); len(list) > 0 && !slices.Equal(list, s.emc.freqs) {
		s.emc.freqs, s.emc.partial, changed = list, false, true
	}
	if !changed {
		return
	}
	if s.space.Full() || s.space.product() == 0 {
		s.space = s.enumerate()
		s.presets = f.presets(s.conf, s)
	}
	s.publish()
}

// relistFor reads the lists again when limits are in force that they lack;
// once for each such pair, since limits may also be off the list for good.
func (s *Sysfs) relistFor(cpu, gpu Freq) {
	if slices.Contains(s.cpu.freqs, cpu) && slices.Contains(s.gpu.freqs, gpu) || s.strange == [2]Freq{cpu, gpu} {
		return
	}
	s.strange = [2]Freq{cpu, gpu}
	s.relist()
}

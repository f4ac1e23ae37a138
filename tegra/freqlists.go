package tegra

import "slices"

// relist rereads the lists of clocks, which firmware settings or a late module may have changed since Open, and
// enumerates the space again if they differ. An unreadable list stays unchanged.
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
		s.presets, s.board.Unusable = f.presets(s.conf, s)
	}
	s.publish()
}

// relistFor rereads the lists if they lack limits in force. It does so once per pair of limits, because some limits are
// never listed.
func (s *Sysfs) relistFor(cpu, gpu Freq) {
	if slices.Contains(s.cpu.freqs, cpu) && slices.Contains(s.gpu.freqs, gpu) || s.strange == [2]Freq{cpu, gpu} {
		return
	}
	s.strange = [2]Freq{cpu, gpu}
	s.relist()
}

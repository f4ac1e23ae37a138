package tegra

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"jtune/tegra/nvpmodel"
)

// Sysfs is a Jetson behind an FS: the real one, a fake root, or a virtual
// board. It is safe for use by several goroutines.
type Sysfs struct {
	fs    *privilegedFS
	clock Clock

	about atomic.Pointer[about]

	mu      sync.Mutex // held while the files are read; guards everything below, held files included
	board   Board
	family  family
	space   *Space
	presets []Preset
	probes  []Probe
	conf    *nvpmodel.Config
	masks   map[string]int64
	strange [2]Freq // CPU and GPU limits that the lists lack, when last looked at

	cpu      *cpuGroup
	gpu      *gpuGroup
	emc      *emcGroup
	rails    *railGroup
	zones    []zone
	throttle *throttleGroup
	fan      *fanGroup
	meminfo  *source
	slow     slowValues
}

var _ Device = (*Sysfs)(nil)

// about is what is known of a device between two looks at its files: it is
// replaced as a whole, so that a caller never waits for a slow sensor.
type about struct {
	board    Board
	space    *Space
	presets  []Preset
	probes   []Probe
	complete bool
}

// publish makes known what has changed. It needs s.mu.
func (s *Sysfs) publish() {
	s.about.Store(&about{s.board, s.space, slices.Clone(s.presets), slices.Clone(s.probes),
		s.space.product() > 0 && !s.emc.partial})
}

var errNoConfiguration = fmt.Errorf("no readable %s on this device: %w", confPath, ErrUnsupported)

// Open discovers the board behind fsys. errors.Is(err, ErrNoDevice) when
// there is no Jetson.
func Open(fsys FS, clock Clock) (*Sysfs, error) {
	s := &Sysfs{fs: &privilegedFS{FS: fsys}, clock: clock}
	if err := s.discover(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Sysfs) discover() error {
	f := &finder{fs: s.fs}
	var err error
	if s.board, s.family, err = identify(f); err != nil {
		return err
	}
	if s.cpu, err = f.cpu(s.family); err != nil {
		return fmt.Errorf("%w: %w", err, ErrUnsupported)
	}
	s.conf = f.configuration()
	s.gpu = f.gpu()
	s.emc = f.emc(s.board.SoC, s.conf)
	s.rails = f.rails(&s.board, s.family)
	s.zones = f.zones()
	s.throttle = f.throttling()
	s.fan = f.fan()
	if s.meminfo = f.source("memory in use", "/proc/meminfo"); s.meminfo != nil {
		s.meminfo.buf = make([]byte, tableSize)
	}
	f.first("processes on the GPU", gpuClients)
	s.space = s.enumerate()
	s.presets = f.presets(s.conf, s)
	if s.conf != nil {
		s.masks = f.masksInForce(s.conf)
	}
	s.probes = f.probes
	s.publish()
	return nil
}

// enumerate lists the modes from what the device lists. Where a list cannot
// be read the space has no modes.
func (s *Sysfs) enumerate() *Space {
	counts := make([]int, len(s.cpu.order))
	for i := range counts {
		counts[i] = i + 1
	}
	space, err := NewSpace(counts, s.cpu.freqs, s.gpu.freqs, s.emc.freqs)
	if err != nil {
		return emptySpace(counts, s.cpu.freqs, s.gpu.freqs, s.emc.freqs)
	}
	return space
}

// Board describes this device.
func (s *Sysfs) Board() Board { return s.about.Load().board }

// Space lists the modes the device offers. It has no modes (Len 0) when a
// knob's list cannot be read, which Probes explains.
func (s *Sysfs) Space() *Space { return s.about.Load().space }

// Complete reports whether every knob's list is known up to its top. Without
// root the memory's often is not: then Space lacks rates until UsePrivileged.
func (s *Sysfs) Complete() bool { return s.about.Load().complete }

// Presets lists the modes of the device's nvpmodel configuration.
func (s *Sysfs) Presets() []Preset { return slices.Clone(s.about.Load().presets) }

// Probes lists every source that was tried at Open.
func (s *Sysfs) Probes() []Probe { return slices.Clone(s.about.Load().probes) }

// Configuration is the device's parsed nvpmodel.conf; nil when it has none.
func (s *Sysfs) Configuration() *nvpmodel.Config { return s.conf }

// MarkVirtual marks Board as a simulation (replay names the
// file it answers from, "" for physics).
func (s *Sysfs) MarkVirtual(replay string) {
	s.change(func() { s.board.Virtual, s.board.Replay = true, replay })
}

// Rename gives the board another short name: a replay may be of a board that
// its virtual files do not know.
func (s *Sysfs) Rename(name string) { s.change(func() { s.board.Name = name }) }

// SetSpace replaces the enumerated space, for a replay that has fewer modes.
func (s *Sysfs) SetSpace(space *Space) { s.change(func() { s.space = space }) }

func (s *Sysfs) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.publish()
}

// UsePrivileged lets files that only root may read be read through the guard;
// values and, where they were not readable before, the memory's list of rates
// and the rails become present.
func (s *Sysfs) UsePrivileged(read func(name string) ([]byte, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fs.read.Store(&read)
	f := &finder{fs: s.fs}
	emc := f.emc(s.board.SoC, s.conf)
	if len(emc.freqs) < len(s.emc.freqs) {
		return
	}
	defer s.publish()
	s.emc.close()
	s.emc = emc
	if s.board.TotalRule == "" {
		s.rails.close()
		s.board.Rails = nil
		s.rails = f.rails(&s.board, s.family)
	}
	s.probes = slices.DeleteFunc(s.probes, func(p Probe) bool {
		return slices.ContainsFunc(f.probes, func(q Probe) bool { return q.Name == p.Name })
	})
	s.probes = append(s.probes, f.probes...)
	if s.space.Full() || s.space.product() == 0 {
		s.space = s.enumerate()
		s.presets = (&finder{fs: s.fs}).presets(s.conf, s)
	}
}

// Read takes every reading once. A sensor that fails is absent and named in
// Reading.Missing; the error is for a device that is gone altogether.
func (s *Sysfs) Read() (Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Reading{T: s.clock.Now()}
	miss := func(name string, err error) { r.Missing = append(r.Missing, Missing{name, reason(err)}) }
	s.cpu.read(&r, miss)
	s.gpu.read(&r, miss)
	s.emc.read(&r, miss)
	s.rails.read(&r, miss)
	s.throttle.read(&r, miss)
	s.readSlow(&r)
	if !r.CPU.Actual.OK && !r.GPU.Max.OK && len(r.Temps) == 0 && !r.RAMTotal.OK {
		return r, errors.New("the device's files are gone: no clock, temperature or memory can be read")
	}
	r.Mode, r.Locked = s.express(s.knobsNow(&r))
	return r, nil
}

// Close closes the held files.
func (s *Sysfs) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cpu.close()
	s.gpu.close()
	s.emc.close()
	s.rails.close()
	for _, z := range s.zones {
		z.temp.close()
	}
	others := []*source{s.fan.pwm, s.fan.tach, s.meminfo}
	for _, f := range slices.Concat(s.throttle.counters, s.throttle.coolers, others) {
		f.close()
	}
	return nil
}

// Control is the writing side's knowledge of this board.
func (s *Sysfs) Control() *Control { return &Control{s} }

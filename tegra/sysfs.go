package tegra

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"jtune/tegra/nvpmodel"
)

// Sysfs is a Jetson behind an FS: the real one, a fake root, or a virtual board. It is safe for concurrent use.
type Sysfs struct {
	fs    *privilegedFS
	clock Clock

	about atomic.Pointer[about]

	mu      sync.Mutex // held while files are read; guards everything below, open files included
	board   Board
	family  family
	space   *Space
	presets []Preset
	probes  []Probe
	conf    *nvpmodel.Config
	masks   map[string]int64
	strange [2]Freq // the last CPU and GPU limits found missing from the lists

	cpu     *cpuGroup
	gpu     *gpuGroup
	emc     *emcGroup
	rails   *railGroup
	zones   []zone
	signals *signalGroup
	coolers []cooler
	engines []*engine
	fan     *fanGroup
	meminfo *source
	slow    slowValues
}

var _ Device = (*Sysfs)(nil)

// about is what is known of a device between two reads of its files. It is replaced as a whole, so that callers never
// wait for a slow sensor.
type about struct {
	board    Board
	space    *Space
	presets  []Preset
	probes   []Probe
	complete bool
}

// publish replaces about. The caller holds s.mu.
func (s *Sysfs) publish() {
	s.about.Store(&about{s.board, s.space, slices.Clone(s.presets), slices.Clone(s.probes),
		s.space.product() > 0 && !s.emc.partial})
}

var errNoConfiguration = fmt.Errorf("no readable %s on this device: %w", confPath, ErrUnsupported)

// Open discovers the board behind fsys. The error wraps ErrNoDevice if it is no Jetson.
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
	if s.cpu, err = f.cpu(&s.board, s.family); err != nil {
		return fmt.Errorf("%w: %w", err, ErrUnsupported)
	}
	s.conf = f.configuration()
	s.gpu = f.gpu()
	s.emc = f.emc(s.board.SoC, s.conf)
	s.rails = f.rails(&s.board, s.family)
	s.zones = f.zones()
	s.signals = f.signals(s.board.SoC)
	s.coolers = f.coolers()
	s.engines = f.engines()
	s.fan = f.fan()
	if s.meminfo = f.source("memory in use", "/proc/meminfo"); s.meminfo != nil {
		s.meminfo.buf = make([]byte, tableSize)
	}
	f.first("processes on the GPU", gpuClients)
	s.space = s.enumerate()
	s.presets, s.board.Unusable = f.presets(s.conf, s)
	if s.conf != nil {
		s.masks = f.masksInForce(s.conf)
	}
	s.probes = f.probes
	s.publish()
	return nil
}

// enumerate builds the space from the device's lists. If a list is unreadable, the space is empty.
func (s *Sysfs) enumerate() *Space {
	counts := s.cpu.counts()
	space, err := NewSpace(counts, s.cpu.freqs, s.gpu.freqs, s.emc.freqs)
	if err != nil {
		return emptySpace(counts, s.cpu.freqs, s.gpu.freqs, s.emc.freqs)
	}
	return space
}

// Board describes this device.
func (s *Sysfs) Board() Board { return s.about.Load().board }

// Space returns the modes that the device offers. It is empty if a knob's list is unreadable; Probes gives the reason.
func (s *Sysfs) Space() *Space { return s.about.Load().space }

// Complete reports whether every knob's list is known up to its top. Without root the memory's list often is not: the
// space then lacks rates until UsePrivileged.
func (s *Sysfs) Complete() bool { return s.about.Load().complete }

// Presets lists the modes of the device's nvpmodel configuration that it can be set to.
func (s *Sysfs) Presets() []Preset {
	out := slices.Clone(s.about.Load().presets)
	last := s.PresetID()
	for i := range out {
		out[i].InForce = last == Some(out[i].ID)
	}
	return out
}

// Probes lists every source tried at Open.
func (s *Sysfs) Probes() []Probe { return slices.Clone(s.about.Load().probes) }

// MarkVirtual marks the board as a simulation; replay names the file that it answers from, "" for the physics model.
func (s *Sysfs) MarkVirtual(replay string) {
	s.change(func() { s.board.Virtual, s.board.Replay = true, replay })
}

// Rename changes the board's short name: a replay may be of a board other than its virtual files show.
func (s *Sysfs) Rename(name string) { s.change(func() { s.board.Name = name }) }

// SetSpace replaces the enumerated space, for a replay with fewer modes.
func (s *Sysfs) SetSpace(space *Space) { s.change(func() { s.space = space }) }

func (s *Sysfs) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.publish()
}

// UsePrivileged sets a function that reads root-only files through the guard. Values, the memory's list of rates and
// rails that were unreadable before then become present.
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
		s.presets, s.board.Unusable = (&finder{fs: s.fs}).presets(s.conf, s)
	}
}

// Read takes one reading. A sensor that fails is absent and listed in Reading.Missing; an error means that the device
// itself is gone.
func (s *Sysfs) Read() (Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Reading{T: s.clock.Now()}
	miss := func(name string, err error) { r.Missing = append(r.Missing, Missing{name, reason(err)}) }
	s.cpu.read(&r, miss)
	s.gpu.read(&r, miss)
	s.emc.read(&r, miss)
	s.rails.read(&r, miss)
	s.signals.read(&r, miss)
	readCoolers(s.coolers, &r, miss)
	s.readSlow(&r)
	r.alarmed(s.board.FeedRail())
	r.Judge()
	if !r.CPU.Actual.OK && !r.GPU.Max.OK && len(r.Temps) == 0 && !r.RAMTotal.OK {
		return r, errors.New("the device's files are gone: no clock, temperature or memory can be read")
	}
	r.Mode, r.Locked = s.express(s.knobsNow(&r))
	return r, nil
}

// Close closes the open files.
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
	s.signals.close()
	for _, f := range []*source{s.fan.pwm, s.fan.tach, s.fan.enable, s.meminfo} {
		f.close()
	}
	for _, f := range s.coolers {
		f.close()
	}
	for _, f := range s.engines {
		f.close()
	}
	return nil
}

// Planner returns the board's planner of knob writes.
func (s *Sysfs) Planner() *Planner { return &Planner{s} }

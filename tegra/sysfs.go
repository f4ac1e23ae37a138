package tegra

// Sysfs is a Jetson behind an FS: the real one, a fake root, or a virtual
// board. It is safe for use by several goroutines.
type Sysfs struct {
	board   Board
	space   *Space
	presets []Preset
	probes  []Probe
}

var _ Device = (*Sysfs)(nil)

// Probe is one source of data that was tried at Open, for `jtune doctor`.
type Probe struct {
	Name  string // what it gives: "EMC rate"
	Path  string
	Found bool
	Why   string // why it was not found, or what is peculiar about it
}

// Open discovers the board behind fsys. errors.Is(err, ErrNoDevice) when
// there is no Jetson.
func Open(fsys FS, clock Clock) (*Sysfs, error) { panic("not yet") }

// Board says what this device is.
func (s *Sysfs) Board() Board { return s.board }

// Space lists the modes the device offers. It has no modes (Len 0) when a
// knob's list cannot be read, which Probes explains.
func (s *Sysfs) Space() *Space { return s.space }

// Presets lists the modes of the device's nvpmodel configuration.
func (s *Sysfs) Presets() []Preset { return s.presets }

// Probes tells every source that was tried at Open.
func (s *Sysfs) Probes() []Probe { return s.probes }

// Read takes every reading once.
func (s *Sysfs) Read() (Reading, error) { panic("not yet") }

// Close gives the held files back.
func (s *Sysfs) Close() error { panic("not yet") }

// Control is the writing side's knowledge of this board.
func (s *Sysfs) Control() *Control { panic("not yet") }

// MarkVirtual makes Board say that this is a simulation (replay names the
// file it answers from, "" for physics).
func (s *Sysfs) MarkVirtual(replay string) { s.board.Virtual, s.board.Replay = true, replay }

// SetSpace replaces the enumerated space, for a replay that has fewer modes.
func (s *Sysfs) SetSpace(space *Space) { s.space = space }

// UsePrivileged lets files that only root may read be read through the guard;
// values and, where it was not readable before, the memory's list of rates
// become present.
func (s *Sysfs) UsePrivileged(read func(name string) ([]byte, error)) { panic("not yet") }

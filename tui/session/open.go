package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/bundle"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// deviceFiles opens a Jetson's files: a folder, or a bundle, which can only be read.
func deviceFiles(sysroot string) (fsys tegra.FS, bundled bool, err error) {
	f, err := os.OpenFile(sysroot, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return tegra.DiskFS(sysroot), false, nil // opening the device then reports what is missing
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.IsDir() {
		return tegra.DiskFS(sysroot), false, nil
	}
	data, err := safefile.ReadOpen(f, bundle.MostBytes)
	if err == nil {
		fsys, err = bundle.Read(bytes.NewReader(data))
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w: %s %s: %w", tegra.ErrNoDevice, usage.Sysroot, sysroot, err)
	}
	return fsys, true, nil
}

// slowEvery is the reading interval of temperatures, fan and memory when other readings come faster: twice a second
// shows every change a person can see.
const slowEvery = 500 * time.Millisecond

// Open opens the device named in o. Errors wrap tegra.ErrNoDevice if there is no such device, or are a usage.Error if
// the name is invalid.
func Open(o Options) (*Session, error) {
	if o.Sysroot == "" {
		o.Sysroot = "/"
	}
	o.Sysroot = filepath.Clean(o.Sysroot)
	if o.NoDevice {
		return openHost(o)
	}
	kind, arg, _ := strings.Cut(o.Device, ":")
	if o.Sysroot != "/" {
		if kind == "virtual" || kind == "replay" {
			return nil, usage.Sysroot.Errorf("%s %s means a Jetson's files, %s %s does not", usage.Sysroot,
				o.Sysroot, usage.Device, o.Device).Advise("give one of them")
		}
		kind = "jetson"
	}
	switch kind {
	case "", "auto":
		s, err := openJetson(o)
		if errors.Is(err, tegra.ErrNoDevice) {
			why := "no Jetson here"
			if errors.Is(err, tegra.ErrHiddenTree) {
				why = "no Jetson can be seen: " + tegra.ErrHiddenTree.Error()
			}
			if s, err = openVirtual(o, DefaultVirtual); err == nil {
				s.Notice = why + ": using virtual:" + DefaultVirtual
			}
		}
		return s, err
	case "jetson":
		s, err := openJetson(o)
		switch {
		case errors.Is(err, tegra.ErrNoDevice) && o.Sysroot != "" && o.Sysroot != "/":
			err = fmt.Errorf("%w; %s %s must be the file tree of one, or its bundle",
				err, usage.Sysroot, o.Sysroot)
		case errors.Is(err, tegra.ErrNoDevice):
			err = fmt.Errorf("%w; %s virtual:%s simulates one", err, usage.Device, DefaultVirtual)
		}
		return s, err
	case "virtual":
		return openVirtual(o, arg)
	case "replay":
		return openReplay(o, arg)
	}
	near := ""
	if slices.Contains(virtual.Names(), o.Device) {
		near = "; the nearest is virtual:" + o.Device
	}
	return nil, fmt.Errorf("%w %q: give auto, jetson, virtual:NAME or replay:FILE.csv%s", tegra.ErrNoDevice, o.Device,
		near)
}

// openHost opens this machine to run workloads, without power modes.
func openHost(o Options) (*Session, error) {
	if o.Device != "" && o.Device != "auto" {
		return nil, usage.NoDevice.Errorf("%s means this machine, %s %s does not", usage.NoDevice, usage.Device,
			o.Device).
			Advise("give one of them")
	}
	fsys, bundled, err := deviceFiles(o.Sysroot)
	if err != nil {
		return nil, err
	}
	if bundled {
		return nil, usage.NoDevice.Errorf("%s means this machine, a bundle is of another", usage.NoDevice)
	}
	s := newSession(o, fsys, tegra.RealClock(), HostName(o.Sysroot))
	gpuName := ""
	if s.gpu = findGPU(); s.gpu != nil {
		gpuName = "GPU (nvidia-smi)"
	}
	host, err := tegra.OpenHost(fsys, s.Clock, s.Which, gpuName)
	if err != nil {
		return nil, errors.Join(err, s.gpu.close())
	}
	if s.gpu != nil {
		host.GPU = s.gpu.read
	}
	s.host = host
	follow(s, host)
	b := host.Board()
	s.Notice = "no device: this machine, " + b.Model + ": times alone, no source of power was found"
	if b.TotalRule != "" {
		s.Notice = fmt.Sprintf("no device: this machine, %s: power of %s, %s", b.Model, strings.Join(b.Rails, " and "),
			b.TotalCovers)
	}
	return s, s.useMeter()
}

func openJetson(o Options) (*Session, error) {
	fsys, bundled, err := deviceFiles(o.Sysroot)
	if err != nil {
		return nil, err
	}
	s := newSession(o, fsys, tegra.RealClock(), HostName(o.Sysroot))
	if s.Notice = leftBehind(o.Sysroot); bundled {
		s.bundled, s.ReadOnly = true, true
		s.Notice = o.Sysroot + " is a bundle: its values were read when it was made, and nothing can be set"
	}
	if s.sysfs, err = tegra.Open(s.fs, s.Clock); err == nil {
		err = o.onlyVirtual()
	}
	if err != nil {
		return nil, err
	}
	s.sysfs.Relax(slowEvery)
	follow(s, s.sysfs)
	return s, s.useMeter()
}

func openVirtual(o Options, name string) (*Session, error) {
	if name == "" {
		return nil, fmt.Errorf("%w: virtual: without a name; known: %s", tegra.ErrNoDevice,
			strings.Join(virtual.Names(), ", "))
	}
	which := name
	if o.Instance > 0 {
		which = fmt.Sprintf("%s %d", name, o.Instance)
	}
	faults, err := o.faults()
	if err != nil {
		return nil, err
	}
	s, err := OpenBoard(o, which, virtual.Options{Name: name, Speed: o.Speed, Seed: o.Seed, Medium: o.Medium,
		Instance: o.Instance, Quirks: o.Quirks, Faults: faults})
	if err != nil && !errors.Is(err, tegra.ErrNoDevice) {
		return nil, usage.Of(err)
	}
	return s, err
}

func openReplay(o Options, path string) (*Session, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: replay: without a file: give replay:FILE.csv", tegra.ErrNoDevice)
	}
	table, err := sweep.ReadFile(path, sweep.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		if st, statErr := os.Stat(path); statErr == nil && st.IsDir() {
			return nil, fmt.Errorf("%w: replay: folder %s is not a campaign: it holds no modes.csv", tegra.ErrNoDevice,
				path)
		}
		return nil, fmt.Errorf("%w: replay: %w", tegra.ErrNoDevice, err)
	}
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	if table, err = ChosenBatches(table, o); err != nil {
		return nil, err
	}
	s, err := OpenBoard(o, contentHash(path), virtual.Options{Name: DefaultVirtual, Replay: table, Speed: o.Speed,
		Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	if len(table.Batches()) > 1 {
		s.settings = tegra.SettingsOf(table.Settings())
	}
	if s.Skipped = Skipped(path, table); len(s.Skipped) > 0 {
		s.Notice = fmt.Sprintf("%s on the file, the first: %s", text.Count(len(s.Skipped), "note"), s.Skipped[0])
	}
	return s, nil
}

// Skipped lists the omitted rows of a sweep file and the reasons.
func Skipped(path string, t *sweep.Table) []string {
	var out []string
	for _, p := range t.Problems {
		out = append(out, fmt.Sprintf("%s: %s: row skipped", path, p))
	}
	if t.Copies > 0 {
		out = append(out, fmt.Sprintf("%s: %s to the last digit: one reading each", path, Copied(t.Copies)))
	}
	if t.Doubt != "" {
		out = append(out, path+": "+t.Doubt)
	}
	return out
}

// Copied counts duplicate rows.
func Copied(n int) string {
	if n == 1 {
		return "1 row is a copy of another"
	}
	return text.Thousands(n) + " rows are copies of others"
}

// ChosenBatches picks the rows of the batch sizes in o from a file with batch sizes. Each batch size is a different
// workload, so several must be requested explicitly.
func ChosenBatches(t *sweep.Table, o Options) (*sweep.Table, error) {
	t, err := SomeBatches(t, o.Batches)
	if err == nil && len(t.Batches()) > 1 && len(o.Batches) == 0 && !o.AllSizes {
		err = usage.Batch.Errorf("%s holds batch sizes %s", t.Name, text.JoinInts(t.Batches())).
			Advise("choose one with %s, several with commas, or %s all", usage.Batch.Value(), usage.Batch)
	}
	return t, err
}

// NotHeld returns the error for a batch size that a file or folder does not contain.
func NotHeld(name string, held []int, size int) error {
	return usage.Batch.Errorf("%s holds batch sizes %s, not %d", name, text.JoinInts(held), size).
		Advise("choose with %s", usage.Batch.Value())
}

// SomeBatches picks the rows of the given batch sizes; all if none is given.
func SomeBatches(t *sweep.Table, asked []int) (*sweep.Table, error) {
	if len(asked) == 0 || slices.Equal(t.Batches(), tegra.Own) {
		return t, nil
	}
	for _, b := range asked {
		if !slices.Contains(t.Batches(), b) {
			return t, NotHeld(t.Name, t.Batches(), b)
		}
	}
	return t.ForBatches(asked), nil
}

func OpenBoard(o Options, which string, v virtual.Options) (*Session, error) {
	board, err := virtual.New(v)
	if err != nil {
		return nil, err
	}
	s := newSession(o, board.FS(), board.Clock(), which)
	s.Virtual = board
	if s.sysfs, err = board.Open(); err != nil {
		return nil, err
	}
	follow(s, s.sysfs)
	return s, nil
}

// newSession returns a session whose device is not open yet.
func newSession(o Options, fsys tegra.FS, clock tegra.Clock, which string) *Session {
	return &Session{Clock: clock, Options: o, fs: fsys, Which: which,
		finder: record.Finder{Parents: []string{o.CampaignsDir()}}}
}

// follow makes a device the session's.
func follow(s *Session, d tegra.Device) {
	s.Device, s.Sampler = d, telemetry.NewSampler(d, s.Clock)
	s.Sampler.Seed = s.Seed
}

// useMeter connects the configured power meter to the sampler.
func (s *Session) useMeter() error {
	if s.Virtual != nil || s.bundled {
		return nil
	}
	meter, err := meterOf(s.Options)
	if err != nil || meter == nil {
		return err
	}
	s.meter, s.Sampler.Meter = meter, meter.read
	return nil
}

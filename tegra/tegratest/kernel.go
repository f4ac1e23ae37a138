package tegratest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"jtune/tegra"
)

// Kernel is an FS that enforces a kernel's rules: it rejects a minimum above its maximum, a memory rate above its cap,
// core 0 going offline, and limits of a policy whose cores are all offline. It records every write. Set faults by path
// before use, or inside Do.
type Kernel struct {
	tegra.FS
	mu     sync.Mutex
	Log    []string           // "path = value"
	Stray  []string           // writes of clocks missing from the list next to them
	Refuse map[string]error   // error of writing the path
	Fail   map[string]error   // error of reading the path
	Busy   map[string]int     // number of writes that first return EBUSY
	Stuck  map[string]bool    // the path ignores writes, without an error
	Clip   map[string]string  // content of the path after any write
	Late   map[string]int     // number of readings after a write that still show the value before
	Cap    map[string]string  // limit of a cooling device, shown where the path's own is higher
	After  func(write string) // called after each effective write

	before  map[string]stale    // values that late readings show
	related map[string][]string // cores of a core's policy, by the core's folder: constant
}

type stale struct {
	value []byte
	left  int
}

// NewKernel wraps an FS.
func NewKernel(fsys tegra.FS) *Kernel {
	return &Kernel{FS: fsys, Refuse: map[string]error{}, Fail: map[string]error{}, Busy: map[string]int{},
		Stuck: map[string]bool{}, Clip: map[string]string{}, Late: map[string]int{}, Cap: map[string]string{},
		before: map[string]stale{}, related: map[string][]string{}}
}

// Do runs f while the kernel is locked, to change faults during use.
func (k *Kernel) Do(f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f()
}

// Writes returns the log so far.
func (k *Kernel) Writes() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.Log...)
}

// Value reads a file.
func (k *Kernel) Value(name string) string {
	data, err := k.FS.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(data))
}

// ReadFile reads a file unless Fail has its path.
func (k *Kernel) ReadFile(name string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.reading(name); err != nil {
		return nil, err
	}
	if old := k.before[name]; old.left > 0 {
		k.before[name] = stale{old.value, old.left - 1}
		return old.value, nil
	}
	data, err := k.FS.ReadFile(name)
	if limit := k.Cap[name]; limit != "" && err == nil && above(strings.TrimSpace(string(data)), limit) != nil {
		return []byte(limit + "\n"), nil
	}
	return data, err
}

// Open returns a handle that fails while Fail has its path.
func (k *Kernel) Open(name string) (tegra.File, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.reading(name); errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := k.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return kernelFile{f, k, name}, nil
}

type kernelFile struct {
	tegra.File
	k    *Kernel
	name string
}

func (f kernelFile) ReadAt(p []byte, off int64) (int, error) {
	f.k.mu.Lock()
	defer f.k.mu.Unlock()
	if err := f.k.reading(f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (k *Kernel) reading(name string) error {
	if err := k.Fail[name]; err != nil {
		return &fs.PathError{Op: "read", Path: name, Err: err}
	}
	if k.policyOff(name) {
		return &fs.PathError{Op: "read", Path: name, Err: syscall.ENOENT}
	}
	return nil
}

// WriteFile handles a write as the kernel would.
func (k *Kernel) WriteFile(name string, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	value := strings.TrimSpace(string(data))
	if err := k.refusal(name, value); err != nil {
		k.Log = append(k.Log, fmt.Sprintf("refused %s = %s", name, value))
		return &fs.PathError{Op: "write", Path: name, Err: err}
	}
	k.Log = append(k.Log, name+" = "+value)
	if k.Stuck[name] {
		return nil
	}
	if n := k.Late[name]; n > 0 {
		old, _ := k.FS.ReadFile(name)
		k.before[name] = stale{old, n}
	}
	if clipped, ok := k.Clip[name]; ok {
		data = []byte(clipped + "\n")
	}
	if err := k.FS.WriteFile(name, data); err != nil {
		return err
	}
	if k.After != nil {
		k.After(name)
	}
	return nil
}

func (k *Kernel) refusal(name, value string) error {
	if k.Busy[name] > 0 {
		k.Busy[name]--
		return syscall.EBUSY
	}
	if err := k.Refuse[name]; err != nil {
		return err
	}
	if k.policyOff(name) {
		return syscall.ENOENT
	}
	dir, file := path.Split(name)
	k.noteStray(dir, file, value)
	switch file {
	case "scaling_min_freq", "min_freq":
		return above(value, k.Value(dir+strings.Replace(file, "min", "max", 1)))
	case "scaling_max_freq", "max_freq":
		return above(k.Value(dir+strings.Replace(file, "max", "min", 1)), value)
	case "rate", "clk_update_rate":
		for _, limit := range []string{k.Value(Cap35), k.Value(Cap36)} {
			if limit != "0" && above(value, limit) != nil {
				return syscall.EINVAL
			}
		}
	case "emc_iso_cap":
		// A rate above the new cap was a reading of the free clock: a plain file does not follow the cap.
		if k.Value(EMC+"/mrq_rate_locked") == "1" && value != "0" && within(k.Value(EMC+"/rate"), k.Value(name)) {
			return above(k.Value(EMC+"/rate"), value)
		}
	case "online":
		if strings.HasSuffix(dir, "/cpu0/") && value == "0" {
			return syscall.EINVAL
		}
	}
	return nil
}

// noteStray records a limit that the kernel would have to round.
func (k *Kernel) noteStray(dir, file, value string) {
	list := map[string]string{"scaling_min_freq": "scaling_available_frequencies",
		"scaling_max_freq": "scaling_available_frequencies",
		"min_freq":         "available_frequencies", "max_freq": "available_frequencies"}[file]
	if data, err := k.FS.ReadFile(
		dir + list,
	); list != "" && err == nil &&
		!slices.Contains(strings.Fields(string(data)), value) {
		k.Stray = append(k.Stray, dir+file+" = "+value)
	}
}

// within reports whether a rate is at most the cap; 0 means no cap.
func within(rate, limit string) bool { return limit == "0" || above(rate, limit) == nil }

// above returns EINVAL if the number a is larger than b.
func above(a, b string) error {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX != nil || errY == nil && x > y {
		return syscall.EINVAL
	}
	return nil
}

// policyOff reports whether name is in the cpufreq folder of a policy whose cores are all offline.
func (k *Kernel) policyOff(name string) bool {
	dir, _, ok := strings.Cut(name, "/cpufreq/")
	if !ok || !strings.HasPrefix(dir, CPU+"/cpu") {
		return false
	}
	related, known := k.related[dir]
	if !known {
		text, _ := k.FS.ReadFile(dir + "/cpufreq/related_cpus") // absent: a core shares its clocks with no other
		related = strings.Fields(string(text))
		k.related[dir] = related
	}
	for _, core := range related {
		if core == "0" || k.Value(CPU+"/cpu"+core+"/online") == "1" {
			return false
		}
	}
	return len(related) > 0
}

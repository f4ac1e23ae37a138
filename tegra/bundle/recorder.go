package bundle

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
	"syscall"

	"jtune/tegra"
)

// recorder is an FS that records every name read. It never writes.
type recorder struct {
	tegra.FS
	mu    sync.Mutex
	names map[string]bool
	links map[string]string
}

// record reads a board as jtune does and returns the sorted names read, and the links.
func record(fsys tegra.FS, clock tegra.Clock) (names []string, links map[string]string, err error) {
	r := &recorder{FS: fsys, names: map[string]bool{}, links: map[string]string{}}
	s, err := tegra.Open(r, clock)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	// Only the names read matter here; results and errors do not.
	_, _ = s.Read()
	_, _ = s.Planner().Snapshot()
	_ = s.Planner().Fan()
	_ = s.ClockTimes()
	_ = s.PresetID()
	return slices.Sorted(maps.Keys(r.names)), r.links, nil
}

func (r *recorder) note(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.names[path.Clean("/"+name)] = true
	}
}

func (r *recorder) Open(name string) (tegra.File, error) {
	r.note(name)
	return r.FS.Open(name)
}

func (r *recorder) ReadFile(name string) ([]byte, error) {
	r.note(name)
	return r.FS.ReadFile(name)
}

func (r *recorder) Stat(name string) (fs.FileInfo, error) {
	r.note(name)
	return r.FS.Stat(name)
}

func (r *recorder) Glob(pattern string) ([]string, error) {
	names, err := r.FS.Glob(pattern)
	r.note(names...)
	return names, err
}

func (r *recorder) Readlink(name string) (string, error) {
	target, err := r.FS.Readlink(name)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.links[path.Clean("/"+name)] = target
	}
	return target, err
}

func (r *recorder) WriteFile(name string, _ []byte) error {
	return &fs.PathError{Op: "write", Path: name, Err: syscall.EROFS}
}

package tegra

import (
	"errors"
	"io/fs"

	"jtune/internal/text"
)

// Probe is one data source tried at Open, for `jtune doctor`.
type Probe struct {
	Name  string        `json:"name"` // name of the value: "EMC rate"
	Path  text.Optional `json:"path"`
	Found bool          `json:"found"`
	Why   text.Optional `json:"why"` // why it was not found, or a remark about it
}

// finder searches for files at discovery and records every attempt as a Probe.
type finder struct {
	fs     FS
	probes []Probe
}

// first returns the first path that exists, else one that may exist in a folder only root can enter; its values stay
// absent until a reader has root's rights.
func (f *finder) first(name string, paths ...string) (string, bool) {
	denied := ""
	for _, p := range paths {
		_, err := f.fs.Stat(p)
		switch {
		case err == nil:
			f.found(name, p, "")
			return p, true
		case errors.Is(err, fs.ErrPermission) && denied == "":
			denied = p
		}
	}
	if denied != "" {
		f.missing(name, denied, NoPermission)
		return denied, true
	}
	if len(paths) > 0 {
		f.missing(name, paths[0], "no such file")
	}
	return "", false
}

// source opens the first existing path for repeated reads; nil if there is none.
func (f *finder) source(name string, paths ...string) *source {
	p, ok := f.first(name, paths...)
	if !ok {
		return nil
	}
	return newSource(f.fs, p)
}

func (f *finder) found(name, path, note string) {
	f.probes = append(f.probes, Probe{Name: name, Path: text.Optional(path), Found: true, Why: text.Optional(note)})
}

func (f *finder) missing(name, path, why string) {
	f.probes = append(f.probes, Probe{Name: name, Path: text.Optional(path), Why: text.Optional(why)})
}

func (f *finder) exists(p string) bool {
	_, err := f.fs.Stat(p)
	return err == nil
}

// mayExist reports whether a file exists, or may exist in a folder only root can enter.
func (f *finder) mayExist(p string) bool {
	_, err := f.fs.Stat(p)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// glob lists matching names in the numeric order of their trailing digits.
func (f *finder) glob(pattern string) []string {
	names, err := f.fs.Glob(pattern)
	if err != nil {
		return nil
	}
	sortNumeric(names)
	return names
}

// real follows a folder's own link (one step), so that two names of one folder compare equal.
func (f *finder) real(dir string) string { return realPath(f.fs, dir) }

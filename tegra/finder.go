package tegra

import (
	"errors"
	"io/fs"
)

// finder looks for files at discovery and notes every attempt as a Probe.
type finder struct {
	fs     FS
	probes []Probe
}

// first gives the first of the paths that exists. When none does but one may
// lie in a folder that only root can enter, that one is given: its values
// are absent until someone with the rights reads them.
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
		f.missing(name, denied, "no permission (root only)")
		return denied, true
	}
	if len(paths) > 0 {
		f.missing(name, paths[0], "no such file")
	}
	return "", false
}

// source opens the first of the paths for reading again and again; nil when
// there is none.
func (f *finder) source(name string, paths ...string) *source {
	p, ok := f.first(name, paths...)
	if !ok {
		return nil
	}
	return newSource(f.fs, p)
}

func (f *finder) found(name, path, note string) {
	f.probes = append(f.probes, Probe{Name: name, Path: path, Found: true, Why: note})
}

func (f *finder) missing(name, path, why string) {
	f.probes = append(f.probes, Probe{Name: name, Path: path, Why: why})
}

func (f *finder) exists(p string) bool {
	_, err := f.fs.Stat(p)
	return err == nil
}

// mayExist tells that a file is there, or hidden where only root may look.
func (f *finder) mayExist(p string) bool {
	_, err := f.fs.Stat(p)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// glob gives what matches, in the numeric order of trailing digits.
func (f *finder) glob(pattern string) []string {
	names, err := f.fs.Glob(pattern)
	if err != nil {
		return nil
	}
	sortNumeric(names)
	return names
}

// real gives the place a folder's own link leads to (one step), so that two
// names of one folder are seen to be one.
func (f *finder) real(dir string) string { return realPath(f.fs, dir) }

package tegratest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"jtune/tegra"
)

// mostRead is the limit of tegra.DiskFS.
const mostRead = 1 << 20

// Memory is the FS of a tree without a disk, for tests that open a board thousands of times. It acts like tegra.DiskFS:
// files can be written, but no name appears or disappears.
type Memory struct {
	tree    *Tree
	folders map[string][]string // sorted names in each folder, by its resolved name

	mu     sync.Mutex
	now    map[string]string         // content of the files that were written, by resolved name
	places map[bool]map[string]place // results of find, by follow
	globs  map[string][]string       // results of Glob
}

var _ tegra.FS = (*Memory)(nil)

// NewMemory returns the FS of a tree, which must not change from now on.
func NewMemory(tr *Tree) *Memory {
	m := &Memory{tree: tr, folders: map[string][]string{"/": nil}, now: map[string]string{},
		places: map[bool]map[string]place{true: {}, false: {}}, globs: map[string][]string{}}
	add := func(name string) {
		for name != "/" {
			dir := path.Dir(name)
			m.folders[dir] = append(m.folders[dir], path.Base(name))
			name = dir
		}
	}
	for name := range tr.Files {
		add(name)
	}
	for name := range tr.Links {
		add(name)
	}
	for dir, names := range m.folders {
		slices.Sort(names)
		m.folders[dir] = slices.Compact(names)
	}
	return m
}

// Set writes a file of the tree as another program would.
func (m *Memory) Set(name, content string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(name, content)
}

func (m *Memory) set(at, content string) {
	if content == m.tree.Files[at] {
		delete(m.now, at)
	} else {
		m.now[at] = content
	}
}

// Changes returns the files whose content is not the tree's, with their content.
func (m *Memory) Changes() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.now)
}

// Reset gives all files the tree's content.
func (m *Memory) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.now)
}

// content returns a file's content by its resolved name.
func (m *Memory) content(at string) (string, bool) {
	if text, ok := m.now[at]; ok {
		return text, true
	}
	text, ok := m.tree.Files[at]
	return text, ok
}

// place is where a name leads: its resolved name, or the error if it is absent.
type place struct {
	at  string
	err error
}

// mostKept is the most names and patterns whose results are kept.
const mostKept = 10_000

// find returns the place of a name. follow also follows a link in the last element.
func (m *Memory) find(name string, follow bool) (at string, err error) {
	kept := m.places[follow]
	p, ok := kept[name]
	if !ok {
		if p.at, p.err = tegra.FollowLinks(name, follow, m.link); p.err == nil && !m.isThere(p.at) {
			p.err = absent(name, p.at, m.tree.Files)
		}
		if len(kept) < mostKept {
			kept[name] = p
		}
	}
	return p.at, p.err
}

func (m *Memory) link(at string) (target string, ok bool) {
	target, ok = m.tree.Links[at]
	return target, ok
}

func (m *Memory) isThere(at string) bool {
	_, file := m.tree.Files[at]
	_, folder := m.folders[at]
	_, link := m.tree.Links[at]
	return file || folder || link
}

// absent is the error for a resolved name that is not there.
func absent(name, at string, files map[string]string) error {
	err := syscall.ENOENT
	for dir := at; dir != "/"; dir = path.Dir(dir) {
		if _, file := files[path.Dir(dir)]; file {
			err = syscall.ENOTDIR
		}
		if len(path.Base(dir)) > 255 {
			err = syscall.ENAMETOOLONG
		}
	}
	if strings.Contains(at, "\x00") {
		err = syscall.EINVAL
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

var errIrregular = errors.New("not a regular file")

// file returns the resolved name of a regular file.
func (m *Memory) file(name string) (at string, err error) {
	if at, err = m.find(name, true); err != nil {
		return "", err
	}
	if _, ok := m.tree.Files[at]; !ok {
		return "", &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	return at, nil
}

// Open returns a handle for reading.
func (m *Memory) Open(name string) (tegra.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.file(name)
	if err != nil {
		return nil, err
	}
	return &memoryFile{m: m, at: at}, nil
}

// ReadFile reads a file.
func (m *Memory) ReadFile(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.file(name)
	if err != nil {
		return nil, err
	}
	text, _ := m.content(at)
	if len(text) > mostRead {
		return nil, fmt.Errorf("read %s: larger than %d bytes", name, mostRead)
	}
	return []byte(text), nil
}

// WriteFile writes an existing file.
func (m *Memory) WriteFile(name string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.file(name)
	if err == nil {
		m.set(at, string(data))
	}
	return err
}

// Glob lists the names that match.
func (m *Memory) Glob(pattern string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if names, ok := m.globs[pattern]; ok {
		return slices.Clone(names), nil
	}
	names := []string{"/"}
	for element := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		if _, err := path.Match(element, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		var next []string
		for _, dir := range names {
			next = append(next, m.globIn(dir, element)...)
		}
		names = next
	}
	slices.Sort(names)
	if len(m.globs) < mostKept {
		m.globs[pattern] = slices.Clone(names)
	}
	return names, nil
}

func (m *Memory) globIn(dir, element string) (out []string) {
	at, err := m.find(dir, true)
	if err != nil {
		return nil
	}
	if !strings.ContainsAny(element, `*?[\`) {
		name := path.Join(dir, element)
		if _, err = m.find(name, true); err == nil {
			out = append(out, name)
		}
		return out
	}
	for _, name := range m.folders[at] {
		if ok, _ := path.Match(element, name); ok {
			out = append(out, path.Join(dir, name))
		}
	}
	return out
}

// Readlink returns a link's target as written.
func (m *Memory) Readlink(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.find(name, false)
	if err != nil {
		return "", err
	}
	target, ok := m.tree.Links[at]
	if !ok {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: syscall.EINVAL}
	}
	return target, nil
}

// Stat follows links.
func (m *Memory) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.find(name, true)
	if err != nil {
		return nil, err
	}
	if text, ok := m.content(at); ok {
		return tegra.FileInfo{Base: path.Base(at), Bytes: int64(len(text)), Kind: 0o644}, nil
	}
	return tegra.FileInfo{Base: path.Base(at), Kind: fs.ModeDir | 0o755}, nil
}

// memoryFile is an open file.
type memoryFile struct {
	m      *Memory
	at     string
	closed bool
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.closed {
		return 0, fs.ErrClosed
	}
	text, _ := f.m.content(f.at)
	n := copy(p, text[min(off, int64(len(text))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.closed = true
	return nil
}

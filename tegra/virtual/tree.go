package virtual

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"jtune/tegra"
)

// node is a file, folder or link of the tree. Its functions are called with the board locked and its state up to date.
type node struct {
	link  string           // target of a symbolic link
	kids  map[string]*node // of a folder
	get   func() string    // content of a file
	set   func(string) error
	fails func() error // error of reading; nil if it works
	gone  func() bool  // the file is currently hidden
}

func (n *node) absent() bool { return n.gone != nil && n.gone() }

// files is the board's tegra.FS.
type files struct{ b *Board }

var _ tegra.FS = files{}

// place puts a node at an absolute path and creates its parent folders.
func (b *Board) place(name string, n *node) *node {
	at := b.root
	parts := strings.Split(strings.Trim(name, "/"), "/")
	for _, p := range parts[:len(parts)-1] {
		if at.kids[p] == nil {
			at.kids[p] = &node{kids: map[string]*node{}}
		}
		at = at.kids[p]
	}
	at.kids[parts[len(parts)-1]] = n
	return n
}

func (b *Board) link(name, target string) *node { return b.place(name, &node{link: target}) }

// show adds a read-only file.
func (b *Board) show(name string, get func() string) *node { return b.place(name, &node{get: get}) }

// text adds a file of fixed content.
func (b *Board) text(name, content string) *node {
	return b.show(name, func() string { return content })
}

// knob adds a readable and writable file.
func (b *Board) knob(name string, get func() string, set func(string) error) *node {
	return b.place(name, &node{get: get, set: set})
}

// cell adds a knob that stores one of the allowed texts; none allowed: any text.
func (b *Board) cell(name string, value *string, allowed ...string) *node {
	return b.knob(name, func() string { return *value + "\n" }, func(v string) error {
		if len(allowed) > 0 && !slices.Contains(allowed, v) {
			return syscall.EINVAL
		}
		*value = v
		return nil
	})
}

const maxLinks = 40

// find returns a node and its path without links. follow also follows a link at the end.
func (f files) find(name string, follow bool) (*node, string, error) {
	left := strings.Split(strings.Trim(path.Clean("/"+name), "/"), "/")
	at, where := f.b.root, "/"
	for links := 0; len(left) > 0; {
		p := left[0]
		left = left[1:]
		if p == "" {
			continue
		}
		next := at.kids[p]
		if next == nil || next.absent() {
			if at.kids == nil {
				return nil, "", syscall.ENOTDIR
			}
			return nil, "", syscall.ENOENT
		}
		if next.link == "" || (len(left) == 0 && !follow) {
			at, where = next, path.Join(where, p)
			continue
		}
		if links++; links > maxLinks {
			return nil, "", syscall.ELOOP
		}
		target := next.link
		if !path.IsAbs(target) {
			target = path.Join(where, target)
		}
		left = append(strings.Split(strings.Trim(path.Clean(target), "/"), "/"), left...)
		at, where = f.b.root, "/"
	}
	return at, where, nil
}

func failed(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// read returns a node's content, subject to faults.
func (f files) read(n *node, name, where string) ([]byte, error) {
	if n.kids != nil {
		return nil, syscall.EISDIR
	}
	if fault := f.b.fault(name, where, reading); fault != nil {
		if fault.Read != nil {
			return nil, fault.Read
		}
		if fault.Garbage != "" {
			return []byte(fault.Garbage), nil
		}
	}
	if n.fails != nil {
		if err := n.fails(); err != nil {
			return nil, err
		}
	}
	if n.get == nil {
		return nil, syscall.EACCES
	}
	return []byte(n.get()), nil
}

// write writes a text to a node, subject to faults.
func (f files) write(n *node, name, where string, data []byte) error {
	if n.kids != nil {
		return syscall.EISDIR
	}
	if fault := f.b.fault(name, where, writing); fault != nil {
		if fault.Write != nil {
			return fault.Write
		}
		if fault.Stuck {
			return nil
		}
	}
	if n.set == nil {
		return syscall.EACCES
	}
	if len(data) == 0 {
		return syscall.EINVAL
	}
	return n.set(strings.TrimRight(string(data), "\n"))
}

// at calls do for the node at a path with the board locked. Errors name the operation.
func (f files) at(op, name string, follow bool, do func(n *node, where string) error) error {
	defer f.b.enter()()
	n, where, err := f.find(name, follow)
	if err == nil {
		err = do(n, where)
	}
	if err != nil {
		return failed(op, name, err)
	}
	return nil
}

func (f files) ReadFile(name string) (data []byte, err error) {
	err = f.at("read", name, true, func(n *node, where string) (err error) {
		data, err = f.read(n, name, where)
		return err
	})
	return data, err
}

func (f files) WriteFile(name string, data []byte) error {
	return f.at("write", name, true, func(n *node, where string) error { return f.write(n, name, where, data) })
}

func (f files) Readlink(name string) (target string, err error) {
	err = f.at("readlink", name, false, func(n *node, _ string) error {
		if target = n.link; target == "" {
			return syscall.EINVAL
		}
		return nil
	})
	return target, err
}

func (f files) Stat(name string) (st fs.FileInfo, err error) {
	err = f.at("stat", name, true, func(n *node, _ string) error {
		kind := fs.FileMode(0o444)
		switch {
		case n.kids != nil:
			kind = fs.ModeDir | 0o755
		case n.set != nil:
			kind = 0o644
		}
		st = tegra.FileInfo{Base: path.Base(name), Bytes: 4096, Kind: kind, Edited: f.b.clock.start} // as in sysfs
		return nil
	})
	return st, err
}

func (f files) Open(name string) (h tegra.File, err error) {
	err = f.at("open", name, true, func(n *node, where string) error {
		if n.kids != nil {
			return syscall.EISDIR
		}
		h = &handle{files: f, node: n, name: name, where: where}
		return nil
	})
	return h, err
}

// Glob lists the matching paths, sorted; it follows links in the middle.
func (f files) Glob(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	defer f.b.enter()()
	found := []string{"/"}
	for part := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		var next []string
		for _, dir := range found {
			n, _, err := f.find(dir, true)
			if err != nil {
				continue
			}
			for name, kid := range n.kids {
				if ok, _ := path.Match(part, name); ok && !kid.absent() {
					next = append(next, path.Join(dir, name))
				}
			}
		}
		found = next
	}
	slices.Sort(found)
	return found, nil
}

package tegra

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Node is a file or a link of a Nodes.
type Node struct {
	Link  string                  // target of a symbolic link
	Get   func() string           // content of a file; nil: nobody may read it
	Set   func(text string) error // takes what is written, whole; nil: nobody may write it
	Fails func() error            // error of reading a file; nil: none
	Gone  func() bool             // the name is not there now; nil: it always is
	Size  func() int64            // nil: a page, as in sysfs
	names []string                // of a folder, sorted
	hid   bool                    // in a folder that nobody may enter
}

// Nodes is an FS in memory whose content functions know. No name appears through it.
type Nodes struct {
	Enter  func() (leave func()) // called around every use
	Edited time.Time             // when the files were last changed

	// Before answers a reading or a writing in place of the file that was named so and lies at another name: with an
	// error, or with a text; ok is false if it does not. nil: it never does.
	Before func(name, at string, write bool) (text string, ok bool, err error)

	at map[string]*Node // by name without links; folders have neither Link nor Get nor Set
}

var _ FS = (*Nodes)(nil)

// Add puts a node at an absolute name without links, and its folders.
func (t *Nodes) Add(name string, n *Node) *Node {
	t.put(name, n)
	for name != "/" {
		dir := path.Dir(name)
		if t.at[dir] == nil {
			t.at[dir] = &Node{}
		}
		names := &t.at[dir].names
		i, there := slices.BinarySearch(*names, path.Base(name))
		if there {
			break
		}
		*names, name = slices.Insert(*names, i, path.Base(name)), dir
	}
	return n
}

// AddNew is Add unless the name is there.
func (t *Nodes) AddNew(name string, n *Node) {
	if !t.Has(name) {
		t.Add(name, n)
	}
}

// Hide marks a name that is not there as one that nobody may look for.
func (t *Nodes) Hide(name string) {
	if !t.Has(name) {
		t.put(name, &Node{hid: true})
	}
}

func (t *Nodes) put(name string, n *Node) {
	if t.at == nil {
		t.at = map[string]*Node{"/": {}}
	}
	t.at[name] = n
}

// Has reports whether there is a node of that name.
func (t *Nodes) Has(name string) bool { return t.at[name] != nil }

func (n *Node) folder() bool { return n.Link == "" && n.Get == nil && n.Set == nil && n.Fails == nil }

func (n *Node) gone() bool { return n.Gone != nil && n.Gone() }

// find returns the node of a name, and its name without links. last also follows a link in the last element.
func (t *Nodes) find(name string, last bool) (*Node, string, error) {
	gone := false
	at, err := FollowLinks(name, last, func(at string) (string, bool) {
		n := t.at[at]
		if n == nil {
			return "", false
		}
		gone = gone || n.gone()
		return n.Link, n.Link != ""
	})
	if err != nil {
		return nil, "", err
	}
	if n := t.at[at]; n != nil && !gone && !n.gone() {
		if n.hid {
			return nil, "", syscall.EACCES
		}
		return n, at, nil
	}
	err = syscall.ENOENT
	for dir := at; dir != "/"; dir = path.Dir(dir) {
		if over := t.at[path.Dir(dir)]; over != nil && !over.folder() {
			err = syscall.ENOTDIR
		}
		if len(path.Base(dir)) > 255 {
			err = syscall.ENAMETOOLONG
		}
	}
	if strings.Contains(at, "\x00") {
		err = syscall.EINVAL
	}
	return nil, "", err
}

// use calls do for the node of a name. Errors name the operation.
func (t *Nodes) use(op, name string, last bool, do func(n *Node, at string) error) error {
	defer t.Enter()()
	n, at, err := t.find(name, last)
	if err == nil {
		err = do(n, at)
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

// read returns a file's content.
func (t *Nodes) read(n *Node, name, at string) ([]byte, error) {
	if n.folder() {
		return nil, ErrIrregular
	}
	if t.Before != nil {
		if text, ok, err := t.Before(name, at, false); ok || err != nil {
			return []byte(text), err
		}
	}
	if n.Fails != nil {
		if err := n.Fails(); err != nil {
			return nil, err
		}
	}
	if n.Get == nil {
		return nil, syscall.EACCES
	}
	return []byte(n.Get()), nil
}

// ReadFile implements FS.
func (t *Nodes) ReadFile(name string) (data []byte, err error) {
	err = t.use("read", name, true, func(n *Node, at string) (err error) {
		data, err = t.read(n, name, at)
		return err
	})
	return data, err
}

// WriteFile implements FS.
func (t *Nodes) WriteFile(name string, data []byte) error {
	return t.use("write", name, true, func(n *Node, at string) error {
		if n.folder() {
			return ErrIrregular
		}
		if t.Before != nil {
			if _, ok, err := t.Before(name, at, true); ok || err != nil {
				return err
			}
		}
		if n.Set == nil {
			return syscall.EACCES
		}
		return n.Set(string(data))
	})
}

// Readlink implements FS.
func (t *Nodes) Readlink(name string) (target string, err error) {
	err = t.use("readlink", name, false, func(n *Node, _ string) error {
		if target = n.Link; target == "" {
			return syscall.EINVAL
		}
		return nil
	})
	return target, err
}

// Stat implements FS.
func (t *Nodes) Stat(name string) (st fs.FileInfo, err error) {
	err = t.use("stat", name, true, func(n *Node, at string) error {
		info := FileInfo{Base: path.Base(at), Bytes: 4096, Kind: 0o444, Edited: t.Edited}
		switch {
		case n.folder():
			info.Kind = fs.ModeDir | 0o755
		case n.Set != nil:
			info.Kind = 0o644
		}
		if n.Size != nil {
			info.Bytes = n.Size()
		}
		st = info
		return nil
	})
	return st, err
}

// Open implements FS. A file without permission cannot be opened; other errors come from reading it.
func (t *Nodes) Open(name string) (f File, err error) {
	err = t.use("open", name, true, func(n *Node, at string) error {
		if n.folder() {
			return ErrIrregular
		}
		if n.Fails != nil {
			if err := n.Fails(); errors.Is(err, fs.ErrPermission) {
				return err
			}
		}
		f = &nodeFile{t: t, node: n, name: name, at: at}
		return nil
	})
	return f, err
}

// Glob implements FS.
func (t *Nodes) Glob(pattern string) ([]string, error) {
	defer t.Enter()()
	return globWith(pattern, t.globIn)
}

// globIn lists the names in a folder that match. A link that leads nowhere matches a pattern, and not its own name.
func (t *Nodes) globIn(dir, element string) (out []string) {
	if !strings.ContainsAny(element, `*?[\`) {
		name := path.Join(dir, element)
		if _, _, err := t.find(name, true); err == nil {
			out = append(out, name)
		}
		return out
	}
	n, at, err := t.find(dir, true)
	if err != nil {
		return nil
	}
	for _, name := range n.names {
		if ok, _ := path.Match(element, name); ok && !t.at[path.Join(at, name)].gone() {
			out = append(out, path.Join(dir, name))
		}
	}
	return out
}

// nodeFile is an open file. Reading at offset 0 refreshes the content, as in kernel files; one that has vanished gives
// ENODEV.
type nodeFile struct {
	t        *Nodes
	node     *Node
	name, at string
	content  []byte
	closed   bool
}

func (f *nodeFile) ReadAt(p []byte, off int64) (int, error) {
	defer f.t.Enter()()
	var err error
	switch {
	case f.closed:
		err = fs.ErrClosed
	case f.node.gone():
		err = syscall.ENODEV
	case off == 0 || f.content == nil:
		f.content, err = f.t.read(f.node, f.name, f.at)
	}
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
	}
	return bytes.NewReader(f.content).ReadAt(p, off)
}

func (f *nodeFile) Close() error {
	defer f.t.Enter()()
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.name, Err: fs.ErrClosed}
	}
	f.closed = true
	return nil
}

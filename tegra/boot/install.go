package boot

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"jtune/tegra"
)

// maxUnit is the largest unit file that is read, in bytes.
const maxUnit = 1 << 16

// Dir is one unit of the system whose boot is configured: a root folder, "/" for this machine. It never reads or writes
// outside the folder, whatever links it contains.
type Dir struct {
	root *os.Root
	name string // of the unit
	mark string // its first line
	cut  func() // called before each change of a name, in tests; nil: none
}

// Open opens the system below root for the unit that applies a mode at every boot.
func Open(root string) (*Dir, error) { return open(root, Name, mark) }

func open(root, name, mark string) (*Dir, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, kind(err)
	}
	return &Dir{root: r, name: name, mark: mark}, nil
}

const (
	units = "/etc/systemd/system/"
	wants = units + "multi-user.target.wants/"
)

func (d *Dir) unit() string { return units + d.name }
func (d *Dir) link() string { return wants + d.name }

// target of the link is relative, so that it resolves below any root.
func (d *Dir) target() string { return "../" + d.name }

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Installed returns the unit's text; "" if there is none. The error wraps ErrForeign if jtune did not write the file of
// that name.
func (d *Dir) Installed() (string, error) {
	name := below(d.unit())
	st, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", kind(err)
	case !st.Mode().IsRegular():
		return "", foreign(d.unit(), "it is not a regular file")
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", kind(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxUnit))
	if err != nil {
		return "", kind(err)
	}
	if !d.ours(text) {
		return "", foreign(d.unit(), "it lacks our first line")
	}
	return string(text), nil
}

// Enabled reports whether the unit runs at boot. The error wraps ErrForeign if something else has the link's name.
func (d *Dir) Enabled() (bool, error) {
	target, err := d.root.Readlink(below(d.link()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, syscall.EINVAL):
		return false, foreign(d.link(), "it is not a link")
	case err != nil:
		return false, kind(err)
	case target != d.target() && target != d.unit(): // systemctl enable writes an absolute link
		return false, foreign(d.link(), "it leads to "+target)
	}
	return true, nil
}

// present returns the results of Installed and Enabled.
func (d *Dir) present() (text string, enabled bool, err error) {
	if text, err = d.Installed(); err == nil {
		enabled, err = d.Enabled()
	}
	return text, enabled, err
}

// Check returns the error that Install would return, and leaves nothing behind: it wraps tegra.ErrPermission without
// the rights, ErrForeign if another file has the name.
func (d *Dir) Check() error {
	if _, _, err := d.present(); err != nil {
		return err
	}
	for _, name := range []string{d.unit(), d.link()} {
		dir, err := d.nearest(path.Dir(below(name)))
		if err != nil {
			return err
		}
		f, temp, err := d.temporary(dir)
		if err != nil {
			return kind(err)
		}
		f.Close()
		if err := d.root.Remove(temp); err != nil {
			return kind(err)
		}
	}
	return nil
}

// nearest returns dir, or its closest ancestor that exists.
func (d *Dir) nearest(dir string) (string, error) {
	for {
		_, err := d.root.Stat(dir)
		if err == nil || dir == "." {
			return dir, kind(err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", kind(err)
		}
		dir = path.Dir(dir)
	}
}

// Install writes and enables the unit. A crash leaves the old unit, the new one, or none and a link that leads nowhere,
// which systemd ignores: a unit that is there is enabled. The file gets its name only once it is completely on disk.
func (d *Dir) Install(text string) error {
	if !d.ours([]byte(text)) {
		panic("boot: a unit without our mark")
	}
	old, enabled, err := d.present()
	if err != nil {
		return err
	}
	if err := d.root.MkdirAll(below(wants), 0o755); err != nil {
		return kind(err)
	}
	if !enabled {
		d.step()
		if err := d.root.Symlink(d.target(), below(d.link())); err != nil {
			return kind(err)
		}
	}
	if err := d.sync(below(wants)); err != nil {
		return err
	}
	return d.write(d.unit(), text, old != "")
}

// write moves the text into place: over jtune's own file by rename, else by a hard link, which fails if another file
// has appeared since.
func (d *Dir) write(name, text string, replace bool) error {
	dir := path.Dir(below(name))
	f, temp, err := d.temporary(dir)
	if err != nil {
		return kind(err)
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	d.step()
	switch {
	case err != nil:
	case replace:
		err = d.root.Rename(temp, below(name))
	default:
		err = d.root.Link(temp, below(name))
	}
	if rerr := d.root.Remove(temp); err == nil && !replace {
		err = rerr
	}
	if errors.Is(err, fs.ErrExist) {
		return foreign(name, "it appeared just now")
	}
	if err != nil {
		return kind(err)
	}
	return d.sync(dir)
}

// Remove removes the unit, and then its link. The error wraps ErrNotInstalled if neither exists, ErrForeign if either
// is not jtune's.
func (d *Dir) Remove() error {
	text, enabled, err := d.present()
	if err != nil {
		return err
	}
	if text == "" && !enabled {
		return ErrNotInstalled
	}
	if d.step(); text != "" {
		if err := d.root.Remove(below(d.unit())); err != nil {
			return kind(err)
		}
		if err := d.sync(below(units)); err != nil {
			return err
		}
	}
	if d.step(); enabled {
		return kind(d.root.Remove(below(d.link())))
	}
	return nil
}

// temporary creates a new file under an unpredictable name; systemd ignores it, since the name does not end in a unit
// type.
func (d *Dir) temporary(dir string) (*os.File, string, error) {
	name := path.Join(dir, ".jtune-"+rand.Text())
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	return f, name, err
}

// sync makes changes of names in a folder durable.
func (d *Dir) sync(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return kind(err)
	}
	defer f.Close()
	return kind(f.Sync())
}

func (d *Dir) step() {
	if d.cut != nil {
		d.cut()
	}
}

// ours reports whether jtune wrote a unit.
func (d *Dir) ours(text []byte) bool { return strings.HasPrefix(string(text), d.mark+"\n") }

// below returns a name in the form that os.Root expects.
func below(name string) string { return strings.Trim(name, "/") }

func foreign(name, why string) error {
	return fmt.Errorf("%s is %w (%s): move it away first", name, ErrForeign, why)
}

// kind adds tegra.ErrPermission to errors that root rights or a writable root would avoid.
func kind(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the boot unit: %w: %w", tegra.ErrPermission, err)
	}
	return fmt.Errorf("the boot unit: %w", err)
}

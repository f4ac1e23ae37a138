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

// linkTarget is relative, so that it means the unit below any root.
const linkTarget = "../" + Name

// maxUnit bounds what is read of a unit file.
const maxUnit = 1 << 16

// Dir is the system whose boot is configured: a root folder, "/" for this
// machine's own. Nothing outside it is read or written, whatever links it
// holds.
type Dir struct{ root *os.Root }

// Open opens the system below root.
func Open(root string) (*Dir, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, kind(err)
	}
	return &Dir{r}, nil
}

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Installed returns the unit's text; "" when there is none.
// errors.Is(err, ErrForeign) when a file of that name is not ours.
func (d *Dir) Installed() (string, error) {
	name := below(Path)
	st, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", kind(err)
	case !st.Mode().IsRegular():
		return "", foreign(Path, "it is not a regular file")
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
	if !ours(text) {
		return "", foreign(Path, "it lacks our first line")
	}
	return string(text), nil
}

// Enabled reports whether the unit is wanted at boot.
// errors.Is(err, ErrForeign) when something else has the link's name.
func (d *Dir) Enabled() (bool, error) {
	target, err := d.root.Readlink(below(Link))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, syscall.EINVAL):
		return false, foreign(Link, "it is not a link")
	case err != nil:
		return false, kind(err)
	case target != linkTarget && target != Path: // systemctl enable writes the absolute one
		return false, foreign(Link, "it leads to "+target)
	}
	return true, nil
}

// present is Installed and Enabled.
func (d *Dir) present() (text string, enabled bool, err error) {
	if text, err = d.Installed(); err == nil {
		enabled, err = d.Enabled()
	}
	return text, enabled, err
}

// Check returns the error that Install would meet here, and leaves nothing behind:
// errors.Is(err, tegra.ErrPermission) without the rights, ErrForeign
// where a file is in the way.
func (d *Dir) Check() error {
	if _, _, err := d.present(); err != nil {
		return err
	}
	for _, name := range []string{Path, Link} {
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

// nearest is the folder itself, or the one above it that is there.
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

// Install writes the unit and has it run at boot. A crash leaves the old unit,
// the new one, or a new one that is not wanted yet. The file appears under its
// name only when it is whole and on the disk.
func (d *Dir) Install(text string) error {
	if !ours([]byte(text)) {
		panic("boot: a unit without our mark")
	}
	old, enabled, err := d.present()
	if err != nil {
		return err
	}
	if err := d.root.MkdirAll(path.Dir(below(Link)), 0o755); err != nil {
		return kind(err)
	}
	if err := d.write(text, old != ""); err != nil {
		return err
	}
	if !enabled {
		if err := d.root.Symlink(linkTarget, below(Link)); err != nil {
			return kind(err)
		}
	}
	return d.sync(path.Dir(below(Link)))
}

// write puts the text in place: over our own file by rename, else by a hard
// link, which fails where a file has appeared in the meantime.
func (d *Dir) write(text string, replace bool) error {
	dir := path.Dir(below(Path))
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
	switch {
	case err != nil:
	case replace:
		err = d.root.Rename(temp, below(Path))
	default:
		err = d.root.Link(temp, below(Path))
	}
	if rerr := d.root.Remove(temp); err == nil && !replace {
		err = rerr
	}
	if errors.Is(err, fs.ErrExist) {
		return foreign(Path, "it appeared just now")
	}
	if err != nil {
		return kind(err)
	}
	return d.sync(dir)
}

// Remove takes the unit away and its link. errors.Is(err, ErrNotInstalled)
// when there is neither, ErrForeign when either is not ours.
func (d *Dir) Remove() error {
	text, enabled, err := d.present()
	if err != nil {
		return err
	}
	if text == "" && !enabled {
		return ErrNotInstalled
	}
	if enabled {
		err = d.root.Remove(below(Link))
	}
	if text != "" && err == nil {
		err = d.root.Remove(below(Path))
	}
	if err != nil {
		return kind(err)
	}
	return d.sync(path.Dir(below(Path)))
}

// temporary makes a new file that nobody else could have prepared; systemd
// reads only names that end in a unit's kind.
func (d *Dir) temporary(dir string) (*os.File, string, error) {
	name := path.Join(dir, ".jtune-"+rand.Text())
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o644)
	return f, name, err
}

// sync makes names that were changed in a folder last.
func (d *Dir) sync(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return kind(err)
	}
	defer f.Close()
	return kind(f.Sync())
}

// below is a name as os.Root takes it.
func below(name string) string { return strings.TrimPrefix(name, "/") }

func foreign(name, why string) error {
	return fmt.Errorf("%s is %w (%s): move it away first", name, ErrForeign, why)
}

// kind marks what only root may do, and what leads out of the root.
func kind(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the boot unit: %w: %w", tegra.ErrPermission, err)
	}
	return fmt.Errorf("the boot unit: %w", err)
}

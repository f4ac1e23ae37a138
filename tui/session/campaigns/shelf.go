package campaigns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tui/session/config"
)

// Shelf renames, deletes, restores and purges the kept things of one kind: campaigns or models. Deleted ones move to
// the folder deleted in the data directory, where they stay until they are purged:
//
//	campaigns/NAME      ──delete──►  deleted/campaigns/NAME      ──purge──► gone
//	models/NAME.model   ◄──restore── deleted/models/NAME.model
type Shelf struct {
	Paths  config.Paths
	Kind   string // CampaignsKind or ModelsKind
	Suffix string // of an entry's file
	// Lock keeps others from using an entry while it moves; nil: its caller does.
	Lock func(path string) (unlock func() error, err error)
	// Moved is called when an entry was deleted or restored, with its new path; nil: nothing follows.
	Moved func(path string) error
}

// DeletedDir returns the folder of the deleted entries of a kind.
func DeletedDir(o config.Paths, kind string) string {
	return filepath.Join(o.DataPath(), DeletedKind, kind)
}

// Folders of the data directory.
const (
	DeletedKind   = "deleted"
	CampaignsKind = "campaigns"
	ModelsKind    = "models"
)

// One is the kind's name of one entry.
func (s Shelf) One() string { return strings.TrimSuffix(s.Kind, "s") }

func (s Shelf) kept() string    { return filepath.Join(s.Paths.DataPath(), s.Kind) }
func (s Shelf) deleted() string { return DeletedDir(s.Paths, s.Kind) }

// Rename renames an entry.
func (s Shelf) Rename(name, to string) error {
	path, err := s.entry(s.kept(), name)
	if err == nil {
		err = NewName(s.One(), to)
	}
	if err != nil {
		return err
	}
	return s.move(path, filepath.Join(s.kept(), to+s.Suffix))
}

// Delete moves an entry to the deleted ones, under its name or the next free one, which it returns.
func (s Shelf) Delete(name string) (aside string, err error) {
	path, err := s.entry(s.kept(), name)
	if err != nil {
		return "", err
	}
	to := freeName(s.deleted(), name, s.Suffix)
	return strings.TrimSuffix(filepath.Base(to), s.Suffix), s.toOrFrom(path, to)
}

// Restore moves a deleted entry back.
func (s Shelf) Restore(name string) error {
	path, err := s.entry(s.deleted(), name)
	if err != nil {
		return err
	}
	return s.toOrFrom(path, filepath.Join(s.kept(), name+s.Suffix))
}

// Purge permanently removes deleted entries, the named one or all, and lists them.
func (s Shelf) Purge(only ...string) (names []string, err error) {
	dir := s.deleted()
	for _, name := range only {
		path, err := s.entry(dir, name)
		if err != nil {
			return nil, err
		}
		names = append(names, filepath.Base(path))
	}
	if len(only) == 0 {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("deleted %s: %w", s.Kind, err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	defer safefile.SyncDir(dir)
	for i, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return names[:i], config.Denied(err, Elsewhere)
		}
	}
	return names, nil
}

// entry finds an entry directly in a folder.
func (s Shelf) entry(parent, name string) (string, error) {
	if err := plainName(s.One(), name); err != nil {
		return "", err
	}
	path := filepath.Join(parent, name+s.Suffix)
	if _, err := os.Lstat(path); err != nil {
		return "", fmt.Errorf("no %s %s in %s: jtune %s lists them", s.One(), name, parent, s.Kind)
	}
	return path, nil
}

// move renames an entry that no process is using, and never overwrites another.
func (s Shelf) move(from, to string) error {
	unlock, err := func() error { return nil }, error(nil)
	if s.Lock != nil {
		if unlock, err = s.Lock(from); err != nil {
			return err
		}
	}
	err = config.Denied(os.MkdirAll(filepath.Dir(to), 0o755), Elsewhere)
	if _, there := os.Lstat(to); err == nil && there == nil {
		err = usage.Errorf("%s is there already: rename one of them", to)
	}
	if err == nil {
		err = config.Denied(safefile.Rename(from, to), Elsewhere)
	}
	return errors.Join(err, unlock())
}

// toOrFrom moves an entry to the deleted ones, or back from there.
func (s Shelf) toOrFrom(from, to string) error {
	err := s.move(from, to)
	if err == nil && s.Moved != nil {
		err = s.Moved(to)
	}
	return err
}

// plainName rejects names that are not plain file names.
func plainName(what, name string) error {
	if name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
		return usage.Errorf("%s name %q: give a plain name without slashes", what, name)
	}
	return nil
}

// mostName is the maximum length of a new name in bytes: file systems allow 255, and a suffix is appended.
const mostName = 200

// NewName rejects names that are not plain file names, or that lists and command lines cannot show.
func NewName(what, name string) error {
	if err := plainName(what, name); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(name, "-"):
		return usage.Errorf("%s name %s: give a name that does not begin with -, as flags do", what, text.Clip(name))
	case len(name) > mostName:
		return usage.Errorf("%s name of %d bytes: give one of %d at most", what, len(name), mostName)
	case name != text.OneLine(name):
		return usage.Errorf("%s name %q: give a name of printed characters, without blanks around it", what, name)
	}
	return nil
}

// freeName returns the path of a name in a folder, with a number appended if it is taken.
func freeName(dir, name, suffix string) string {
	path := filepath.Join(dir, name+suffix)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, suffix))
	}
}

// Elsewhere is the advice if the data directory cannot be written.
var Elsewhere = "choose another place with " + usage.DataDir.Value()

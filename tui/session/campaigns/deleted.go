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
	"jtune/profiles/record"
	"jtune/tui/session/config"
)

// Deleted campaigns and models move to the folder deleted in the data directory, where they stay until they are purged:
//
//	campaigns/NAME      ──delete──►  deleted/campaigns/NAME      ──purge──► gone
//	models/NAME.model   ◄──restore── deleted/models/NAME.model

func DeletedDir(o config.Paths, kind string) string {
	return filepath.Join(o.DataPath(), DeletedKind, kind)
}

const (
	DeletedKind   = "deleted"
	CampaignsKind = "campaigns"
	ModelsKind    = "models"
)

// SetAside moves a campaign to the deleted ones, under its name or the next free one.
func SetAside(o config.Paths, name string) (Campaign, error) {
	return moved(o, name, o.CampaignsDir(), FreeName(DeletedDir(o, CampaignsKind), name, ""))
}

// BringBack moves a deleted campaign back to the others.
func BringBack(o config.Paths, name string) (Campaign, error) {
	return moved(o, name, DeletedDir(o, CampaignsKind), filepath.Join(o.CampaignsDir(), name))
}

// moved moves the named campaign of a folder to another place and returns it.
func moved(o config.Paths, name, from, to string) (Campaign, error) {
	c, err := ownCampaign(o, from, name)
	if err != nil {
		return c, err
	}
	if _, err := moveCampaign(c.Dir, to); err != nil {
		return c, err
	}
	c.Dir = to
	return c, nil
}

// Rename renames a campaign.
func Rename(o config.Paths, name, to string) error {
	c, err := ownCampaign(o, o.CampaignsDir(), name)
	if err == nil {
		err = NewName("campaign", to)
	}
	if err == nil {
		_, err = moveCampaign(c.Dir, filepath.Join(o.CampaignsDir(), to))
	}
	return err
}

// Purge permanently removes a deleted campaign.
func Purge(o config.Paths, name string) ([]string, error) {
	return PurgeKind(o, CampaignsKind, name, "")
}

// PurgeAll permanently removes all deleted campaigns and lists them.
func PurgeAll(o config.Paths) ([]string, error) { return PurgeAllOf(o, CampaignsKind) }

// PurgeKind permanently removes a deleted entry of a kind.
func PurgeKind(o config.Paths, kind, name, suffix string) ([]string, error) {
	dir := DeletedDir(o, kind)
	if _, err := OwnEntry(o, dir, kind, name, suffix); err != nil {
		return nil, err
	}
	return removed(dir, []string{name + suffix})
}

// PurgeAllOf permanently removes all deleted entries of a kind and lists them.
func PurgeAllOf(o config.Paths, kind string) ([]string, error) {
	dir := DeletedDir(o, kind)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("deleted %s: %w", kind, err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return removed(dir, names)
}

// removed removes entries of a folder and lists those it removed.
func removed(dir string, names []string) ([]string, error) {
	defer safefile.SyncDir(dir)
	for i, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return names[:i], config.Denied(err, Elsewhere)
		}
	}
	return names, nil
}

// ownCampaign finds a campaign directly in a folder.
func ownCampaign(o config.Paths, parent, name string) (Campaign, error) {
	dir, err := OwnEntry(o, parent, CampaignsKind, name, "")
	if err != nil {
		return Campaign{}, err
	}
	return ReadCampaignFolder(dir), nil
}

func OwnEntry(o config.Paths, parent, kind, name, suffix string) (string, error) {
	if err := plainName(strings.TrimSuffix(kind, "s"), name); err != nil {
		return "", err
	}
	path := filepath.Join(parent, name+suffix)
	if _, err := os.Lstat(path); err != nil {
		return "", fmt.Errorf("no %s %s in %s: jtune %s lists them", strings.TrimSuffix(kind, "s"), name, parent, kind)
	}
	return path, nil
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

// FreeName returns the path of a name in a folder, with a number appended if it is taken.
func FreeName(dir, name, suffix string) string {
	path := filepath.Join(dir, name+suffix)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, suffix))
	}
}

// moveCampaign moves a folder that no process is using, and returns its new name.
func moveCampaign(dir, to string) (string, error) {
	unlock, err := record.Lock(dir)
	if err != nil {
		return "", err
	}
	return filepath.Base(to), errors.Join(Move(dir, to), unlock())
}

// Move renames a file or folder and never overwrites another.
func Move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return config.Denied(err, Elsewhere)
	}
	if _, err := os.Lstat(to); err == nil {
		return usage.Errorf("%s is there already: rename one of them", to)
	}
	return config.Denied(safefile.Rename(from, to), Elsewhere)
}

var Elsewhere = "choose another place with " + usage.DataDir.Value()

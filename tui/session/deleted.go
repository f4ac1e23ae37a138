package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/usage"
	"jtune/profiles/record"
)

// Deleted campaigns and models are moved aside, to folder deleted of the data directory,
// where they stay until they are purged:
//
//	campaigns/NAME      ──delete──►  deleted/campaigns/NAME      ──purge──► gone
//	models/NAME.model   ◄──restore── deleted/models/NAME.model

func (o Paths) deletedDir(kind string) string {
	return filepath.Join(o.DataPath(), deletedKind, kind)
}

const (
	deletedKind   = "deleted"
	campaignsKind = "campaigns"
	modelsKind    = "models"
)

// DeletedCampaigns lists the campaigns that can be restored, the oldest first.
func (o Paths) DeletedCampaigns() ([]Campaign, error) {
	return campaignsIn(o.deletedDir(campaignsKind))
}

// setAside moves a campaign to the deleted ones, under its name or the next free one.
func (o Paths) setAside(name string) (Campaign, error) {
	return o.moved(name, o.campaignsDir(), freeName(o.deletedDir(campaignsKind), name, ""))
}

// bringBack moves a deleted campaign back to the others.
func (o Paths) bringBack(name string) (Campaign, error) {
	return o.moved(name, o.deletedDir(campaignsKind), filepath.Join(o.campaignsDir(), name))
}

// moved is the campaign of that name in a folder, after it has been moved to another place.
func (o Paths) moved(name, from, to string) (Campaign, error) {
	c, err := o.ownCampaign(from, name)
	if err != nil {
		return c, err
	}
	if _, err := moveCampaign(c.Dir, to); err != nil {
		return c, err
	}
	c.Dir = to
	return c, nil
}

// DeleteCampaign moves a campaign aside. The model of its pool forgets its rows; one that
// is left with none is moved aside as well. It gives the name to restore it by.
func (o Options) DeleteCampaign(name string) (string, error) {
	c, err := o.setAside(name)
	if err != nil {
		return "", err
	}
	return filepath.Base(c.Dir), o.refit(c)
}

// RestoreCampaign brings a deleted campaign back; the model of its pool learns it again.
func (o Options) RestoreCampaign(name string) error {
	c, err := o.bringBack(name)
	if err != nil {
		return err
	}
	return o.refit(c)
}

// RenameCampaign renames a campaign.
func (o Paths) RenameCampaign(name, to string) error {
	c, err := o.ownCampaign(o.campaignsDir(), name)
	if err == nil {
		err = plainName("campaign", to)
	}
	if err == nil {
		_, err = moveCampaign(c.Dir, filepath.Join(o.campaignsDir(), to))
	}
	return err
}

// PurgeCampaigns removes a deleted campaign for good, "" all of them, and lists which.
func (o Paths) PurgeCampaigns(name string) ([]string, error) {
	return o.purge(campaignsKind, name, "")
}

// DeleteModel moves a model or reference of the data directory aside and gives the name to
// restore it by. The model of a pool comes back when something is measured again.
func (o Paths) DeleteModel(name string) (string, error) {
	path, suffix, err := o.ownModel(o.ModelsDir(), name)
	if err != nil {
		return "", err
	}
	aside := freeName(o.deletedDir(modelsKind), name, suffix)
	return strings.TrimSuffix(filepath.Base(aside), suffix), move(path, aside)
}

// DeletedModels lists the models and references that can be restored, each kind the newest first.
func (o Paths) DeletedModels() ([]ModelInfo, error) {
	dir := o.deletedDir(modelsKind)
	out, err := readModels(dir)
	references, _ := filepath.Glob(filepath.Join(dir, "*"+referenceSuffix))
	for _, path := range references {
		out = append(out, ModelInfo{Name: strings.TrimSuffix(filepath.Base(path), referenceSuffix), Path: path,
			Modified: safefile.Modified(path), Err: errReference})
	}
	return out, err
}

// errReference is why a reference is no model.
var errReference = errors.New("a reference for other workloads, without measured modes")

// RestoreModel brings a deleted model back.
func (o Paths) RestoreModel(name string) error {
	path, suffix, err := o.ownModel(o.deletedDir(modelsKind), name)
	if err != nil {
		return err
	}
	return move(path, filepath.Join(o.ModelsDir(), name+suffix))
}

// RenameModel renames a model: under the new name searches keep it from then on.
func (o Paths) RenameModel(name, to string) error {
	path, suffix, err := o.ownModel(o.ModelsDir(), name)
	if err == nil {
		err = plainName("model", to)
	}
	if err != nil {
		return err
	}
	unlock, err := o.lockModels()
	if err != nil {
		return err
	}
	defer unlock()
	return move(path, filepath.Join(o.ModelsDir(), to+suffix))
}

// PurgeModels removes a deleted model for good, "" all of them, and lists which.
func (o Paths) PurgeModels(name string) ([]string, error) {
	if name == "" {
		return o.purge(modelsKind, "", "")
	}
	_, suffix, err := o.ownModel(o.deletedDir(modelsKind), name)
	if err != nil {
		return nil, err
	}
	return o.purge(modelsKind, name, suffix)
}

func (o Paths) purge(kind, name, suffix string) ([]string, error) {
	dir := o.deletedDir(kind)
	names := []string{name + suffix}
	if name == "" {
		names = nil
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("deleted %s: %w", kind, err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	} else if _, err := o.ownEntry(dir, kind, name, suffix); err != nil {
		return nil, err
	}
	defer safefile.SyncDir(dir)
	for i, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return names[:i], denied(err, elsewhere)
		}
	}
	return names, nil
}

// ownCampaign finds a campaign directly below a folder.
func (o Paths) ownCampaign(parent, name string) (Campaign, error) {
	dir, err := o.ownEntry(parent, campaignsKind, name, "")
	if err != nil {
		return Campaign{}, err
	}
	return readCampaignFolder(dir), nil
}

// ownModel finds a model or reference directly below a folder, and the ending of its file.
func (o Paths) ownModel(parent, name string) (path, suffix string, err error) {
	for _, suffix = range []string{modelSuffix, referenceSuffix} {
		if path, err = o.ownEntry(parent, modelsKind, name, suffix); err == nil {
			return path, suffix, nil
		}
	}
	return "", "", err
}

func (o Paths) ownEntry(parent, kind, name, suffix string) (string, error) {
	if err := plainName(strings.TrimSuffix(kind, "s"), name); err != nil {
		return "", err
	}
	path := filepath.Join(parent, name+suffix)
	if _, err := os.Lstat(path); err != nil {
		return "", fmt.Errorf("no %s %s in %s: jtune %s lists them", strings.TrimSuffix(kind, "s"), name, parent, kind)
	}
	return path, nil
}

// plainName rejects names that are no names of files.
func plainName(what, name string) error {
	if name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
		return usage.Errorf("%s name %q: give a plain name without slashes", what, name)
	}
	return nil
}

// freeName is the place of a name in a folder, or of the name with a number.
func freeName(dir, name, suffix string) string {
	path := filepath.Join(dir, name+suffix)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, suffix))
	}
}

// moveCampaign moves a folder that no process measures in, and gives its new name.
func moveCampaign(dir, to string) (string, error) {
	unlock, err := record.Lock(dir)
	if err != nil {
		return "", err
	}
	return filepath.Base(to), errors.Join(move(dir, to), unlock())
}

// move renames a file or folder, never onto another one.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return denied(err, elsewhere)
	}
	if _, err := os.Lstat(to); err == nil {
		return usage.Errorf("%s is there already: rename one of them", to)
	}
	return denied(safefile.Rename(from, to), elsewhere)
}

// refit derives the models of a campaign's pool again, after the campaign came or went.
func (o Options) refit(c Campaign) error {
	if !c.pools() {
		return nil
	}
	unlock, err := o.lockModels()
	if err != nil {
		return err
	}
	defer unlock()
	list, err := o.Campaigns()
	if err != nil {
		return err
	}
	sizes := []int{0, c.Header.Workload.Batch}
	for _, r := range c.pooled() {
		if r.Batch > 0 && !slices.Contains(sizes, r.Batch) {
			sizes = append(sizes, r.Batch)
		}
	}
	versions := []string{record.FrameworkVersions(c.Dir)}
	if newest := poolOf(list, c.Header.Workload, c.Board(), nil).versions; newest != versions[0] {
		versions = append(versions, newest)
	}
	var errs []error
	for _, batch := range sizes {
		for _, v := range versions {
			pool := newPool(c.Header.Workload, v, c.Board())
			pool.Batch = batch
			pool.collect(list)
			errs = append(errs, o.refitPool(pool, c.Header))
		}
	}
	return errors.Join(errs...)
}

// refitPool fits a pool's model again. One that is left without rows is moved aside; none
// is made for all sizes where there was none.
func (o Options) refitPool(pool Pool, h record.Header) error {
	path := o.modelOf(pool)
	space, err := h.Device.Space()
	if err != nil {
		return err
	}
	pool.keep(space)
	switch {
	case pool.Parts == nil && path == "", path == "" && (pool.Batch == 0 || pool.Batch != h.Workload.Batch):
		return nil
	case pool.Parts == nil:
		_, err := o.DeleteModel(strings.TrimSuffix(filepath.Base(path), modelSuffix))
		return err
	}
	board := h.Device.Board()
	if path == "" {
		if path, err = o.poolModel(pool, modelName(h.Workload, board)); err != nil {
			return err
		}
	}
	name := ""
	if pool.Batch == 0 {
		name = "none"
	}
	ref, err := o.reference(name, board, space)
	if err != nil {
		return err
	}
	m, err := fitPool(pool, nil, h.Workload.Name, board, space, ref, o.Seed, time.Now())
	if err != nil {
		return err
	}
	return denied(m.Save(path), elsewhere)
}

var elsewhere = "choose another place with " + usage.DataDir.Value()

package models

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
)

// DeleteCampaign moves a campaign to the deleted ones. The model of its pool forgets its rows; a model without rows is
// moved as well. It returns the name for restoring.
func DeleteCampaign(o session.Options, name string) (string, error) {
	c, err := campaigns.SetAside(o.Paths, name)
	if err != nil {
		return "", err
	}
	return filepath.Base(c.Dir), refit(o, c)
}

// RestoreCampaign moves a deleted campaign back; the model of its pool learns it again.
func RestoreCampaign(o session.Options, name string) error {
	c, err := campaigns.BringBack(o.Paths, name)
	if err != nil {
		return err
	}
	return refit(o, c)
}

// Delete moves a model or reference of the data directory to the deleted ones and returns the name for restoring. The
// model of a pool is created again at the next measurement.
func Delete(o config.Paths, name string) (string, error) {
	path, suffix, err := ownModel(o, o.ModelsDir(), name)
	if err != nil {
		return "", err
	}
	aside := campaigns.FreeName(campaigns.DeletedDir(o, campaigns.ModelsKind), name, suffix)
	return strings.TrimSuffix(filepath.Base(aside), suffix), campaigns.Move(path, aside)
}

// Deleted lists the models and references that can be restored, each kind newest first.
func Deleted(o config.Paths) ([]Info, error) {
	dir := campaigns.DeletedDir(o, campaigns.ModelsKind)
	out, err := readModels(dir, learn.Load)
	references, _ := filepath.Glob(filepath.Join(dir, "*"+referenceSuffix))
	for _, path := range references {
		out = append(out, Info{Name: strings.TrimSuffix(filepath.Base(path), referenceSuffix), Path: path,
			Modified: safefile.Modified(path), Err: campaigns.ErrReference})
	}
	return out, err
}

// Restore moves a deleted model back.
func Restore(o config.Paths, name string) error {
	path, suffix, err := ownModel(o, campaigns.DeletedDir(o, campaigns.ModelsKind), name)
	if err != nil {
		return err
	}
	return campaigns.Move(path, filepath.Join(o.ModelsDir(), name+suffix))
}

// Rename renames a model; later searches update it under the new name.
func Rename(o config.Paths, name, to string) error {
	path, suffix, err := ownModel(o, o.ModelsDir(), name)
	if err == nil {
		err = campaigns.NewName("model", to)
	}
	if err != nil {
		return err
	}
	unlock, err := lockModels(o)
	if err != nil {
		return err
	}
	defer unlock()
	return campaigns.Move(path, filepath.Join(o.ModelsDir(), to+suffix))
}

// PurgeAll permanently removes all deleted models and lists them.
func PurgeAll(o config.Paths) ([]string, error) { return campaigns.PurgeAllOf(o, campaigns.ModelsKind) }

// Purge permanently removes a deleted model.
func Purge(o config.Paths, name string) ([]string, error) {
	_, suffix, err := ownModel(o, campaigns.DeletedDir(o, campaigns.ModelsKind), name)
	if err != nil {
		return nil, err
	}
	return campaigns.PurgeKind(o, campaigns.ModelsKind, name, suffix)
}

// ownModel finds a model or reference directly in a folder, and returns the suffix of its file.
func ownModel(o config.Paths, parent, name string) (path, suffix string, err error) {
	for _, suffix = range []string{modelSuffix, referenceSuffix} {
		if path, err = campaigns.OwnEntry(o, parent, campaigns.ModelsKind, name, suffix); err == nil {
			return path, suffix, nil
		}
	}
	return "", "", err
}

// refit refits the models of a campaign's pool after the campaign was deleted or restored.
func refit(o session.Options, c campaigns.Campaign) error {
	if !c.Pools() {
		return nil
	}
	unlock, err := lockModels(o.Paths)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := campaigns.List(o.Paths)
	if err != nil {
		return err
	}
	sizes := []int{0, c.Header.Workload.Batch}
	for _, size := range c.Sizes {
		if !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	versions := []string{record.Framework(c.Versions)}
	if newest := NamePool(list, c.Header.Workload, c.Board, nil).versions; newest != versions[0] {
		versions = append(versions, newest)
	}
	var errs []error
	for _, batch := range sizes {
		for _, v := range versions {
			pool := poolAmong(list, c.Header.Workload, v, c.Board, batch)
			pool.read()
			errs = append(errs, refitPool(o, pool, *c.Header))
		}
	}
	return errors.Join(errs...)
}

// refitPool refits a pool's model. A model without rows is deleted; a model of all sizes is only updated, never
// created.
func refitPool(o session.Options, pool Pool, h record.Header) error {
	path := ModelOf(o.Paths, pool)
	space, err := h.Device.Space()
	if err != nil {
		return err
	}
	pool.keep(space)
	switch {
	case pool.Parts == nil && path == "", path == "" && (pool.Batch == 0 || pool.Batch != h.Workload.Batch):
		return nil
	case pool.Parts == nil:
		_, err := Delete(o.Paths, strings.TrimSuffix(filepath.Base(path), modelSuffix))
		return err
	}
	board := h.Device.Board()
	if path == "" {
		if path, err = poolModel(o.Paths, pool, h.Workload, h.Device); err != nil {
			return err
		}
	}
	name := ""
	if pool.Batch == 0 {
		name = "none"
	}
	ref, err := ReferenceOn(o.Paths, name, board, space)
	if err != nil {
		return err
	}
	m, err := fitPool(pool, nil, h.Workload.Name, board, space, ref, o.Seed, time.Now())
	if err != nil {
		return err
	}
	return config.Denied(m.Save(path), campaigns.Elsewhere)
}

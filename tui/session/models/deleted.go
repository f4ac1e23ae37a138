package models

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// Delete moves a model of the data directory to the deleted ones and returns the name for restoring. The
// model of a pool is created again at the next measurement.
func Delete(o config.Paths, name string) (string, error) {
	path, err := ownModel(o, o.ModelsDir(), name)
	if err != nil {
		return "", err
	}
	aside := campaigns.FreeName(campaigns.DeletedDir(o, campaigns.ModelsKind), name, modelSuffix)
	return strings.TrimSuffix(filepath.Base(aside), modelSuffix), campaigns.Move(path, aside)
}

// Deleted lists the models that can be restored, newest first.
func Deleted(o config.Paths) ([]Info, error) {
	return readModels(campaigns.DeletedDir(o, campaigns.ModelsKind), learn.Load)
}

// Restore moves a deleted model back.
func Restore(o config.Paths, name string) error {
	path, err := ownModel(o, campaigns.DeletedDir(o, campaigns.ModelsKind), name)
	if err != nil {
		return err
	}
	return campaigns.Move(path, filepath.Join(o.ModelsDir(), name+modelSuffix))
}

// Rename renames a model; later searches update it under the new name.
func Rename(o config.Paths, name, to string) error {
	path, err := ownModel(o, o.ModelsDir(), name)
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
	return campaigns.Move(path, filepath.Join(o.ModelsDir(), to+modelSuffix))
}

// PurgeAll permanently removes all deleted models and lists them.
func PurgeAll(o config.Paths) ([]string, error) { return campaigns.PurgeAllOf(o, campaigns.ModelsKind) }

// Purge permanently removes a deleted model.
func Purge(o config.Paths, name string) ([]string, error) {
	_, err := ownModel(o, campaigns.DeletedDir(o, campaigns.ModelsKind), name)
	if err != nil {
		return nil, err
	}
	return campaigns.PurgeKind(o, campaigns.ModelsKind, name, modelSuffix)
}

// ownModel finds a model directly in a folder.
func ownModel(o config.Paths, parent, name string) (path string, err error) {
	return campaigns.OwnEntry(o, parent, campaigns.ModelsKind, name, modelSuffix)
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
	m, err := fitPool(pool, nil, h.Workload.Name, board, space, nil, o.Seed, time.Now())
	if err != nil {
		return err
	}
	return config.Denied(m.Save(path), campaigns.Elsewhere)
}

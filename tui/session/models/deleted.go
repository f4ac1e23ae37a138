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

// CampaignShelf manages the campaigns of the data directory. The model of a deleted campaign's pool forgets its rows,
// and is deleted if it has no others; the model of a restored one learns them again.
func CampaignShelf(o session.Options) campaigns.Shelf {
	return campaigns.Shelf{Paths: o.Paths, Kind: campaigns.CampaignsKind, Lock: record.Lock,
		Moved: func(dir string) error { return refit(o, campaigns.ReadCampaignFolder(dir)) }}
}

// Shelf manages the models of the data directory. The model of a pool is created again at the next measurement; later
// searches update a renamed one.
func Shelf(o config.Paths) campaigns.Shelf {
	return campaigns.Shelf{Paths: o, Kind: campaigns.ModelsKind, Suffix: modelSuffix,
		Lock: func(string) (func() error, error) {
			unlock, err := lockModels(o)
			return func() error { unlock(); return nil }, err
		}}
}

// Deleted lists the models that can be restored, newest first.
func Deleted(o config.Paths) ([]Info, error) {
	return readModels(campaigns.DeletedDir(o, campaigns.ModelsKind), learn.Load)
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
	case pool.Parts == nil && path == "", path == "" && pool.Batch != h.Workload.Batch:
		return nil
	case pool.Parts == nil:
		locked := Shelf(o.Paths)
		locked.Lock = nil // the caller has it
		_, err := locked.Delete(strings.TrimSuffix(filepath.Base(path), modelSuffix))
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

package learn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Reference is another workload to transfer from: measured modes of the same device (for gp), or trained networks
// (for powertrain, which otherwise trains them from measured modes).
type Reference struct {
	Name       string
	Samples    []tegra.Measured // one per mode
	Grid       [2]tegra.Mode    // least and largest values of the modes measured, without Samples
	Networks   *nn.Pair         // nil: not trained, or not transferable
	Layers     nn.Layers        // layers of networks trained from Samples; zero: the paper's
	Provenance Provenance       // device is "" if unknown
}

// LoadReference reads a reference from a model file, a sweep file or a campaign folder.
func LoadReference(path string) (*Reference, error) {
	switch magicOf(path) {
	case reducedMagic:
		return nil, fmt.Errorf("reference %s: a reduced reference of an earlier version, which this one does not use; "+
			"give the model, sweep or campaign that it was made from", path)
	case fileMagic:
		m, err := Load(path)
		if err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		if err := oneSize(path, m.Samples); err != nil {
			return nil, err
		}
		name := referenceName(path, m.Provenance.Workload)
		r := &Reference{Name: name, Samples: m.Samples, Provenance: m.Provenance}
		if !m.HasPower() {
			return nil, fmt.Errorf("reference %s: it has no power, a reference needs time and power", path)
		}
		if b, ok := m.predictor.(*banded); ok {
			if p, ok := b.Networks(); ok && p.Transfers() {
				r.Networks = &p
			} else if ok {
				r.Layers = p.Time.Config.Layers
			}
		}
		return r, nil
	}
	table, err := sweep.ReadFile(path, sweep.Options{})
	if err != nil {
		return nil, fmt.Errorf("reference: %w; give a model file, a sweep file or a campaign folder", err)
	}
	if err := oneSize(path, table.Readings()); err != nil {
		return nil, err
	}
	return &Reference{Name: referenceName(path, ""), Samples: table.Measured()}, nil
}

// oneSize returns an error for samples of several batch sizes.
func oneSize(path string, samples []tegra.Measured) error {
	sizes := tegra.BatchSizes(tegra.SettingsOf(samples))
	if len(sizes) == 1 {
		return nil
	}
	return fmt.Errorf("reference %s: a reference has one batch size, not %s; fit or give one with %s", path,
		text.JoinInts(sizes), usage.Batch.Value())
}

// reducedMagic begins the files that earlier versions made with `models reduce`.
const reducedMagic = "jtune-reference"

// magicOf returns the first word of a file; "" if it is unreadable.
func magicOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	word, _, _ := strings.Cut(string(head[:n]), " ")
	return word
}

func referenceName(path, workload string) string {
	name := filepath.Base(filepath.Clean(path))
	if workload != "" {
		return workload + " (" + name + ")"
	}
	return name
}

var errForeignModes = errors.New("its power modes are not this device's; a reference must be of the same device")

// Residual returns the residual that gp transfers to a device with this space. Most of the reference's modes must
// belong to the space, or the space must list a subset of the reference's values (a coarser sweep of the same device).
func (r *Reference) Residual(space *tegra.Space) (*Residual, error) {
	if len(r.Samples) == 0 {
		return nil, errors.New("it has networks but no measured modes, which gp needs")
	}
	var here []tegra.Measured
	for _, m := range r.Samples {
		if listed(space, m.Mode) {
			here = append(here, m)
		}
	}
	if 2*len(here) >= len(r.Samples) {
		return newResidual(space, here)
	}
	whole, err := tegra.Spanned(tegra.ModesOf(tegra.SettingsOf(r.Samples)))
	if err != nil || !covers(whole, space) {
		return nil, errForeignModes
	}
	return newResidual(whole, r.Samples)
}

// covers reports whether whole lists every value that part lists.
func covers(whole, part *tegra.Space) bool {
	for k := range tegra.NumKnobs {
		values := whole.Values(k)
		for _, v := range part.Values(k) {
			if !slices.Contains(values, v) {
				return false
			}
		}
	}
	return true
}

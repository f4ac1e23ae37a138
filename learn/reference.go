package learn

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jtune/internal/safefile"
	"jtune/internal/usage"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Reference is another workload to transfer from: measured modes of the same device
// or what is left of them (for gp), or trained networks (for powertrain, which trains
// them from measured modes where there are none).
type Reference struct {
	Name       string
	Samples    []tegra.Measured // one per mode
	Compact    *Compact         // in place of Samples, for gp; nil: none
	Profile    *Profile         // that Compact was made from; nil: none
	Networks   *nn.Pair         // nil: none trained, or none that may be transferred
	Layers     nn.Layers        // of networks to train from Samples; zero: the paper's
	Provenance Provenance       // device "" when not known
}

// LoadReference reads a reference from a reference file (Compact.Save), a
// model file, a sweep file or a campaign folder.
func LoadReference(path string) (*Reference, error) {
	switch magicOf(path) {
	case referenceMagic:
		data, err := safefile.Read(path, mostFileBytes)
		if err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		c, err := decodeCompact(data)
		if err != nil {
			return nil, fmt.Errorf("reference %s: %w", path, err)
		}
		return c.reference(), nil
	case fileMagic:
		m, err := Load(path)
		if err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		if m.Batches != nil {
			return nil, fmt.Errorf("reference %s: a model of several batch sizes (%s) is not a reference; fit one "+
				"size with %s", path, strings.Trim(fmt.Sprint(m.Batches), "[]"), usage.Batch.Value())
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
	if table.HasBatch && len(table.Batches()) > 1 {
		return nil, fmt.Errorf("reference %s: rows of %d batch sizes; give a file of one",
			path, len(table.Batches()))
	}
	return &Reference{Name: referenceName(path, ""), Samples: table.Measured()}, nil
}

// magicOf is the first word of a file; "" when it cannot be read.
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

// Residual is what gp transfers from the reference, for a device with
// this space: most of its modes must be the device's, or the space one that
// lists a part of the reference's values (a coarser sweep of the same device).
func (r *Reference) Residual(space *tegra.Space) (*Residual, error) {
	if r.Compact != nil {
		return r.Compact.residual(space)
	}
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
		return NewResidual(space, here)
	}
	whole, err := tegra.Spanned(tegra.ModesOf(tegra.SettingsOf(r.Samples)))
	if err != nil || !covers(whole, space) {
		return nil, errForeignModes
	}
	return NewResidual(whole, r.Samples)
}

// covers reports whether a space lists every value that another one lists.
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

// Likeness is the correlation, over the space, of the reference's deviations from the
// mean function of time with those of a workload measured in these modes of it. A
// reduced reference of the very sweep comes to
// 0.998, of another workload on that board to 0.76 at most (the published
// sweeps of ResNet, MobileNet and LSTM). Too few modes are an error.
func (r *Reference) Likeness(space *tegra.Space, measured []tegra.Measured) (float64, error) {
	says, err := r.Residual(space)
	if err != nil {
		return 0, err
	}
	shows, err := NewResidual(space, measured)
	if err != nil {
		return 0, err
	}
	a, _ := says.over(space)
	b, _ := shows.over(space)
	return stat.Correlation(a, b, nil), nil
}

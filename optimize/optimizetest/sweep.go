package optimizetest

import (
	"context"
	"errors"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// Sweep answers probes from measured rows, one per mode.
type Sweep struct {
	Rows  []tegra.Measured
	Space *tegra.Space
	At    map[tegra.Mode]tegra.Measured
}

// NewSweep makes a sweep of measured rows.
func NewSweep(t testing.TB, rows []tegra.Measured) *Sweep {
	t.Helper()
	s := &Sweep{Rows: rows, At: map[tegra.Mode]tegra.Measured{}}
	modes := make([]tegra.Mode, len(rows))
	for i, r := range rows {
		modes[i], s.At[r.Mode] = r.Mode, r
	}
	var err error
	if s.Space, err = tegra.NewSubspace(modes); err != nil {
		t.Fatal(err)
	}
	return s
}

// Load reads a published sweep, and skips the test if the file is missing.
func Load(t testing.TB, name string) *Sweep {
	t.Helper()
	return NewSweep(t, sweeptest.Load(t, name))
}

// Measure returns the sweep's row of a mode.
func (s *Sweep) Measure(_ context.Context, m tegra.Mode) (tegra.Measured, error) {
	r, ok := s.At[m]
	if !ok {
		return r, errors.New("no such mode in the sweep")
	}
	return r, nil
}

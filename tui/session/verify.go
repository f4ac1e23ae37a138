package session

import (
	"context"
	"errors"

	"jtune/profiles"
	"jtune/tegra"
)

// Verify measures one mode and leaves the device as it was found. A row that
// is not usable says why.
func (s *Session) Verify(ctx context.Context, w profiles.Workload, m tegra.Mode, observe func(Event)) (profiles.Row, error) {
	bench, err := s.bench(ctx, w, profiles.Settings{}, observe)
	if err != nil {
		return profiles.Row{}, err
	}
	row, err := bench.Measure(ctx, profiles.Step{Mode: m, Why: "verify"})
	return row, errors.Join(err, bench.Close(), restore(ctx, bench.Applier))
}

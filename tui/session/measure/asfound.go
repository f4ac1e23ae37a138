package measure

import (
	"context"
	"errors"

	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// AsFound measures a workload on the board in its present state, at a batch size (0: the workload's own), and writes no
// knob. The row has no mode: it belongs to no campaign, and no model learns it. An unusable row says why.
func AsFound(ctx context.Context, s *session.Session, w workload.Workload, batch int, set record.Settings,
	observe func(Event)) (record.Row, error) {
	if err := workloads.CanRun(s, w); err != nil {
		return record.Row{}, err
	}
	bench, err := newBench(ctx, s, w, set, observe)
	if err != nil {
		return record.Row{}, err
	}
	EndOrphans(s, w, observe)
	bench.Observe = func(p profiles.Progress) {
		p.Row = nil
		Observer(observe).Progress(p)
	}
	row, err := bench.Measure(ctx, profiles.Step{Setting: tegra.Setting{Batch: batch}, AsFound: true})
	return row, errors.Join(err, bench.Close())
}

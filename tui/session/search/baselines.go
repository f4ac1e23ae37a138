package search

import (
	"cmp"
	"slices"
	"time"

	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
)

// warmFor is how long a reading stands for what the board does now.
const warmFor = time.Hour

// baselines are what the answer of a search is compared with.
func baselines(s *session.Session, r measure.TuneRequest, pool models.Pool) optimize.Baselines {
	var out optimize.Baselines
	if r.Baseline == measure.NoBaseline {
		return out
	}
	if m := s.Setup().Mode; m.OK {
		out.Present = tegra.Some(tegra.Setting{Mode: m.V, Batch: usualBatch(r)})
	}
	if r.Baseline == measure.BothBaselines {
		out.Presets = s.Device.Presets()
	}
	out.Warm = warm(pool, cmp.Or(r.Before, s.Clock.Wall()))
	return out
}

// usualBatch is the one of the batch sizes asked for that is nearest to the workload's own; 0 where it is not searched.
func usualBatch(r measure.TuneRequest) int {
	if r.Batches == nil {
		return 0
	}
	return slices.MinFunc(r.Batches, func(a, b int) int {
		return cmp.Compare(max(a, r.Workload.Batch)-min(a, r.Workload.Batch),
			max(b, r.Workload.Batch)-min(b, r.Workload.Batch))
	})
}

// warm are the readings of a pool that are at most warmFor old.
func warm(pool models.Pool, now time.Time) []tegra.Measured {
	var out []tegra.Measured
	for _, part := range pool.Parts {
		for _, row := range part.Rows {
			if now.Sub(row.When) <= warmFor {
				out = append(out, record.Usable([]record.Row{row})...)
			}
		}
	}
	return out
}

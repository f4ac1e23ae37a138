package control

import (
	"path/filepath"

	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/exporter"
	"jtune/tui/session"
	"jtune/tui/session/kept"
	"jtune/tui/session/task"
)

// Exporter serves the device's readings to Prometheus, and the progress of a jtune measuring on the board.
func Exporter(s *session.Session) *exporter.Exporter {
	campaigns := task.CampaignsOf(s)
	return exporter.New(exporter.Source{
		Device:   s.Device,
		Sampler:  s.Sampler,
		PresetID: s.Sysfs().PresetID,
		Kept:     func(r tegra.Reading) tegra.Val[bool] { return kept.InForce(s, r) },
		Job: func() (exporter.Job, bool) {
			f := Follow(campaigns, nil)
			if f == nil {
				return exporter.Job{}, false
			}
			return f.job(), true
		},
	})
}

// job returns a followed campaign for the exporter.
func (f *Followed) job() exporter.Job {
	j := exporter.Job{
		Name:     filepath.Base(f.Dir),
		Workload: f.Header.Workload.Name,
		Kind:     f.Header.Plan.Kind,
		Unit:     "minibatch",
	}
	if h := f.Header.Search; h != nil {
		j.LimitW = h.Limits[0].Limits.Val(metric.Power)
	}
	for _, r := range f.Rows {
		s := r.Serving
		if s != nil {
			j.Unit = s.Unit
			j.Units += int64(s.Units)
		} else {
			j.Units += int64(r.Minibatches)
		}
		switch {
		case !r.Status.Usable():
		case s == nil:
			j.UnitJ = tegra.Finite(r.EnergyJ)
		default:
			j.UnitJ = s.UnitJ
			j.Latency = []exporter.Quantile{
				{Share: 0.5, MS: tegra.Some(s.Latency.P50)},
				{Share: 0.95, MS: s.Latency.SureP95()},
				{Share: 0.99, MS: s.Latency.SureP99()},
			}
		}
	}
	if f.Reach != nil && f.Reach.Ran > 0 { // a run has no rows
		j.Units = int64(f.Reach.Ran)
	}
	return j
}

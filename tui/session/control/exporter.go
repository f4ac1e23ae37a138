package control

import (
	"cmp"
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
		Unit:     cmp.Or(f.Header.Workload.UnitName(), "minibatch"),
	}
	if h := f.Header.Search; h != nil {
		j.LimitW = h.Limits[0].Limits.Val(metric.Power)
	}
	for _, r := range f.Rows {
		if !r.Status.Usable() {
			continue
		}
		work := r.Work()
		j.Units += int64(work.Units)
		j.UnitJ, j.Latency = work.UnitJ, nil
		for _, q := range work.Latency.Quantiles() {
			j.Latency = append(j.Latency, exporter.Quantile(q))
		}
	}
	if f.Reach != nil && f.Reach.Ran > 0 { // a run has no rows
		j.Units = int64(f.Reach.Ran)
	}
	return j
}

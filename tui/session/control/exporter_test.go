package control

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/exporter"
	"jtune/tui/session/campaigns"
)

// TestExporterJobIsTheFollowedCampaign counts the minibatches of all rows and takes the energy of
// the last usable one.
func TestExporterJobIsTheFollowedCampaign(t *testing.T) {
	t.Parallel()
	row := func(s record.Status, n int, joules float64) record.Row {
		return record.Row{Status: s, Minibatches: n, EnergyJ: joules}
	}
	f := &Followed{
		Running: record.Running{Dir: "/data/campaigns/c1", PID: 1},
		Header: record.Header{
			Workload: workload.Workload{Name: "mine"},
			Plan:     record.PlanHeader{Kind: campaigns.TuneKind},
			Search:   &record.SearchHeader{Questions: metric.Question{Limit: metric.Watts(30)}.List()},
		},
		Rows: []record.Row{row(record.OK, 40, 3), row(record.OK, 41, 2), row(record.Rejected, 0, 0)},
	}
	want := exporter.Job{Name: "c1", Workload: "mine", Kind: "tune", Unit: "minibatch", Units: 81,
		UnitJ: tegra.Some(2.0), LimitW: tegra.Some(30.0),
		Latency: []exporter.Quantile{{Share: 0.5}, {Share: 0.95}, {Share: 0.99}}}
	must.Equal(t, cmp.Diff(want, f.job()), "")
	serving := func(units, requests int, p50, p99 float64) *record.Served {
		return &record.Served{Unit: "token", Units: units, UnitJ: tegra.Some(0.5), Requests: requests,
			Latency: record.Latency{P50: p50, P99: p99, N: requests}}
	}
	f.Header.Workload.Kind, f.Header.Workload.Unit = workload.Inference, workload.UnitToken
	f.Rows = []record.Row{{Status: record.OK, Serving: serving(300, 1000, 40, 90)},
		{Status: record.OK, Serving: serving(200, 1000, 20, 60)}}
	want.Unit, want.Units, want.UnitJ = "token", 500, tegra.Some(0.5)
	want.Latency = []exporter.Quantile{{Share: 0.5, MS: tegra.Some(20.0)}, {Share: 0.95, MS: tegra.Some(0.0)},
		{Share: 0.99, MS: tegra.Some(60.0)}}
	must.Equal(t, cmp.Diff(want, f.job()), "")
	f.Rows[1].Serving = serving(200, 8, 20, 60) // too few for the high quantiles
	for _, q := range f.job().Latency {
		must.Equal(t, q.MS.OK, q.Share == 0.5)
	}
	run := &Followed{Running: f.Running, Reach: &Reach{Ran: 17}}
	if got := run.job(); got.Units != 17 || got.UnitJ.OK || got.LimitW.OK {
		t.Errorf("a run: %+v", got)
	}
}

package session

import (
	"testing"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry/exporter"
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
			Plan:     record.PlanHeader{Kind: tuneKind},
			Search:   &record.SearchHeader{PowerW: 30},
		},
		Rows: []record.Row{row(record.OK, 40, 3), row(record.OK, 41, 2), row(record.Rejected, 0, 0)},
	}
	want := exporter.Job{Name: "c1", Workload: "mine", Kind: "tune", Unit: "minibatch", Units: 81,
		UnitJ: tegra.Some(2.0), LimitW: tegra.Some(30.0)}
	if got := f.job(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	run := &Followed{Running: f.Running, Reach: &Reach{Ran: 17}}
	if got := run.job(); got.Units != 17 || got.UnitJ.OK || got.LimitW.OK {
		t.Errorf("a run: %+v", got)
	}
}

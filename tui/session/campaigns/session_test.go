package campaigns

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/sessiontest"
)

func TestCampaignIsNamedByTheUsersClockNotTheVirtualBoards(t *testing.T) {
	s := sessiontest.Fast(t)
	before := time.Now().Truncate(time.Second)
	must.NoError(t, s.Clock.Sleep(t.Context(), 30*24*time.Hour))
	lstm := workload.Workload{Name: "lstm"}
	h := HeaderOf(s, lstm, record.PlanHeader{Kind: "sample"}, nil, record.Settings{})
	dir := must.Get(newCampaignDir(s.Paths, h))(t)
	stamp, ok := strings.CutSuffix(filepath.Base(dir), "-lstm-sample")
	when, err := time.ParseInLocation("20060102-150405", stamp, time.Local)
	if err != nil || !ok || when.Before(before) || when.After(time.Now()) {
		t.Errorf("a campaign begun at %v lies in %s (%v)", before, dir, err)
	}
}

// As a killed program leaves them: the job beside the question whether to keep a mode may have read nothing yet.
func TestCampaignsInLeavesOutAVerificationThatWasKilledBeforeItsFirstReading(t *testing.T) {
	s := sessiontest.Fast(t)
	h := HeaderOf(s, workload.Workload{Name: "lstm"}, record.PlanHeader{Kind: VerifyKind, Modes: 1}, nil,
		record.Settings{})
	var open *record.Record
	lists := func(when string, want int) {
		t.Helper()
		must.NoError(t, open.Close())
		must.Equal(t, len(must.Get(List(s.Paths))(t)), want)
	}
	begin := func() {
		t.Helper()
		open = must.Get(Record(s, "", h, false))(t)
	}
	begin()
	if list, err := List(s.Paths); err != nil || len(list) != 1 || list[0].State(Held(s.Paths)) != CampaignRunning {
		t.Errorf("while it runs: %d listed, error %v", len(list), err)
	}
	lists("killed before a reading", 0)
	if _, err := Find(s.Paths, filepath.Base(open.Dir())); err != nil {
		t.Errorf("its folder is gone: %v", err)
	}
	begin()
	must.NoError(t, open.Append(record.Row{Measured: tegra.Measured{Setting: tegra.Setting{
		Mode: s.Device.Space().At(0)}, TimeMS: 80, PowerW: 20}, Status: record.OK}))
	lists("killed after a reading", 1)
	begin()
	must.NoError(t, open.End("failed"))
	lists("the job could not be run", 2)
	h.Plan = record.PlanHeader{Kind: "sample", Modes: 3}
	begin()
	lists("a profile that can be resumed", 3)
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

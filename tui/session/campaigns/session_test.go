package campaigns

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session/sessiontest"
)

func TestCampaignIsNamedByTheUsersClockNotTheVirtualBoards(t *testing.T) {
	s := sessiontest.Fast(t)
	before := time.Now().Truncate(time.Second)
	must.NoError(t, s.Clock.Sleep(t.Context(), 30*24*time.Hour))
	lstm := workload.Workload{Name: "lstm"}
	h := HeaderOf(s, lstm, record.PlanHeader{Kind: "sample"}, nil, record.Settings{})
	dir, err := newCampaignDir(s.Paths, h)
	must.NoError(t, err)
	stamp, ok := strings.CutSuffix(filepath.Base(dir), "-lstm-sample")
	when, err := time.ParseInLocation("20060102-150405", stamp, time.Local)
	if err != nil || !ok || when.Before(before) || when.After(time.Now()) {
		t.Errorf("a campaign begun at %v lies in %s (%v)", before, dir, err)
	}
}

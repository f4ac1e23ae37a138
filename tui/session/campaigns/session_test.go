package campaigns

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session/sessiontest"
)

func TestCampaignIsNamedByTheUsersClockNotTheVirtualBoards(t *testing.T) {
	s := sessiontest.Fast(t)
	before := time.Now().Truncate(time.Second)
	if err := s.Clock.Sleep(t.Context(), 30*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	lstm := workload.Workload{Name: "lstm"}
	h := HeaderOf(s, lstm, record.PlanHeader{Kind: "sample"}, nil, record.Settings{})
	dir, err := newCampaignDir(s.Paths, h)
	if err != nil {
		t.Fatal(err)
	}
	stamp, ok := strings.CutSuffix(filepath.Base(dir), "-lstm-sample")
	when, err := time.ParseInLocation("20060102-150405", stamp, time.Local)
	if err != nil || !ok || when.Before(before) || when.After(time.Now()) {
		t.Errorf("a campaign begun at %v lies in %s (%v)", before, dir, err)
	}
}

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
	dir, err := newCampaignDir(s, HeaderOf(s, workload.Workload{Name: "lstm"}, record.PlanHeader{Kind: "sample"}, nil,
		record.Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	stamp, ok := strings.CutSuffix(filepath.Base(dir), "-lstm-sample")
	when, err := time.ParseInLocation("20060102-150405", stamp, time.Local)
	if err != nil || !ok || when.Before(before) || when.After(time.Now()) {
		t.Errorf("a campaign begun at %v lies in %s (%v)", before, dir, err)
	}
}

package fit

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestCompareCampaignsConcludesByTheCommonModes(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "lstm"))(t)
	campaign := func(name string, times ...float64) campaigns.Campaign {
		h := campaigns.HeaderOf(s, w, record.PlanHeader{Kind: "sample", Modes: len(times)}, nil, record.Settings{})
		var rows []record.Row
		for i, m := range s.Device.Space().Sample(len(times), 2) {
			at := tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: times[i], PowerW: 20}
			rows = append(rows, record.Row{Measured: at, Status: record.OK})
		}
		return campaigns.Of(name, filepath.Join(t.TempDir(), name), h, rows)
	}
	early := campaign("early", 50, 60, 70)
	for name, c := range map[string]struct {
		later  campaigns.Campaign
		common int
		want   string
	}{
		"as before": {campaign("later", 50.5, 59.5, 70), 3, "No common drift"},
		"two of 3":  {campaign("later", 60, 72, 70), 3, "Single modes moved by up to 20 %, not all"},
		"slower":    {campaign("later", 55, 66, 77), 3, "the board has drifted since: 3 readings of 1 campaign"},
		"one mode":  {campaign("later", 55), 1, "repeat two modes"},
		"no mode":   {campaign("later"), 0, "nothing to compare"},
	} {
		got := CompareCampaigns(c.later, early)
		if got.One.Name != "early" || len(got.Common) != c.common {
			t.Errorf("%s: %s first, %d in common", name, got.One.Name, len(got.Common))
		}
		if text := strings.Join(got.Conclusion(), " "); !strings.Contains(text, c.want) {
			t.Errorf("%s: concludes %q, want %q", name, text, c.want)
		}
	}
	other := campaign("later", 50, 60)
	other.Header.Workload.Batch = 99
	if text := strings.Join(CompareCampaigns(early, other).Conclusion(), " "); !strings.Contains(text, "no model") ||
		!strings.Contains(text, "batch size 16, then 99") {
		t.Errorf("of another batch size: %q", text)
	}
}

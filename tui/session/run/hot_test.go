package run

import (
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
)

func TestSessionRunSaysThatTheBoardIsHot(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.HotSession(t)
	for _, n := range []int{0, 10} { // ten take less than the time between two samples
		res, err := Run(t.Context(), s, measure.RunRequest{Workload: w, Minibatches: n}, nil)
		if err != nil || res.Hot == "" {
			t.Errorf("%d minibatches: hot %q, %v", n, res.Hot, err)
		}
	}
	cool := sessiontest.Fast(t)
	if res, err := Run(t.Context(), cool, measure.RunRequest{Workload: w}, nil); err != nil || res.Hot != "" {
		t.Errorf("a cool board: %q, %v", res.Hot, err)
	}
}

func TestSessionRunDoubtsItsPower(t *testing.T) {
	t.Parallel()
	power := tegra.Some(30.0)
	for _, c := range []struct {
		name string
		of   measure.RunResult
		want []string
	}{
		{"steady", measure.RunResult{PowerW: power, Settled: telemetry.Settled}, nil},
		{"no figure for the module", measure.RunResult{}, nil},
		{"too short", measure.RunResult{PowerW: power}, []string{"when the run ended"}},
		{"restless", measure.RunResult{PowerW: power, Settled: telemetry.Unstable, SettleS: tegra.Some(30.0)},
			[]string{"within 30 s"}},
		{"hot", measure.RunResult{PowerW: power, Settled: telemetry.Settled, Hot: "tj at 97 °C"},
			[]string{"hot: tj at 97 °C"}},
	} {
		got := Doubts(c.of)
		if len(got) != len(c.want) || len(got) > 0 && !strings.Contains(got[0], c.want[0]) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

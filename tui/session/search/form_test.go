package search

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/adrg/xdg"

	"jtune/internal/must"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

func TestTuneChoiceIsRememberedPerBoardAndADamagedFileIsHarmless(t *testing.T) {
	t.Cleanup(xdg.Reload) // after the variable is back
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	open := func(device string) *session.Session {
		s := must.Get(session.Open(session.Options{Device: device, Paths: config.Paths{DataDir: t.TempDir()},
			Speed: math.Inf(1)}))(t)
		t.Cleanup(func() { s.Close() })
		return s
	}
	orin, nano := open("virtual:agx-orin"), open("virtual:agx-orin")
	nano.Which = "another"
	normal := DefaultForm(orin.Device.Presets())
	must.Equal(t, LastForm(orin), normal)
	want := Form{Workload: "lstm", Kind: WithinTime, Limits: map[Kind]string{WithinPower: "20 W, 25 W",
		WithinTime: "80 ms, p99 50 ms, 30/s", LeastEnergy: "least energy"}, Depth: "thorough", Coverage: "front"}
	must.NoError(t, KeepForm(orin, want))
	must.Equal(t, LastForm(orin), want)
	must.Equal(t, LastForm(nano).Workload, "")
	for _, bad := range []string{"", "{", `{"limits":{"power":"-3 W","time":"0"},"goal":"x"}`, `[1]`,
		`{"limits":"30"}`} {
		must.NoError(t, os.WriteFile(formFile(orin), []byte(bad), 0o644))
		if got := LastForm(orin); got.Kind != WithinPower || got.First() != normal.First() {
			t.Errorf("of a file %q it takes %+v", bad, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(formFile(orin)), "*")); len(left) != 1 {
		t.Errorf("it leaves %v", left)
	}
}

// A load is remembered beside the limits of training, and what cannot be read of it is no load.
func TestTuneChoiceAsksForItsLoadFirst(t *testing.T) {
	t.Parallel()
	c := Form{Kind: WithinPower, Limits: map[Kind]string{WithinPower: "30 W, p99 50 ms, 30/s"}}
	if a := c.First(); a.Limit != (metric.Watts(30)) || a.Load.RatePerS != 30 ||
		a.String() != c.Limits[WithinPower] {
		t.Errorf("it asks for %v", a)
	}
	for _, damaged := range []string{"", "30/s uniform of", "p99"} {
		c.Limits[WithinPower] = damaged
		if a := c.over(DefaultForm(nil)).First(); a.Limit != metric.Watts(30) || a.Load.Any() {
			t.Errorf("%q: it asks for %v", damaged, a)
		}
	}
}

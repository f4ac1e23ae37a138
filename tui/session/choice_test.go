package session

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/adrg/xdg"
)

func TestTuneChoiceIsRememberedPerBoardAndADamagedFileIsHarmless(t *testing.T) {
	t.Cleanup(xdg.Reload) // after the variable is back
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	open := func(device string) *Session {
		s, err := Open(Options{Device: device, Paths: Paths{DataDir: t.TempDir()}, Speed: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	orin, nano := open("virtual:agx-orin"), open("virtual:agx-orin")
	nano.which = "another"
	normal := DefaultChoice(orin.Device.Presets())
	if got := orin.TuneChoice(); !reflect.DeepEqual(got, normal) {
		t.Errorf("without a file it is %+v", got)
	}
	want := TuneChoice{Workload: "lstm", Goal: WithinTime, PowerW: []float64{20, 25}, TimeMS: []float64{80},
		Depth: "thorough", Coverage: "front", Load: "30 W, p99 50 ms, 30/s"}
	if err := orin.KeepTuneChoice(want); err != nil {
		t.Fatal(err)
	}
	if got := orin.TuneChoice(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v is remembered, want %+v", got, want)
	}
	if got := nano.TuneChoice(); got.Workload != "" {
		t.Errorf("the other board has %+v", got)
	}
	for _, bad := range []string{"", "{", `{"power_w":[-3],"time_ms":[0],"goal":"x"}`, `[1]`, `{"power_w":"30"}`} {
		if err := os.WriteFile(orin.choiceFile(), []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := orin.TuneChoice(); got.Goal != WithinPower || got.Limits()[0] != normal.Limits()[0] {
			t.Errorf("of a file %q it takes %+v", bad, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(orin.choiceFile()), "*")); len(left) != 1 {
		t.Errorf("it leaves %v", left)
	}
}

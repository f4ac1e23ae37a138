package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session"
)

func TestAModeThatWasNotTakenIsToldFileByFile(t *testing.T) {
	s, err := session.Open(session.Options{Device: "virtual:agx-orin"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	space := s.Device.Space()
	before := tegra.Some(space.At(0))
	applied := tegra.Applied{Asked: space.Max(), Actual: before, Files: []tegra.KnobFile{{Knob: "GPU max", Path: "/sys/gpu/max_freq", Asked: "1300500000", Actual: "318750000"}}}
	var out bytes.Buffer
	a := &app{out: &out}
	if err := a.notApplied(s, applied, before, true); err != nil {
		t.Fatal(err)
	}
	var got appliedJSON
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if got.Kept || !got.Reverted || len(got.Files) != 1 || got.Files[0].Actual != "318750000" || *got.Asked != export.ModeOf(space.Max()) {
		t.Errorf("got %+v", got)
	}
	out.Reset()
	if err := a.notApplied(s, applied, before, false); err != nil || !strings.Contains(out.String(), "differs") {
		t.Errorf("%v; got %s", err, out.String())
	}
	out.Reset()
	if err := a.notApplied(s, tegra.Applied{Asked: space.Max()}, before, true); err != nil || out.Len() > 0 {
		t.Errorf("nothing was written, yet: %v %s", err, out.String())
	}
}

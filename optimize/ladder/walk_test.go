package ladder

import (
	"math"
	"strings"
	"testing"

	"jtune/tegra"
)

func TestHalvingSaysWhatWasDroppedAndWhatIsLeft(t *testing.T) {
	t.Parallel()
	h := Halving{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 4}}, Knob: tegra.KnobGPU, Left: Rungs{3, 5, 4, 2, 1}}
	want := h.Mode.String() + ": higher half of GPU dropped, left settings: cores 3 × CPU 5 × GPU 4 × memory 2"
	if got := h.String(); got != want {
		t.Errorf("got %q", got)
	}
	h.Raised, h.Knob, h.Batch = true, BatchKnob, 16
	want = h.Mode.String() + " batch 16: lower half of batch dropped, left settings: cores 3 × CPU 5 × GPU 4 × " +
		"memory 2 × sizes 1"
	if got := h.String(); got != want {
		t.Errorf("got %q", got)
	}
	h.Knob, h.Sizes = tegra.KnobCPU, true
	if got := h.String(); !strings.Contains(got, "lower half of CPU and of batch dropped") {
		t.Errorf("got %q", got)
	}
}

// The slope is work per watt. Half a watt says nothing, nor does a setting that could not be measured.
func TestSlopeOfTwoSettingsIsWorkPerWatt(t *testing.T) {
	t.Parallel()
	nan := Seen{Power: true, Late: true, Rate: math.NaN(), PowerW: math.NaN()}
	for _, c := range []struct {
		a, z Seen
		want float64
	}{
		{Seen{Rate: 4, PowerW: 20}, Seen{Rate: 14, PowerW: 25}, 2},
		{Seen{Rate: 14, PowerW: 25}, Seen{Rate: 4, PowerW: 20}, 2},
		{Seen{Rate: 4, PowerW: 20}, Seen{Rate: 14, PowerW: 20.5}, 0}, {Seen{Rate: 4, PowerW: 20}, nan, 0},
		{nan, Seen{Rate: 4, PowerW: 20}, 0},
	} {
		if got := slopeOf(c.a, c.z); got != c.want {
			t.Errorf("%+v to %+v: %v, want %v", c.a, c.z, got, c.want)
		}
	}
}

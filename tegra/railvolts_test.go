package tegra_test

import (
	"fmt"
	"math"
	"path"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// railsNow opens a fake root and reads it once.
func railsNow(t *testing.T, tree *tegratest.Tree) (tegra.Board, tegra.Reading) {
	t.Helper()
	s := open(t, tree)
	r := must.Get(s.Read())(t)
	return s.Board(), r
}

// Every recorded board shows voltage and current of every rail, and their product is its power.
func TestRailsShowVoltsAndAmperes(t *testing.T) {
	for _, b := range tegratest.Boards() {
		_, r := railsNow(t, b.New())
		for _, rail := range r.Rails {
			if !rail.PowerW.OK || !rail.Volts.OK || !rail.Amperes.OK {
				t.Errorf("%s: %+v", b.Facts.Name, rail)
				continue
			}
			if off := math.Abs(rail.Volts.V*rail.Amperes.V - rail.PowerW.V); off > 0.0006 {
				t.Errorf("%s %s: %g V at %g A are not %g W", b.Facts.Name, rail.Name, rail.Volts.V, rail.Amperes.V,
					rail.PowerW.V)
			}
		}
	}
}

func TestRailWithoutVoltageIsNotZero(t *testing.T) {
	for name, files := range map[string]string{
		"nano-32": "in_voltage0_input", "agx-thor-38": "curr1_input", // these have a power file
	} {
		tree := tegratest.New(name)
		for file := range tree.Files {
			if path.Base(file) == files && !strings.Contains(file, "2-0040") {
				delete(tree.Files, file)
			}
		}
		b, r := railsNow(t, tree)
		for _, rail := range r.Rails {
			if rail.Name != b.FeedRail() {
				continue
			}
			if !rail.PowerW.OK || rail.PowerW.V == 0 || rail.Volts.OK || rail.Amperes.OK {
				t.Errorf("%s: %+v", name, rail)
			}
		}
	}
}

func TestRailLimitsAndAlarm(t *testing.T) {
	const dir = "/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/"
	limit := func(tree *tegratest.Tree) string {
		_, r := railsNow(t, tree)
		return fmt.Sprint(r.Rails[0].Limits.Crit, r.Rails[1].Limits.Crit.OK, r.Alarming())
	}
	if got := limit(tegratest.New("orin-nx-super-36")); got != "{7.784 true} false []" {
		t.Errorf("Orin NX: limits %s", got)
	}
	tree := tegratest.New("orin-nx-super-36")
	tree.Set(dir+"curr1_crit_alarm", "1")
	if got := limit(tree); got != "{7.784 true} false [instantaneous over-current alarm of VDD_IN]" {
		t.Errorf("with an alarm: %s", got)
	}
	if got := limit(tegratest.New("agx-orin-36")); got != "{0 false} false []" {
		t.Errorf("AGX Orin has a limit: %s", got)
	}
	for text, want := range map[string]bool{"4000 ma": true, "32760 ma": false, "none": false, "-5": false} {
		tree := tegratest.New("nano-32")
		tree.Set("/sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0/crit_current_limit_0", text)
		if _, r := railsNow(t, tree); r.Rails[0].Limits.Crit.OK != want {
			t.Errorf("limit %q: %v", text, r.Rails[0].Limits.Crit)
		}
	}
}

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

func TestBoardIsNamedByItsCompatibleString(t *testing.T) {
	t.Parallel()
	for compatible, want := range map[string]string{
		"nvidia,p2371-2180 nvidia,jetson-cv nvidia,tegra210":                   "TX1",
		"nvidia,p3450-0002 nvidia,jetson-nano nvidia,tegra210":                 "Nano",
		"nvidia,p3542-0000 nvidia,jetson-nano-2gb nvidia,tegra210":             "Nano",
		"example,carrier nvidia,tegra210":                                      "Tegra X1",
		"nvidia,p3740-0002-c01+p3701-0008 nvidia,p3701-0008 nvidia,tegra234":   "IGX Orin",
		"nvidia,p3737-0000+p3701-0008 nvidia,p3701-0008 nvidia,tegra234":       "AGX Orin Industrial",
		"nvidia,p3737-0000+p3701-0004 nvidia,tegra234":                         "AGX Orin",
		"nvidia,p3768-0000+p3767-0000-super nvidia,p3767-0000 nvidia,tegra234": "Orin NX 16GB Super",
		"nvidia,p3509-a02+p3767-0001 nvidia,p3767-0001 nvidia,tegra234":        "Orin NX 8GB",
		"nvidia,p3768-0000+p3767-0003-super nvidia,p3767-0003 nvidia,tegra234": "Orin Nano Super",
		"nvidia,p3768-0000+p3767-0004 nvidia,tegra234":                         "Orin Nano 4GB",
		"nvidia,p4071-0000+p3834-0008 nvidia,p3834-0008 nvidia,tegra264":       "AGX Thor",
		"nvidia,p4071-0000+p3834-0000 nvidia,p3834-0000 nvidia,tegra264":       "T4000",
		"nvidia,galen-industrial nvidia,jetson-xavier nvidia,tegra194":         "AGX Xavier",
		"nvidia,p3449-0000+p3668-0001 nvidia,tegra194":                         "Xavier NX",
	} {
		tr := tegratest.New("agx-orin-36")
		tr.Files["/proc/device-tree/compatible"] = strings.ReplaceAll(compatible, " ", "\x00") + "\x00"
		if got := open(t, tr).Board().Name; got != want {
			t.Errorf("%s: named %s, want %s", compatible, got, want)
		}
	}
}

func TestJetPackOfARelease(t *testing.T) {
	t.Parallel()
	for l4t, want := range map[string]string{"28.2.1": "3.3", "32.4.4": "4.4.1", "32.5.1": "4.5.1", "32.7.3": "4.6.3",
		"32.7.6": "4.6.6", "35.1.0": "5.0.2", "35.3.1": "5.1.1", "35.5.0": "5.1.3", "35.6.0": "5.1.4",
		"35.6.1": "5.1.5", "35.6.4": "5.1.6", "36.4.0": "6.1", "36.4.2": "6.1", "36.4.3": "6.2", "38.2.0": "7.0",
		"38.2.1": "7.0", "38.2.2": "7.0", "38.4.0": "7.1", "39.0.0": "7.2 EA", "39.2.1": "7.2.1", "36.9.9": "6",
		"99.1.0": ""} {
		major, revision, _ := strings.Cut(l4t, ".")
		tr := tegratest.New("agx-orin-36")
		tr.Set("/etc/nv_tegra_release",
			fmt.Sprintf("# R%s (release), REVISION: %s, GCID: 1, BOARD: generic", major, revision))
		if b := open(t, tr).Board(); b.JetPack != want || b.L4T != strings.TrimSuffix(l4t, ".0") {
			t.Errorf("L4T %s, read as %s: JetPack %q, want %s", l4t, b.L4T, b.JetPack, want)
		}
	}
}

// A board that is known by its chip alone has the total of the rails that it shows.
func TestBoardTX1HasTheTotalOfItsInput(t *testing.T) {
	t.Parallel()
	for i, compatible := range []string{
		"nvidia,p2371-2180\x00nvidia,tegra210\x00", "example,x\x00nvidia,tegra210\x00",
	} {
		tr := tegratest.New("nano-32")
		tr.Files["/proc/device-tree/compatible"] = compatible
		for name, text := range tr.Files {
			tr.Files[name] = strings.Replace(text, "POM_5V_IN", "VDD_IN", 1)
		}
		want := 2.132
		for name := range tr.Files { // a driver whose power is finer than whole milliamperes
			if strings.HasSuffix(name, "/in_power0_input") && i == 0 {
				tr.Set(name, "2130")
				want = 2.130
			}
		}
		s := open(t, tr)
		if b := s.Board(); b.TotalRule != "VDD_IN" || math.Abs(read(t, s).TotalW.V-want) > 1e-9 {
			t.Errorf("%q: %s has the total %q", compatible, b.Name, b.TotalRule)
		}
	}
}

// Some carriers name their rails in lower case: each recorded board has the same total with its rails named so.
func TestBoardHasItsTotalWithRailsInLowerCase(t *testing.T) {
	t.Parallel()
	for name, tr := range tegratest.Trees() {
		want := open(t, tr)
		for file, text := range tr.Files {
			if base := path.Base(file); strings.HasPrefix(base, "rail_name_") || strings.HasSuffix(base, "_label") {
				tr.Files[file] = strings.ToLower(text)
			}
		}
		s := open(t, tr)
		rule := want.Board().TotalRule
		if b := s.Board(); !strings.EqualFold(b.TotalRule, rule) || read(t, s).TotalW != read(t, want).TotalW {
			t.Errorf("%s: total %q of %v W, want %q of %v W", name, b.TotalRule, read(t, s).TotalW, rule,
				read(t, want).TotalW)
		}
	}
}

// A monitor's offset makes a small negative power; a large one is a fault.
func TestReadingOfANegativePowerOfARailIsItsOffset(t *testing.T) {
	t.Parallel()
	for current, want := range map[string]float64{"-33": -0.16434, "-3000": math.NaN()} {
		tr := tegratest.New("orin-nano-36")
		for name := range tr.Files {
			if strings.HasSuffix(name, "/curr2_input") {
				tr.Set(name, current)
			}
		}
		s := open(t, tr)
		r := read(t, s)
		for _, rail := range r.Rails {
			if rail.Name != "VDD_CPU_GPU_CV" {
				continue
			}
			if rail.PowerW.OK == math.IsNaN(want) || rail.PowerW.OK && math.Abs(rail.PowerW.V-want) > 0.001 {
				t.Errorf("%s mA: %v W, want %v", current, rail.PowerW, want)
			}
		}
		if math.IsNaN(want) != (len(r.Missing) > 3) {
			t.Errorf("%s mA: %v", current, r.Missing)
		}
	}
}

// A fan without power does not turn, whatever its duty cycle; full speed powers it, and going back takes that back.
func TestFanHasPowerOrNoDutyCycle(t *testing.T) {
	t.Parallel()
	const dir, rpm = "/sys/devices/platform/pwm-fan/hwmon/hwmon2", "/sys/class/hwmon/hwmon6/rpm"
	for _, c := range []struct {
		enable, speed string
		want          tegra.Val[float64]
	}{
		{"0", "0", tegra.Some(0.0)}, {"1", "1200", tegra.Some(100.0)}, {"2", "0", tegra.Some(100.0)},
		{"", "1200", tegra.Some(100.0)}, {"", "0", tegra.Val[float64]{}},
	} {
		tr := tegratest.New("orin-nano-36")
		tr.Set(dir+"/pwm1", "255")
		tr.Set(rpm, c.speed)
		if c.enable != "" {
			tr.Set(dir+"/pwm1_enable", c.enable)
		}
		s := open(t, tr)
		if r := read(t, s); r.FanPct != c.want {
			t.Errorf("enable %q, %s rpm: fan %v %%, want %v", c.enable, c.speed, r.FanPct, c.want)
		}
		found := s.Planner().Fan()
		var control []string
		for _, policy := range []tegra.FanPolicy{tegra.FanMax, tegra.FanAuto} {
			now := must.Get(s.Planner().Snapshot())(t)
			now.Add(found)
			writes := must.Get(s.Planner().Plan(now, tegra.Request{Mode: s.Space().Max(), Fan: policy}, now))(t)
			for _, w := range writes {
				if strings.HasSuffix(w.Path, "pwm1_enable") {
					control = append(control, w.Value)
				}
			}
		}
		if want := map[string]string{"0": "1 0", "1": "1 1", "2": "1 2"}[c.enable]; strings.Join(control, " ") != want {
			t.Errorf("enable %q: written %q, want %q", c.enable, control, want)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/tui/session/doctor"
)

func TestHotBoardIsToldByWatchAndDoctor(t *testing.T) {
	t.Parallel()
	const zone = "/sys/class/thermal/thermal_zone8"
	for _, c := range []struct {
		name, temp, trip string
		reason           string // "" if the board is not hot
	}{
		{"cool", "60000", "99000", ""},
		{"close to its trip point", "94500", "99000", "tj-therm at 94 °C (passive trip point at 99 °C)"},
		{"above a low trip point", "81000", "80000", "tj-therm at 81 °C (passive trip point at 80 °C)"},
		{"104 °C", "104000", "99000", "tj-therm at 104 °C"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := tegratest.NewAGXOrin35()
			tr.Set(zone+"/temp", c.temp)
			tr.Set(zone+"/trip_point_0_temp", c.trip)
			args := []string{"--sysroot", tr.Write(t)}
			v := jtune(t, with(args, "watch", "--count", "1", "--json")...).done(t)
			w := hasKeys(t, outcome{out: v.out}.object(t, watchKeys), watchKeys)
			reason, _ := w["hot_reason"].(string)
			if w["hot"] != (c.reason != "") || !strings.HasPrefix(reason, c.reason) ||
				(reason == "") != (c.reason == "") {
				t.Errorf("watch: hot %v, %q, want %q", w["hot"], reason, c.reason)
			}
			line := jtune(t, with(args, "watch", "--count", "1")...).done(t).out
			if strings.Contains(line, "HOT: tj-therm") != (c.reason != "") {
				t.Errorf("watch prints %q", line)
			}
			o := jtune(t, with(args, "doctor", "--json")...)
			verdict := hasKeys(t, o.object(t, diagnosisKeys)["verdict"], "level text")
			text, _ := verdict["text"].(string)
			if c.reason == "" {
				if o.code != exitOK || verdict["level"] == doctor.LevelHot {
					t.Errorf("doctor: exit code %d, %v", o.code, verdict)
				}
				return
			}
			if o.code != exitFailed || verdict["level"] != doctor.LevelHot ||
				!strings.HasPrefix(text, "not ready: hot: "+c.reason) {
				t.Errorf("doctor: exit code %d, %v", o.code, verdict)
			}
			if o := jtune(t, with(args, "doctor")...); o.code != exitFailed ||
				!strings.Contains(o.out, "verdict: not ready: hot: tj-therm") {
				t.Errorf("doctor: exit code %d:\n%s", o.code, o.out)
			}
		})
	}
}

func TestHotBoardIsWarnedOfByApply(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	zone := filepath.Join(root, "sys/class/thermal/thermal_zone8/temp")
	must.NoError(t, os.WriteFile(zone, []byte("96000\n"), 0o644))
	o := jtune(t, with(args, "apply", "MAXN", "--yes")...).done(t)
	if !strings.Contains(o.err, "warning: the board is hot: tj-therm at 96 °C") {
		t.Errorf("got %q", o.err)
	}
}

const watchKeys = "t_s t_from device virtual total_power_w total_power_rule rails cpu cpu_asked_khz gpu emc temps_c " +
	"temps_off fan_pct throttled signals hot hot_reason mode locked meter_w self"

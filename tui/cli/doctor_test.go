package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tui/session/doctor"
)

const diagnosisKeys = "model virtual sources missing_now inference temps_off signals left_kept_mode jobs others " +
	"rights overhead verdict"

func TestDoctorMeasuresWhatJtuneCosts(t *testing.T) {
	t.Parallel()
	board, _ := fakeBoard(t, "true")
	v := jtune(t, with(board, "doctor", "--json")...).done(t).object(t, diagnosisKeys)
	o := hasKeys(t, v["overhead"], "span_s readings cpu_pct reading_us bytes_per_s calls_per_s cpu_pct_at_1s")
	if n := o["readings"].(float64); n < 1 || n > 11 {
		t.Errorf("got %g readings, want about ten", n)
	}
	has(t, o, "cpu_pct > 0", "reading_us > 0")
	verdict := hasKeys(t, v["verdict"], "level text")
	must.Equal(t, verdict["level"], doctor.LevelReady)
	hasKeys(t, v["rights"], "read apply how")
	for _, s := range v["sources"].([]any) {
		if s := hasKeys(t, s, "name path found why"); s["found"] == false && s["why"] == nil {
			t.Errorf("%v is missing, and nobody says why", s)
		}
	}
}

func TestDoctorNamesWhoElseChangesKnobs(t *testing.T) {
	t.Parallel()
	board, root := fakeBoard(t, "true")
	for name, content := range map[string]string{
		"/proc/812/comm": "nvfancontrol\n", "/proc/812/cmdline": "/usr/sbin/nvfancontrol\x00",
		"/lib/systemd/system/nvpmodel.service": "[Service]\n",
	} {
		full := filepath.Join(root, name)
		must.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must.NoError(t, os.WriteFile(full, []byte(content), 0o644))
	}
	o := jtune(t, with(board, "doctor")...).done(t)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	last := lines[len(lines)-1]
	must.Contain(t, o.out, "\nnext: jtune opens the screens; ")
	if !strings.HasPrefix(last, "verdict: ") || !strings.Contains(last, "nvfancontrol may change clocks") ||
		strings.Count(o.out, "verdict:") != 1 {
		t.Errorf("the last line is %q", last)
	}
	must.Contain(t, o.out, "/proc/812", "nvpmodel.service", "idle", "preset 0 (MAXN)", "jtune itself: ")
}

func TestDoctorCanBeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Equal(t, jtuneWith(t, ctx, strings.NewReader(""), with(virtualBoard, "doctor")...).code, exitInterrupted)
}

// What doctor and the exporter say when a kept mode is no longer in force: what is known of who changed it, and nothing
// while it holds, after jtune's own revert, or where none was kept.
func TestDoctorSaysWhoLeftTheKeptMode(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	const kept = "8c/1.34C/0.83G/2.13M"
	file := func(name string) string { return filepath.Join(root, name) }
	set := func(name, value string) {
		t.Helper()
		must.NoError(t, os.WriteFile(file(name), []byte(value+"\n"), 0o644))
	}
	uptime := func(d string) { set("proc/uptime", d+" 1.0") }
	says := func(want string, gauge string) {
		t.Helper()
		left, _ := objectOf(t, jtune(t, with(args, "doctor", "--json")...).out)["left_kept_mode"].(string)
		if (want == "") != (left == "") || !strings.Contains(left, want) ||
			want != "" && !strings.Contains(left, kept) {
			t.Errorf("doctor says %q, want %q", left, want)
		}
		page := jtune(t, with(args, "exporter", "--once")...).out
		if has := strings.Contains(page, "\njtune_kept_mode_in_force "+gauge); gauge != "" && !has ||
			gauge == "" && strings.Contains(page, "jtune_kept_mode_in_force ") {
			t.Errorf("the exporter has no jtune_kept_mode_in_force %s", gauge)
		}
	}
	uptime("90000")
	says("", "") // nothing was kept
	jtune(t, with(args, "apply", kept, "--yes")...).done(t)
	says("", "1")
	for _, core := range []string{"0", "4"} {
		set("sys/devices/system/cpu/cpu"+core+"/cpufreq/scaling_max_freq", "1190400")
		set("sys/devices/system/cpu/cpu"+core+"/cpufreq/scaling_min_freq", "1190400")
	}
	says("since before jtune looked", "0")
	uptime("60")
	past(t, filepath.Join(following(args, "--data-dir"), "kept.toml"))
	says("; a reboot came since", "0")
	jtune(t, with(args, "revert")...).done(t)
	says("", "")
}

// past moves the times in a file of kept modes to yesterday.
func past(t *testing.T, path string) {
	t.Helper()
	edit(t, path, func(text string) string {
		return strings.ReplaceAll(text, time.Now().Format("2006-01-02"),
			time.Now().AddDate(0, 0, -1).Format("2006-01-02"))
	})
}

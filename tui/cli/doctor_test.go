package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if o["cpu_pct"].(float64) <= 0 || o["reading_us"].(float64) <= 0 {
		t.Errorf("got %v %% of a core and %v µs a reading, want figures", o["cpu_pct"], o["reading_us"])
	}
	verdict := hasKeys(t, v["verdict"], "level text")
	if verdict["level"] != doctor.LevelReady {
		t.Errorf("got %v, want ready", verdict)
	}
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
	if !strings.Contains(o.out, "\nnext: jtune opens the screens; ") {
		t.Errorf("does not say what to do next:\n%s", o.out)
	}
	if !strings.HasPrefix(last, "verdict: ") || !strings.Contains(last, "nvfancontrol may change clocks") ||
		strings.Count(o.out, "verdict:") != 1 {
		t.Errorf("the last line is %q", last)
	}
	for _, want := range []string{"/proc/812", "nvpmodel.service", "idle", "preset 0 (MAXN)", "jtune itself: "} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the text lacks %q:\n%s", want, o.out)
		}
	}
}

func TestDoctorCanBeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o := jtuneWith(t, ctx, strings.NewReader(""), with(virtualBoard, "doctor")...); o.code != exitInterrupted {
		t.Errorf("got exit code %d, want %d", o.code, exitInterrupted)
	}
}

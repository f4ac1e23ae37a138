package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const diagnosisKeys = "model virtual sources missing_now temps_off others rights overhead verdict"

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
	if verdict["level"] != levelReady {
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
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := jtune(t, with(board, "doctor")...).done(t)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "verdict: ") || !strings.Contains(last, "nvfancontrol may change knobs") || strings.Count(o.out, "verdict:") != 1 {
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

func TestVerdictSaysWhatIsLacking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		facts facts
		level string
		words []string
	}{
		{"all is there", facts{}, levelReady, []string{"ready"}},
		{"a virtual board", facts{virtual: true}, levelReady, []string{"(virtual board)"}},
		{"no GPU clocks", facts{noGPU: true}, levelUnable, []string{"GPU lists no clocks"}},
		{"no memory rates at all", facts{noEMC: true}, levelUnable, []string{"memory lists no rates"}},
		{"memory rates that root may list", facts{noEMC: true, partial: true, withSudo: true}, levelLimited, []string{"root alone", "sudo password"}},
		{"no power", facts{noPower: true}, levelLimited, []string{"no power of the whole module"}},
		{"nobody may set", facts{cannotApply: "refused: --read-only"}, levelLimited, []string{"no modes can be set: refused: --read-only"}},
		{"two others at work", facts{running: []string{"jtop", "nvfancontrol"}}, levelLimited, []string{"jtop, nvfancontrol may change knobs"}},
		{"broken, and limited too", facts{noCPU: true, noPower: true}, levelUnable, []string{"CPU lists no clocks", "no power"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := verdict(c.facts)
			if v.Level != c.level || strings.Contains(v.Text, "\n") {
				t.Errorf("got %+v, want %s on one line", v, c.level)
			}
			for _, w := range c.words {
				if !strings.Contains(v.Text, w) {
					t.Errorf("%q does not say %q", v.Text, w)
				}
			}
		})
	}
}

package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const soakKeys = "verdict reason mode duration_s steady peak least margins throttled events virtual sources"

func TestSoakAnswersByItsExitCode(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "soak")
	o := jtune(t, with(virtualBoard, "soak", "resnet18", "--for", "10m", "--limit", "60 W, 99 °C, 4 V", "--json",
		"--out",
		dir)...).done(t)
	v := o.object(t, soakKeys)
	hasKeys(t, v["steady"], "tj_c lo_c hi_c reached")
	hasKeys(t, v["peak"], "power_w current_a tj_c rail")
	hasKeys(t, v["least"], "voltage_v rail")
	m := hasKeys(t, v["margins"], "power_w current_a tj_c voltage_v")
	if v["verdict"] != "holds" || v["duration_s"] != 600.0 || v["throttled"] != nil || v["virtual"] != true ||
		m["current_a"] != nil || m["power_w"].(float64) <= 0 || m["voltage_v"].(float64) <= 0 {
		t.Errorf("%v", v)
	}
	for _, name := range []string{"soak.csv", "soak.json", "campaign.toml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	hot := jtune(t, with(virtualBoard, "soak", "resnet18", "--mode", "MAXN", "--ambient", "75", "--fault", "fan",
		"--json")...)
	if hot.code != exitInfeasible {
		t.Fatalf("exit code %d: %s", hot.code, hot.err)
	}
	v = outcome{out: hot.out}.object(t, soakKeys)
	th := hasKeys(t, v["throttled"], "at_s clock from_hz to_hz")
	if v["verdict"] != "does not hold" || th["clock"] != "GPU" || th["to_hz"].(float64) >= th["from_hz"].(float64) ||
		v["duration_s"].(float64) > 600 {
		t.Errorf("%v", v)
	}
	text := jtune(t, with(virtualBoard, "soak", "--envelope", "--until-steady")...).done(t)
	for _, said := range []string{"holds: held for", "; steady at", "job           envelope", "VIRTUAL",
		"taken as the air"} {
		if !strings.Contains(strings.ReplaceAll(text.out, "\n", " "), said) {
			t.Errorf("not said: %q\n%s", said, text.out)
		}
	}
}

// A missing command is found before the rest period of half a minute.
func TestSoakFindsAMissingCommandAtOnce(t *testing.T) {
	t.Parallel()
	began := time.Now()
	jtune(t, "soak", "--device", "virtual:agx-orin", "--", "no-such-command").fails(t, exitFailed,
		"command no-such-command was not found in PATH")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestTuneProvesItsAnswer(t *testing.T) {
	t.Parallel()
	args := with(smallBoard, "tune", "resnet18", "--power-limit", "10", "--soak", "5m", "--data-dir", t.TempDir())
	text, v := tunedInWords(t, answerKeys, args...)
	proof := hasKeys(t, v["soak"], soakKeys)
	if proof["verdict"] != "holds" || proof["duration_s"] != 300.0 || !reflect.DeepEqual(proof["mode"], v["mode"]) {
		t.Errorf("%v", proof)
	}
	for _, said := range []string{"holds: held for 5 min", "lasted       5 min"} {
		if !strings.Contains(text, said) {
			t.Errorf("not said: %q\n%s", said, text)
		}
	}
	// an answer that throttles: the verdict decides the exit code
	hot := jtune(t, with(virtualBoard, "tune", "resnet18", "--time-limit", "70", "--soak", "45m", "--ambient", "55",
		"--fault", "fan", "--json", "--data-dir", t.TempDir())...)
	if hot.code != exitInfeasible || hasKeys(t, outcome{out: hot.out}.object(t, answerKeys)["soak"],
		soakKeys)["verdict"] != "does not hold" {
		t.Errorf("exit code %d: %s\n%s", hot.code, hot.out, hot.err)
	}
	none := jtune(t, with(smallBoard, "tune", "resnet18", "--power-limit", "4", "--soak", "5m", "--json")...)
	if v := (outcome{out: none.out}).object(t, answerKeys); none.code != exitInfeasible || v["soak"] != nil {
		t.Errorf("exit code %d: %v", none.code, v["soak"])
	}
}

package cli

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/telemetry/hold"
	"jtune/tui/session/doctor"
	"jtune/tui/session/soak"
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
	has(t, v, "verdict = holds", "duration_s = 600", "throttled = null", "virtual = true")
	has(t, m, "current_a = null", "power_w > 0", "voltage_v > 0")
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
	must.Contain(t, strings.ReplaceAll(text.out, "\n", " "), "holds: held for", "; steady at", "job           envelope",
		"VIRTUAL", "taken as the air")
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
	must.Contain(t, text, "holds: held for 5 min", "lasted       5 min")
	// an answer that throttles: the verdict decides the exit code
	hot := jtune(t, with(virtualBoard, "tune", "resnet18", "--time-limit", "70", "--soak", "45m", "--ambient", "55",
		"--fault", "fan", "--json", "--data-dir", t.TempDir())...).ends(t, exitInfeasible)
	must.Equal(t, hasKeys(t, outcome{out: hot.out}.object(t, answerKeys)["soak"], soakKeys)["verdict"], "does not hold")
	none := jtune(t, with(smallBoard, "tune", "resnet18", "--power-limit", "4", "--soak", "5m", "--json")...)
	if v := (outcome{out: none.out}).object(t, answerKeys); none.code != exitInfeasible || v["soak"] != nil {
		t.Errorf("exit code %d: %v", none.code, v["soak"])
	}
}

// samples counts the complete lines of a soak's samples.
func samples(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, soak.SamplesName))
	return max(0, bytes.Count(text, []byte("\n"))-1)
}

// missed reports whether a soak had no sample for too long.
func missed(k soak.Kept) bool {
	return slices.ContainsFunc(k.Result.Events, func(e hold.Event) bool {
		return strings.HasPrefix(e.What, "nothing was seen for")
	})
}

// However a soak's process ends, every sample is on the disk, the verdict names what was not observed, and the soak can
// be resumed.
func TestEndedSoaksLoseNothing(t *testing.T) {
	t.Parallel()
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGHUP}
	if os.Getenv("JTUNE_LONG") != "" {
		signals = append(signals, syscall.SIGINT)
	}
	for _, signal := range signals {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir, data := filepath.Join(t.TempDir(), "soak"), t.TempDir()
			args := []string{"soak", "resnet18", "--device", "virtual:agx-orin", "--seed", "3", "--data-dir", data,
				"--out", dir}
			cmd := child(with(args, "--for", "30m", "--speed", "20")...)
			var said bytes.Buffer
			cmd.Stderr = &said
			must.NoError(t, cmd.Start())
			must.Until(t, "it is under load", func() bool { return samples(dir) >= 60 })
			there := samples(dir)
			must.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait() // the signal
			if !strings.HasPrefix(said.String(), "jtune: recorded in "+dir+"\n") {
				t.Errorf("it does not say at its start where it records: %s", said.String())
			}
			left, err := soak.Read(dir)
			if err != nil || len(left.Course) < there || left.Result.Verdict != hold.NotSeen {
				t.Fatalf("%v: %d samples of %d, %s", err, len(left.Course), there, left.Result.Sentence())
			}
			says := "interrupted after"
			if signal == syscall.SIGKILL {
				says = "cut off after"
			}
			if left.Ended == (signal == syscall.SIGKILL) || !strings.Contains(left.Result.Reason, says) {
				t.Errorf("ended: %v, %s", left.Ended, left.Result.Reason)
			}
			page := jtune(t, "report", dir, "--md", "--out", "-").done(t)
			must.Contain(t, page.out, "Whether it holds is not known: "+says)
			again := jtune(t, with(args, "--resume", "--speed", "max", "--json")...)
			must.Contain(t, again.err, "jtune: the settings of this folder: mode ")
			v := outcome{out: again.out}.object(t, soakKeys)
			code, says := exitOK, "in 2 parts"
			if missed(left) { // a machine too busy for a sample in ten of the board's seconds
				code, says = exitFailed, "not seen: the board for"
			}
			if again.code != code || math.Abs(v["duration_s"].(float64)-1800) > 1.1 ||
				!strings.Contains(v["reason"].(string), says) {
				t.Errorf("continued: exit code %d, %v s: %v", again.code, v["duration_s"], v["reason"])
			}
			if whole, err := soak.Read(dir); err != nil || len(whole.Course) < 1700 {
				t.Errorf("%v: %d samples in the end", err, len(whole.Course))
			}
		})
	}
}

// A board whose soak is killed is restored.
func TestKilledSoakLeavesTheBoardAsItWas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the board rests for half a minute of real time")
	}
	args, root := fakeBoard(t, `i=0; while :; do echo '{"event":"minibatch","epoch":0,"batch":'$i',"time_ms":200}'; `+
		`i=$((i+1)); sleep 0.2; done`)
	before, dir := tegratest.Contents(t, root), filepath.Join(t.TempDir(), "soak")
	cmd := child(with(args, "soak", "job", "--mode", "8c/1.34C/0.83G/2.13M", "--out", dir)...)
	must.NoError(t, cmd.Start())
	must.Until(t, "it is under load", func() bool { return samples(dir) >= 3 })
	if len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 {
		t.Error("the mode was not set")
	}
	must.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	must.Until(t, "every file is restored",
		func() bool { return len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 })
	if left, err := soak.Read(dir); err != nil || left.Result.Verdict != hold.NotSeen || len(left.Course) < 3 {
		t.Errorf("%v: %+v", err, left.Result)
	}
}

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
			must.Equal(t, strings.Contains(line, "HOT: tj-therm"), c.reason != "")
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
			must.Contain(t, jtune(t, with(args, "doctor")...).ends(t, exitFailed).out,
				"verdict: not ready: hot: tj-therm")
		})
	}
}

func TestHotBoardIsWarnedOfByApply(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	zone := filepath.Join(root, "sys/class/thermal/thermal_zone8/temp")
	must.NoError(t, os.WriteFile(zone, []byte("96000\n"), 0o644))
	o := jtune(t, with(args, "apply", "MAXN", "--yes")...).done(t)
	must.Contain(t, o.err, "warning: the board is hot: tj-therm at 96 °C")
}

const watchKeys = "t_s t_from device virtual total_power_w total_power_rule rails cpu cpu_asked_khz gpu emc temps_c " +
	"temps_off fan_pct throttled signals hot hot_reason mode locked meter_w self"

package cli

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/telemetry/hold"
	"jtune/tui/session/soak"
)

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
			if !strings.Contains(page.out, "Whether it holds is not known: "+says) {
				t.Errorf("the report does not say %q", says)
			}
			again := jtune(t, with(args, "--resume", "--speed", "max", "--json")...)
			if !strings.Contains(again.err, "jtune: the settings of this folder: mode ") {
				t.Errorf("not said before it is set: %s", again.err)
			}
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

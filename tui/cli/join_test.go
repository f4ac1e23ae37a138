package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
)

// trainsElsewhere starts a job outside jtune: a minibatch every 5 ms, its output in a file.
func trainsElsewhere(t *testing.T) (pid int, log string) {
	t.Helper()
	return runsElsewhere(t, `while :; do echo '{"event":"minibatch","time_ms":5.5}'; sleep 0.005; done`)
}

// runsElsewhere starts a script outside jtune, its output in a file, until the test ends.
func runsElsewhere(t *testing.T, script string) (pid int, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "train.log")
	f := must.Get(os.Create(log))(t)
	defer f.Close()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Stdout = f
	must.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid, log
}

var liveBoard = []string{"--device", "virtual:agx-orin"}

func TestRunReadsATrainingThatRunsAlreadyAndLeavesIt(t *testing.T) {
	t.Parallel()
	pid, log := trainsElsewhere(t)
	for _, args := range [][]string{{"--attach", strconv.Itoa(pid)}, {"--log", log}} {
		args = with([]string{"run", "resnet18", "--minibatches", "20", "--json"}, args...)
		v := jtune(t, with(liveBoard, args...)...).done(t).object(t, runKeys)
		has(t, v, "time_ms = 5.5", "minibatches = 20", "virtual = true", "base_w = null")
	}
	must.NoError(t, syscall.Kill(pid, 0))
}

// A profile of a running training is a campaign like any other.
func TestProfileMeasuresInsideATrainingThatRunsAlready(t *testing.T) {
	t.Parallel()
	pid, _ := trainsElsewhere(t)
	dir := filepath.Join(t.TempDir(), "c")
	list := filepath.Join(t.TempDir(), "modes")
	must.NoError(t, os.WriteFile(list, []byte("12c/2.20C/1.30G/3.20M\n4c/2.20C/1.30G/3.20M\n"), 0o600))
	args := with(liveBoard, "profile", "resnet18", "--attach", strconv.Itoa(pid), "--list", list, "--wait", "1s",
		"--out", dir)
	must.Contain(t, jtune(t, args...).done(t).out, "2 modes recorded, 2 usable")
	must.Contain(t, string(must.Read(t, filepath.Join(dir, "campaign.toml"))), "attached = true")
	must.NoError(t, syscall.Kill(pid, 0))
}

func TestJoinRefusesWhatIsNoRunningTraining(t *testing.T) {
	t.Parallel()
	_, log := trainsElsewhere(t)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailed, "no process 1999999999 runs", []string{"resnet18", "--attach", "1999999999"}},
		{exitFailed, "no such file", []string{"resnet18", "--log", filepath.Join(t.TempDir(), "none")}},
		{exitUsage, "--attach -3: want the number of a process", []string{"resnet18", "--attach", "-3"}},
		{exitUsage, "--attach PID, --log FILE or -- COMMAND too", []string{"resnet18", "--pattern", "tqdm"}},
		{exitUsage, "remove --workers and --inferences", []string{"resnet18", "--log", log, "--workers", "2"}},
		{exitFailed, "finds no step", []string{"resnet18", "--log", log, "--pattern", "x"}},
		{exitFailed, "needs its clock at --speed 1", []string{"resnet18", "--log", log, "--speed", "max"}},
	} {
		jtune(t, with(liveBoard, with([]string{"run"}, c.args...)...)...).fails(t, c.code, c.want)
	}
}

func TestDoctorChecksAWorkloadBeforeItsStart(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(virtualBoard, "doctor", "--workload", "resnet18", "--json")...)
	v := o.object(t, "workload simulated refusal virtual ready checks")
	if v["workload"] != "resnet18" || v["simulated"] != true || v["ready"] != false || o.code != exitFailed {
		t.Errorf("%v, exit code %d; want data missing and %d", v, o.code, exitFailed)
	}
	text := jtune(t, with(virtualBoard, "doctor", "--workload", "resnet18")...)
	must.Contain(t, strings.Join(strings.Fields(text.out), " "), "sudo mount /dev/",
		"verdict: resnet18 cannot run on this machine yet")
}

func TestRunWithoutADeviceMeansThisMachine(t *testing.T) {
	t.Parallel()
	_, log := trainsElsewhere(t)
	o := jtune(t, "run", "lenet5", "--no-device", "--log", log, "--minibatches", "10", "--json")
	v := o.done(t).object(t, runKeys)
	has(t, v, "virtual = false", "time_ms = 5.5")
}

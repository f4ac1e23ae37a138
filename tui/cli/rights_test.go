package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// nobody is a user ID without rights on Linux.
const nobody = 65534

// powerless runs jtune as a user who can read everything that the test wrote, and write none of it.
func powerless(t testing.TB, args ...string) outcome {
	t.Helper()
	program := os.Args[0]
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		data := must.Read(t, program)
		program = filepath.Join(readable(t, t.TempDir()), "jtune")
		tegratest.Program(t, program, string(data))
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Env = []string{asJtune + "=1", "HOME=/nonexistent", "PATH=/usr/bin:/bin"}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &out, &errs, attr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("cannot run as another user here: %v", err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// readable makes a test's folder readable for all users.
func readable(t testing.TB, dir string) string {
	t.Helper()
	for d := dir; strings.HasPrefix(d, os.TempDir()+"/"); d = filepath.Dir(d) {
		must.NoError(t, os.Chmod(d, 0o755))
	}
	return dir
}

func TestExitIsThreeWithoutRightsAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	samples := sampleFile(t, 12)
	readable(t, filepath.Dir(samples))
	shut := readable(t, t.TempDir())
	_, root := fakeBoard(t, "true")
	readable(t, root)
	if os.Geteuid() != 0 {
		for _, dir := range []string{shut, root} {
			os.Chmod(dir, 0o555)
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
		}
	}
	for _, c := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"setting a mode", []string{"apply", "MAXN", "--yes", "--sysroot", root}, []string{root, "writable"}},
		{"writing a model", []string{"fit", "--device", "virtual:agx-orin", "--samples", samples, "--out",
			filepath.Join(shut, "m")}, []string{shut, "--out"}},
		{"writing a campaign", []string{"profile", "resnet", "--device", "virtual:agx-orin", "--speed", "max",
			"--sample", "2", "--out", filepath.Join(shut, "c")}, []string{shut, "--out"}},
		{"writing below the data directory",
			[]string{"tune", "resnet", "--device", "virtual:agx-orin", "--speed", "max", "--energy", "--data-dir",
				filepath.Join(shut, "d")}, []string{shut, "--data-dir"}},
		{"drawing a front", []string{"front", "--samples", samples, "--svg", filepath.Join(shut, "f.svg")},
			[]string{shut}},
	} {
		t.Run(c.name, func(t *testing.T) {
			powerless(t, c.args...).fails(t, exitPermission, c.words...)
		})
	}
	t.Run("reading needs none", func(t *testing.T) {
		powerless(t, "watch", "--count", "1", "--sysroot", root).done(t)
	})
}

// Memory clocks are in debugfs, which only root can read.
func TestClocksThatMayNotBeReadAreNull(t *testing.T) {
	t.Parallel()
	_, root := fakeBoard(t, "true")
	readable(t, root)
	debug := filepath.Join(root, "sys/kernel/debug")
	must.NoError(t, os.Chmod(debug, 0))
	t.Cleanup(func() { os.Chmod(debug, 0o755) })
	o := powerless(t, "device", "--json", "--sysroot", root).done(t)
	v := o.object(t, deviceKeys)
	space := hasKeys(t, v["space"], "cores cpu_khz gpu_hz mem_hz modes")
	if space["mem_hz"] != nil || space["modes"] != nil || len(space["gpu_hz"].([]any)) == 0 {
		t.Errorf("got memory clocks %v and %v modes, want null for both, and the GPU's clocks", space["mem_hz"],
			space["modes"])
	}
	unknown := 0
	for _, p := range v["presets"].([]any) {
		mode := hasKeys(t, hasKeys(t, p, "id name mode needs_reboot")["mode"], "cores cpu_khz gpu_hz mem_hz")
		switch mode["mem_hz"] {
		case 0.0:
			t.Errorf("preset %v claims a memory clock of 0", p)
		case nil:
			unknown++
		}
	}
	if unknown == 0 {
		t.Error("no preset of the highest memory clock, which cannot be known")
	}
}

// If both the guard and its watchdog are killed, the board stays changed: the last message says so.
func TestBoardThatIsLeftChangedIsSaidAtTheEnd(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	cmd := child(with(args, "apply", "8c/1.34C/0.83G/2.13M")...)
	var errs safeBuffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	must.NoError(t, err)
	must.Until(t, "it asks", func() bool { return strings.Contains(errs.String(), "keep") })
	for _, stage := range []string{"-stage=watch", "-stage=serve"} {
		for _, pid := range processes(stage, "-sysroot="+root) {
			must.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	must.Until(t, "both are gone", func() bool { return len(processes("-stage=", "-sysroot="+root)) == 0 })
	_, _ = in.Write([]byte("n\n"))
	if err := cmd.Wait(); err == nil || !strings.Contains(errs.String(), "left this board changed") {
		t.Errorf("it ends with %v and says %q", err, errs.String())
	}
	jtune(t, with(args, "revert")...).done(t)
}

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/internal/text"
	"jtune/tegra/tegratest"
)

// shutBoard is a fake board for a user without rights: only root can read debugfs and, as on some L4T 35 images, the
// rails' values, and nothing can be written.
func shutBoard(t *testing.T, shut ...string) string {
	t.Helper()
	_, root := fakeBoard(t, "true")
	readable(t, root)
	for _, name := range shut {
		full := filepath.Join(root, name)
		must.NoError(t, os.Chmod(full, 0))
		t.Cleanup(func() { os.Chmod(full, 0o755) })
	}
	if os.Geteuid() != 0 {
		os.Chmod(root, 0o555)
		t.Cleanup(func() { os.Chmod(root, 0o755) })
	}
	return root
}

const (
	debugfs  = "sys/kernel/debug"
	railFile = "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/curr1_input"
)

func TestOrdinaryUserWatchesWhatMayBeSeen(t *testing.T) {
	t.Parallel()
	real := "sys/devices/system/cpu/cpufreq/policy%d/cpuinfo_cur_freq"
	root := shutBoard(t, debugfs, railFile, fmt.Sprintf(real, 0), fmt.Sprintf(real, 4), fmt.Sprintf(real, 8))
	o := powerless(t, "watch", "--count", "1", "--sysroot", root).done(t)
	must.Contain(t, o.out, "s  –  –  CPU", "EMC – –", "GPU 1.30 GHz 12 %", "CPU 12/12 on 2.20 GHz")
	v := powerless(t, "watch", "--count", "1", "--json", "--sysroot", root).done(t).object(t,
		watchKeys)
	emc := v["emc"].(map[string]any)
	has(t, v, "total_power_w = null", "mode = null")
	has(t, emc, "hz = null", "load_pct = null")
}

func TestDoctorTellsAnOrdinaryUserWhyAValueIsMissing(t *testing.T) {
	t.Parallel()
	root := shutBoard(t, debugfs, railFile)
	o := powerless(t, "doctor", "--sysroot", root).done(t)
	must.Contain(t, o.out, "EMC rate", "rail VDD_GPU_SOC", "no permission (root only)")
}

// Rates that nobody can read, as in a container, are not said to need root.
func TestMissingRatesOfTheMemoryAreNotSaidToNeedRoot(t *testing.T) {
	t.Parallel()
	root := shutBoard(t)
	for _, dir := range []string{debugfs, "sys/kernel/nvpmodel_emc_cap", "etc/nvpmodel.conf"} {
		must.NoError(t, os.RemoveAll(filepath.Join(root, dir)))
	}
	const why = "the memory's rates cannot be read: debugfs is not mounted here, as in a container"
	for _, as := range []func(testing.TB, ...string) outcome{jtune, powerless} {
		for _, command := range []string{"device", "doctor", "modes"} {
			o := as(t, command, "--sysroot", root)
			text := o.out + o.err
			if command == "modes" {
				o.fails(t, exitNoDevice, why)
			}
			must.Contain(t, text, why)
			must.Lack(t, text, "only root", "root sees")
		}
	}
}

func TestNeedsRootOnAnotherTreeGivesNoWayAroundTheProtection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		shut []string
		args []string
	}{
		{"setting a preset", nil, []string{"apply", "MAXN", "--yes"}},
		{"setting a mode whose memory clocks only root can list", []string{debugfs},
			[]string{"apply", "MAXN", "--yes", "--fan", "max"}},
		{"setting a mode for every boot", nil, []string{"apply", "MAXN", "--at-boot"}},
		{"no longer at boot", nil, []string{"apply", "--at-boot", "off"}},
		{"reverting", nil, []string{"revert"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := shutBoard(t, c.shut...)
			if c.name == "no longer at boot" {
				unit := filepath.Join(root, "etc/systemd/system/jtune-mode.service")
				must.NoError(t, os.MkdirAll(filepath.Dir(unit), 0o755))
				must.NoError(t, os.WriteFile(unit,
					[]byte("# Written by jtune apply --at-boot; jtune apply --at-boot off removes it.\n"), 0o644))
				if os.Geteuid() != 0 {
					os.Chmod(filepath.Dir(unit), 0o555)
					t.Cleanup(func() { os.Chmod(filepath.Dir(unit), 0o755) })
				}
			}
			args := append(c.args, "--sysroot", root)
			o := powerless(t, args...)
			o.fails(t, exitPermission, "no permission", "make the files below "+root+" writable for this user")
			if strings.Contains(o.err, "SUDO_UID") { // otherwise sudo grants rights for any tree
				t.Errorf("%s", o.err)
			}
		})
	}
}

func TestWordsAreQuotedForTheShell(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"apply": "apply", "12c/2.20C/1.30G/3.20M": "12c/2.20C/1.30G/3.20M", "": "''",
		"my dir": "'my dir'", "it's": `'it'\''s'`, "$(reboot)": "'$(reboot)'", "--fan=max": "--fan=max", "a;b": "'a;b'",
	} {
		must.Equal(t, text.ShellWord(word), want, word)
	}
}

func TestPresetWhoseMemoryClockIsNotKnownHasADash(t *testing.T) {
	t.Parallel()
	root := shutBoard(t, debugfs)
	o := powerless(t, "device", "--sysroot", root).done(t)
	must.Contain(t, o.out, "12c/2.20C/1.30G/–", "root sees more")
	must.Lack(t, o.out, "0.00M")
	v := powerless(t, "device", "--json", "--sysroot", root).done(t).object(t, deviceKeys)
	must.Equal(t, v["presets"].([]any)[0].(map[string]any)["mode"].(map[string]any)["mem_hz"], nil)
}

// A search needs the power of the module, whatever its limit: the refusal names what does not.
func TestTuneWithoutModulePowerIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "exit 1") // never started
	must.NoError(t, os.RemoveAll(filepath.Join(root, "sys/bus/i2c/drivers/ina3221")))
	o := jtune(t, with(args, "tune", "job", "--power-limit", "25")...).ends(t, 1)
	must.Contain(t, o.err, "shows no power of its module", "jtune run")
}

// nobody is a user ID without rights on Linux.
const nobody = 65534

// powerless runs jtune as a user who can read everything that the test wrote, and write none of it.
func powerless(t testing.TB, args ...string) outcome {
	t.Helper()
	program := os.Args[0]
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		program = forOthers(t)
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

// forOthers returns a copy of this program that other users can run, made once: go test's own folder belongs to root.
func forOthers(t testing.TB) string {
	t.Helper()
	program := filepath.Join(os.Getenv("XDG_DATA_HOME"), "for-others", "jtune") // removed at the end of all tests
	copyOnce.Do(func() {
		must.NoError(t, os.Mkdir(filepath.Dir(program), 0o755))
		readable(t, filepath.Dir(program))
		tegratest.Program(t, program, string(must.Read(t, os.Args[0])))
	})
	return program
}

var copyOnce sync.Once

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

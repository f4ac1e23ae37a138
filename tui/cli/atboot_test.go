package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/boot"
)

// unitOf reads the unit below a root; "" if there is none.
func unitOf(root string) string {
	data, err := os.ReadFile(filepath.Join(root, boot.Link)) // through the link, which must lead there
	if err != nil {
		return ""
	}
	return string(data)
}

const bootMode = "8c/1.11C/0.42G/3.20M"

func TestKeptModeIsAppliedAtBootUntilItIsNot(t *testing.T) {
	t.Parallel()
	board, root := fakeBoard(t, "true")
	o := jtune(t, with(board, "apply", bootMode, "--at-boot", "--yes", "--dvfs", "on", "--fan", "max")...).done(t)
	unit := unitOf(root)
	must.Contain(t, unit, "ExecStart=/", " apply "+bootMode+" --yes --device=jetson ", " --dvfs=on --fan=max\n",
		"After=nvpower.service nvpmodel.service ")
	for line := range strings.Lines(unit) {
		must.Contain(t, o.out, line)
	}
	must.Contain(t, o.err, "daemon-reload", "apply --at-boot off")
	o = jtune(t, with(board, "apply", "--at-boot", "off")...).done(t)
	must.Equal(t, unitOf(root), "")
	must.Contain(t, o.out, "removed")
	if o = jtune(t, with(board, "apply", "off", "--at-boot")...).done(t); !strings.Contains(o.err,
		"nothing to remove") {
		t.Errorf("removing twice says %q", o.err)
	}
}

func TestUnitsOwnCommandSetsTheMode(t *testing.T) {
	t.Parallel()
	board, root := fakeBoard(t, "true")
	jtune(t, with(board, "apply", bootMode, "--at-boot", "--yes")...).done(t)
	jtune(t, with(board, "apply", "MAXN", "--yes")...).done(t)
	command := strings.Fields(boot.Command(unitOf(root)))
	o := jtune(t, with(command[1:], with(board, "--json")...)...).done(t) // like after a reboot
	v := o.object(t, appliedKeys)
	if v["kept"] != true || modeOf(t, v["actual"]) != modeOf(t, v["asked"]) || modeOf(t, v["actual"]).Cores != 8 {
		t.Errorf("got %v for %s", v, bootMode)
	}
}

func TestBootUnitIsWrittenForAKeptModeOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		code         int
		written      bool
	}{
		{"y keeps and writes", "y\n", exitOK, true},
		{"n does neither", "n\n", exitReverted, false},
		{"silence does neither", "", exitReverted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			board, root := fakeBoard(t, "true")
			o := jtuneWith(t, t.Context(), strings.NewReader(c.answer),
				with(board, "apply", bootMode, "--at-boot", "--keep-after", "1s")...).ends(t, c.code)
			must.Equal(t, unitOf(root) != "", c.written)
			must.Contain(t, o.err, "now and at every boot?")
		})
	}
}

func TestAtBootInJSON(t *testing.T) {
	t.Parallel()
	board, root := fakeBoard(t, "true")
	v := jtune(t, with(board, "apply", bootMode, "--at-boot", "--yes", "--json")...).done(t).object(t,
		appliedKeys+" at_boot")
	unit := hasKeys(t, v["at_boot"], "unit text written")
	if unit["written"] != true || unit["text"] != unitOf(root) || unit["unit"] != boot.Path {
		t.Errorf("got %v", unit)
	}
}

func TestAtBootIsRefusedBeforeAnythingIsSet(t *testing.T) {
	t.Parallel()
	board, root := fakeBoard(t, "true")
	foreign := filepath.Join(root, boot.Path)
	must.NoError(t, os.MkdirAll(filepath.Dir(foreign), 0o755))
	must.NoError(t, os.WriteFile(foreign, []byte("[Service]\nExecStart=/bin/true\n"), 0o644))
	limit := filepath.Join(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq")
	before, _ := os.ReadFile(limit)
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"a file of somebody else", with(board, "apply", bootMode, "--at-boot", "--yes"), exitFailed,
			[]string{boot.Path, "not written by jtune"}},
		{"removing a file of somebody else", with(board, "apply", "--at-boot", "off"), exitFailed,
			[]string{boot.Path, "not written by jtune"}},
		{"a virtual board", with(virtualBoard, "apply", "MAXN", "--at-boot", "--yes"), exitNoDevice,
			[]string{"virtual", "boot"}},
		{"removing on a virtual board", with(virtualBoard, "apply", "--at-boot", "off"), exitNoDevice,
			[]string{"virtual"}},
		{"reading only", with(board, "apply", "--at-boot", "off", "--read-only"), exitPermission,
			[]string{"--read-only"}},
		{"off without --at-boot is not a mode", with(board, "apply", "off"), exitUsage, []string{`"off"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			jtune(t, c.args...).fails(t, c.code, c.words...)
			if after, _ := os.ReadFile(limit); string(after) != string(before) {
				t.Errorf("the board was set: %q became %q", before, after)
			}
		})
	}
}

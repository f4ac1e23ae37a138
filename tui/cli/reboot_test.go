package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/procid"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/tegra/tegratest"
	"jtune/tui/session/preflight"
)

// system is a board with systemd whose nvpmodel sets the id of its file at each boot.
type system struct {
	t     *testing.T
	root  string
	board []string
	boots int
}

func newSystem(t *testing.T) *system {
	board, root := fakeBoardOf(t, tegratest.New("agx-orin-36"), // the clocks of its presets are in the kernel's lists
		`while sleep 0.05; do echo '{"event":"minibatch","time_ms":50}'; done`)
	s := &system{t: t, root: root, board: board}
	s.put("run/systemd/system/x", "")
	s.put(tegra.PresetFile, "pmode:0000 fmode:quiet\n")
	s.boot()
	return s
}

func (s *system) put(name, content string) {
	s.t.Helper()
	full := filepath.Join(s.root, name)
	must.NoError(s.t, os.MkdirAll(filepath.Dir(full), 0o755))
	must.NoError(s.t, os.WriteFile(full, []byte(content), 0o644))
}

func (s *system) get(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.root, name))
	return string(text)
}

// boot sets what the preset of nvpmodel's file says, as nvpmodel does.
func (s *system) boot() {
	s.boots++
	s.put("proc/sys/kernel/random/boot_id", fmt.Sprintf("boot-%d\n", s.boots))
	id, disk := tegra.PresetIn(s.get(tegra.PresetFile)), tegra.DiskFS(s.root)
	paths, model, param := map[string][]string{}, "", ""
	conf := must.Get(disk.ReadFile("/etc/nvpmodel.conf"))(s.t)
	for line := range strings.Lines(string(conf)) {
		f := strings.Fields(strings.Trim(strings.ReplaceAll(line, "<", "< "), "\n"))
		switch {
		case len(f) < 2:
		case f[1] == "PARAM":
			param = strings.TrimPrefix(f[3], "NAME=")
		case f[1] == "POWER_MODEL":
			model = strings.TrimPrefix(f[2], "ID=")
		case model == "" && len(f) == 2:
			name := param + " " + strings.TrimSuffix(f[0], "_KNEXT")
			paths[name] = append(paths[name], f[1])
		case model == strconv.Itoa(id.V) && len(f) == 3 && f[2] != "-1":
			for _, path := range paths[f[0]+" "+f[1]] {
				_ = disk.WriteFile(path, []byte(f[2]+"\n"))
			}
		}
	}
}

func (s *system) jtune(stdin string, words ...string) outcome {
	s.t.Helper()
	return jtuneWith(s.t, s.t.Context(), strings.NewReader(stdin), with(s.board, words...)...)
}

// over fails the test unless nvpmodel's file has the id and no unit is left.
func (s *system) over(id string) {
	s.t.Helper()
	must.Equal(s.t, s.get(tegra.PresetFile), "pmode:"+id+" fmode:quiet\n")
	must.Equal(s.t, s.get(boot.StagedPath), "")
}

func TestApplyRebootsWithATypedYesAlone(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	for _, answer := range []string{"", "y\n", "YES\n", "no\nyes\n"} {
		s.jtune(answer, "apply", "MODE_30W", "--reboot", "--yes").fails(t, exitReverted, "nothing is changed")
		s.over("0000")
	}
	o := s.jtune("yes\n", "apply", "MODE_30W", "--reboot").done(t)
	must.Contain(t, o.err, "MODE_30W (id 2)", boot.StagedPath, "makes MAXN (id 0) the boot default again",
		"apply --keep within 10m0s", "reboots once more, into MAXN (id 0)", "The way back")
	must.Contain(t, s.get(tegra.PresetFile), "pmode:0002 fmode:quiet")
	s.jtune("yes\n", "apply", "MODE_15W", "--reboot").fails(t, exitNoDevice, "on trial already", "MODE_30W",
		"by jtune apply MODE_30W --reboot, user ")
	s.jtune("", "apply", "--keep").fails(t, exitFailed, "nothing to keep") // this boot is not the trial's
	s.jtune("", "apply", "off", "--reboot").done(t)
	s.over("0000")
}

func TestApplyKeepsAPresetAfterItsBoot(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.jtune("yes\n", "apply", "MODE_30W", "--reboot").done(t)
	s.boot()
	unit := make(chan outcome)
	go func() { unit <- s.jtune("", "staged") }()
	must.Until(t, "the old id is the boot default again and the preset waits", func() bool {
		names, _ := filepath.Glob(filepath.Join(s.root, "run/lock/jtune.*.job"))
		return s.get(tegra.PresetFile) == "pmode:0000 fmode:quiet\n" && len(names) > 0
	})
	must.Contain(t, s.jtune("", "device").done(t).err, "MODE_30W (id 2) is on trial", "apply --keep")
	s.jtune("", "apply", "--keep").done(t)
	(<-unit).done(t)
	s.jtune("", "staged", "--end", "success").done(t)
	s.boot()
	s.over("0002")
	s.jtune("", "apply", "MODE_30W", "--yes").done(t) // now it needs no reboot
}

func TestStagedPresetWithoutAnAnswerLeadsBack(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.jtune("yes\n", "apply", "MODE_30W", "--reboot", "--keep-after", "1s").done(t)
	s.boot()
	must.Contain(t, s.jtune("", "staged").done(t).err, "no answer: the board reboots into MAXN (id 0)")
	must.Contain(t, s.jtune("", "staged", "--end", "success").done(t).err, "the board reboots")
	s.boot()
	s.jtune("", "staged").done(t)
	s.over("0000")
}

func TestStagedPresetThatDoesNotComeUpLeadsBack(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.jtune("yes\n", "apply", "MODE_30W", "--reboot").done(t)
	s.put("proc/sys/kernel/random/boot_id", "another boot\n") // in which nvpmodel sets nothing
	if !testing.Short() {
		s.jtune("", "staged").fails(t, exitFailed, "MODE_30W (id 2) is not in force after the reboot")
	} else {
		s.jtune("", "staged", "--read-only")
	}
	s.jtune("", "staged", "--end", "exit-code").done(t)
	s.boot()
	s.jtune("", "staged").done(t)
	s.over("0000")
}

func TestApplyRefusesToRebootBeforeItAsks(t *testing.T) {
	t.Parallel()
	apply := []string{"apply", "MODE_30W", "--reboot"}
	jtune(t, with(virtualBoard, apply...)...).fails(t, exitNoDevice, "virtual board has no boot")
	for name, c := range map[string]struct {
		prepare func(s *system)
		more    []string
		code    int
		words   []string
	}{
		"no systemd": {func(s *system) { os.RemoveAll(filepath.Join(s.root, "run/systemd")) }, nil, exitNoDevice,
			[]string{"systemd does not run here"}},
		"reading only": {func(*system) {}, []string{"--read-only"}, exitPermission, []string{"--read-only"}},
		"a mode at every boot": {func(s *system) { s.jtune("", "apply", "MAXN", "--yes", "--at-boot").done(t) }, nil,
			exitNoDevice, []string{boot.Path, "--at-boot off"}},
		"a search runs": {func(s *system) {
			o := preflight.Owner{PID: os.Getppid(), ID: procid.Of(os.Getppid()), What: "search for resnet18",
				User: "anna", Alone: true}
			data, _ := json.Marshal(o)
			s.put(fmt.Sprintf("run/lock/jtune.%d.job", o.PID), string(data))
		}, nil, exitNoDevice, []string{"search for resnet18", "user anna"}},
		"another unit": {func(s *system) { s.put(boot.StagedPath, "[Service]\n") }, nil, exitFailed,
			[]string{boot.StagedPath, "not written by jtune"}},
		"with a lock": {func(*system) {}, []string{"--dvfs", "on"}, exitUsage, []string{"--reboot", "--dvfs"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSystem(t)
			c.prepare(s)
			s.jtune("yes\n", with(apply, c.more...)...).fails(t, c.code, c.words...)
			if got := s.get(tegra.PresetFile); !strings.HasPrefix(got, "pmode:0000") {
				t.Errorf("nvpmodel's file is %q", got)
			}
		})
	}
}

func TestProfileMeasuresPresetsInTheirOwnBoots(t *testing.T) {
	t.Setenv(asJtune, "1") // of the unit's command
	s := newSystem(t)
	out := filepath.Join(t.TempDir(), "campaign")
	list := write(t, "MODE_15W\nMAXN\n8c/1.11C/0.41G/3.20M\n2\n")
	profile := []string{"profile", "job", "--list", list, "--minibatches", "3", "--keep-fan", "--reboot",
		"--out", out}
	s.jtune("no\n", profile...).fails(t, exitReverted, "nothing is changed")
	o := s.jtune("yes\n", profile...).done(t)
	must.Contain(t, o.err, "MODE_15W (id 1), then MODE_30W (id 2)")
	for range 2 {
		s.boot()
		s.jtune("", "staged").done(t)
		s.jtune("", "staged", "--end", "success").done(t)
	}
	s.boot()
	s.jtune("", "staged").done(t)
	s.over("0000")
	for dir, cores := range map[string][]int{out: {12, 8}, out + ".MODE_15W": {4}, out + ".MODE_30W": {8}} {
		_, rows := rowsIn(t, dir, len(cores))
		for i, row := range rows {
			if row.Mode.Cores != cores[i] || !row.Status.Usable() {
				t.Errorf("%s: %s is %s: %s", dir, row.Mode, row.Status, row.Why)
			}
		}
	}
	s.jtune("", with(profile, "--resume")...).done(t) // all is measured: no reboot
	s.over("0000")
}

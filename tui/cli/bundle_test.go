package cli

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/doctor"
)

// bundleOf writes the bundle of the tree below root.
func bundleOf(t *testing.T, root string) string {
	t.Helper()
	s, err := session.Open(session.Options{Sysroot: root, Paths: config.Paths{DataDir: t.TempDir(),
		StateDir: t.TempDir()}})
	must.NoError(t, err)
	defer s.Close()
	path := filepath.Join(t.TempDir(), "board.tar.gz")
	_, err = doctor.WriteBundle(s, path)
	must.NoError(t, err)
	return path
}

// TestBundleOfEachBoardAnswersAsTheBoard compares them, except that a bundle sets nothing.
func TestBundleOfEachBoardAnswersAsTheBoard(t *testing.T) {
	t.Parallel()
	for _, b := range tegratest.Boards() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			const keys = "model compatible soc l4t virtual space rails total_power_rule presets rights mode " +
				"name locked preset_id presets_unusable"
			root := b.New().Write(t)
			path := bundleOf(t, root)
			must.NoError(t, os.Chmod(path, 0o400))
			want := jtune(t, "device", "--json", "--sysroot", root).done(t).object(t, keys)
			got := jtune(t, "device", "--json", "--sysroot", path).done(t).object(t, keys)
			has(t, got, "rights.apply = false", "rights.read = true")
			delete(want, "rights")
			delete(got, "rights")
			must.Equal(t, got, want)
		})
	}
}

func TestDoctorWritesABundleThatIsOnlyRead(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	path := filepath.Join(t.TempDir(), "board.tar.gz")
	o := jtune(t, "doctor", "--sysroot", root, "--bundle", path).done(t)
	must.Contain(t, o.err, "wrote "+path)
	must.Contain(t, o.out, "verdict: ")
	must.Contain(t, jtune(t, "device", "--sysroot", path).done(t).err, "is a bundle")
	for _, args := range [][]string{{"apply", "MAXN", "--yes"}, {"apply", "--at-boot", "off"},
		{"run", "resnet18"}, {"tune", "resnet18", "--power-limit", "30"}, {"experiment", "baseload"}} {
		must.Contain(t, jtune(t, with(args, "--sysroot", path)...).ends(t, exitUsage).err, "can only be read")
	}
	must.Contain(t, jtune(t, "doctor", "--device", "virtual:agx-orin", "--bundle", path+"2").ends(t, exitNoDevice).err,
		"virtual")
	must.NoError(t, os.WriteFile(path, []byte("no archive"), 0o600))
	must.Contain(t, jtune(t, "device", "--sysroot", path).ends(t, exitNoDevice).err, "not a bundle")
}

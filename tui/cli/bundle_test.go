package cli

import (
	"os"
	"path/filepath"
	"strings"
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
			if rights := got["rights"].(map[string]any); rights["apply"] != false || rights["read"] != true {
				t.Errorf("rights of a bundle: %v", rights)
			}
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
		if o := jtune(t, with(args, "--sysroot", path)...); o.code != exitUsage ||
			!strings.Contains(o.err, "can only be read") {
			t.Errorf("%v: exit code %d, %q", args, o.code, o.err)
		}
	}
	if o := jtune(t, "doctor", "--device", "virtual:agx-orin", "--bundle", path+"2"); o.code != exitNoDevice ||
		!strings.Contains(o.err, "virtual") {
		t.Errorf("a virtual board: exit code %d, %q", o.code, o.err)
	}
	must.NoError(t, os.WriteFile(path, []byte("no archive"), 0o600))
	if o := jtune(t, "device", "--sysroot", path); o.code != exitNoDevice || !strings.Contains(o.err, "not a bundle") {
		t.Errorf("a text file: exit code %d, %q", o.code, o.err)
	}
}

package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/tegra"
)

// TestSuspendReadsCardsAndStates has the files of a board with a card that may wake it, one that may not,
// one that cannot say, and the loopback.
func TestSuspendReadsCardsAndStates(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"sys/class/net/eth0/address":              "48:b0:2d:00:11:22\n",
		"sys/class/net/eth0/device/power/wakeup":  "enabled\n",
		"sys/class/net/lo/address":                "00:00:00:00:00:00\n",
		"sys/class/net/usb0/address":              "02:00:00:00:00:01\n",
		"sys/class/net/wlan0/address":             "48:b0:2d:00:11:23\n",
		"sys/class/net/wlan0/device/power/wakeup": "disabled\n",
		"sys/power/state":                         "freeze mem\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := tegra.DiskFS(root)
	want := []Card{
		{"eth0", "48:b0:2d:00:11:22", tegra.Some(true)},
		{"usb0", "02:00:00:00:00:01", tegra.Val[bool]{}},
		{"wlan0", "48:b0:2d:00:11:23", tegra.Some(false)},
	}
	if diff := cmp.Diff(want, Cards(files)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := canSuspend(files); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(root, "sys/power/state"), []byte("freeze\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := canSuspend(files); !errors.Is(err, tegra.ErrUnsupported) || !strings.Contains(err.Error(), "freeze") {
		t.Error(err)
	}
}

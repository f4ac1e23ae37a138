package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A disk without room for campaign.toml: nothing is measured, one line says why, and no unreadable folder is left.
func TestProfileOnADiskWithoutRoomForCampaignTOML(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", `ulimit -f 0; exec "$0" "$@"`, os.Args[0], "--device", "virtual:agx-orin",
		"--speed", "max", "--data-dir", dir, "profile", "lstm", "--sample", "2")
	cmd.Env = append(os.Environ(), asJtune+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "jtune: campaign.toml: ") {
		t.Errorf("%q", last)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "campaigns")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	list := jtune(t, "--data-dir", dir, "campaigns", "list")
	if list.code != exitOK || strings.Contains(list.err, "left out") {
		t.Errorf("%d %s", list.code, list.err)
	}
}

package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/tegratest"
)

// full is an output on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A command whose output is lost says so, also one that only prints.
func TestCommandsFailWhenTheirOutputIsLost(t *testing.T) {
	t.Parallel()
	sweep, _ := toySweep(t)
	for _, args := range [][]string{{"man"}, {"--help"}, {"run", "--help"}, {"help", "exit-codes"}, {"version"},
		{"plot", "heat", "--samples", sweep}, {"completion", "bash"}} {
		var err safeBuffer
		code := Run(t.Context(), args, strings.NewReader(""), full{}, &err)
		must.Equal(t, code, exitFailed, args)
		must.Contain(t, err.String(), "no space left")
	}
}

// --yes keeps the mode although nothing can be printed; without an answer one line says that it is reverted.
func TestApplyKeepsBeforeItPrints(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{true, false} {
		args, root := fakeBoard(t, "true")
		args = with(args, "apply", "8c/1.34C/0.83G/2.13M")
		if yes {
			args = append(args, "--yes")
		}
		before := tegratest.Contents(t, root)
		var text safeBuffer
		code := Run(t.Context(), args, strings.NewReader(""), full{}, &text)
		if code != exitFailed || strings.Contains(text.String(), "reverted") == yes {
			t.Errorf("--yes %v: exit code %d, %s", yes, code, text.String())
		}
		must.Until(t, "the guard has ended", func() bool { return len(processes("-sysroot="+root)) == 0 })
		if d := tegratest.Differences(before, tegratest.Contents(t, root)); len(d) == 0 == yes {
			t.Errorf("--yes %v: %d files differ", yes, len(d))
		}
	}
}

// A disk without room for campaign.toml: nothing is measured, one line says why, and no unreadable folder is left.
func TestProfileOnADiskWithoutRoomForCampaignTOML(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := childOfSmallFiles(0, "--device", "virtual:agx-orin",
		"--speed", "max", "--data-dir", dir, "profile", "lstm", "--sample", "2")
	out, err := cmd.CombinedOutput()
	exited(t, err, exitFailed)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "jtune: campaign.toml: ") {
		t.Errorf("%q", last)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "campaigns")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	list := jtune(t, "--data-dir", dir, "campaigns", "list").done(t)
	must.Lack(t, list.err, "left out")
}

// A disk that fills up during a soak takes its record, not its verdict.
func TestSoakOnAFullDiskStillSaysItsVerdict(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := childOfSmallFiles(16, "--device", "virtual:agx-orin",
		"--speed", "max", "--data-dir", dir, "soak", "lenet5", "--for", "10m", "--out", filepath.Join(dir, "soak"))
	out, err := cmd.CombinedOutput()
	exited(t, err, exitFailed)
	must.Contain(t, string(out), "\nholds: held for 10 min", "\njtune: writing soak.csv: file too large\n")
}

// A disk that is full fails the record, its end and the model: one clause says so, and the other errors stay.
func TestTextsSayOnceThatTheDiskIsFull(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("recording in d: %w; free some space", syscall.ENOSPC)
	got := texts(errors.Join(errors.Join(full, fmt.Errorf("end.txt: %w", syscall.ENOSPC)), errors.New("other"),
		fmt.Errorf("model: %w", syscall.ENOSPC)))
	must.Equal(t, got, []string{full.Error(), "other"})
}

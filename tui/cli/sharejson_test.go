package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// documentedKeys returns the keys that the reference gives for a command's JSON: the first list in its row.
func documentedKeys(t *testing.T, command string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(checkout, "docs/reference/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(string(page)) {
		cells := strings.SplitN(row, " | ", 2)
		if !strings.Contains(cells[0], "`"+command+"`") || len(cells) < 2 {
			continue
		}
		if quoted := strings.SplitN(cells[1], "`", 3); len(quoted) == 3 && strings.Contains(quoted[1], ", ") {
			return strings.ReplaceAll(quoted[1], ",", "")
		}
	}
	t.Fatalf("the reference has no row of keys for %s", command)
	return ""
}

// process runs a command line as a process of its own, in a folder.
func process(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &out, &errs, append(os.Environ(), asJtune+"=1")
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

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

// models share writes into the working folder, so that these commands are processes in a folder of their own.
func TestShareAndLearnPrintTheDocumentedJSON(t *testing.T) {
	t.Parallel()
	computes(t)
	shareKeys, learnKeys := documentedKeys(t, "models share"), documentedKeys(t, "models learn")
	here := t.TempDir()
	board := []string{"--device", "virtual:agx-orin", "--speed", "max", "--data-dir", filepath.Join(here, "data")}
	run := func(args ...string) outcome { return process(t, here, with(board, args...)...) }
	run("profile", "lenet5", "--sample", "100").done(t)
	v := run("models", "share", "lenet5", "mine", "--json").done(t).object(t, shareKeys)
	if v["path"] != "mine.board" || v["device"] != "AGX Orin" || v["modes"] != 100.0 || v["virtual"] != true {
		t.Errorf("share: %v", v)
	}
	if _, err := os.Stat(filepath.Join(here, "mine.board")); err != nil {
		t.Error(err)
	}
	v = run("models", "learn", "mine.board", "--json").done(t).object(t, learnKeys)
	run("models", "share", "lenet5").done(t) // named as the model
	run("models", "learn", "lenet5.board", "--out", "p.reference", "--json").done(t)
	got := run("models", "learn", "lenet5.board", "--out", "p.reference").done(t).out
	if !strings.Contains(got, "--reference") || !strings.Contains(got, "p.reference") {
		t.Errorf("learn --out: %s", got)
	}
	run("models", "show", "p.reference").done(t)
	run("models", "learn", "lenet5.board", "--out", "lenet5.board").fails(t, exitUsage, "input")
	if v["name"] != "agx-orin-shared" || v["workloads"] != "mine" || v["prior"] != false || v["virtual"] != true {
		t.Errorf("learn: %v", v)
	}
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

package plan

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The changes in docs/extending.md fit the sources, and that of an output format reads what it should. The long form
// makes all in a copy, one after the other, and runs the tests that the page names there, except the new page's, which
// changes all golden screens.
func TestExtendingShowsChangesThatFit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("git, which applies the changes, is not here")
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/extending.md"))
	if err != nil {
		t.Fatal(err)
	}
	changes := regexp.MustCompile("(?s)```diff\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(changes) != 5 {
		t.Fatalf("%d changes, want those for a command, a form, a workload, a board and a page", len(changes))
	}
	apply := func(dir, change string, options ...string) {
		t.Helper()
		cmd := exec.Command(git, append(append([]string{"apply", "-C1"}, options...), "-")...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(change)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)) // no repository around a copy
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("a change of docs/extending.md does not fit the sources any more: %s", out)
		}
	}
	for _, c := range changes {
		apply(root, c[1], "--check")
	}
	if t.Failed() {
		return
	}
	t.Run("the output format", func(t *testing.T) { readsAsSaid(t, changes[1][1], apply) })
	if os.Getenv("JTUNE_LONG") == "" {
		return
	}
	dir := t.TempDir()
	copySources(t, dir)
	for _, c := range changes {
		apply(dir, c[1])
	}
	for _, args := range [][]string{
		{"vet", "./tui/cli", "./tui", "./tui/page/zones"},
		{"test", "-vet=off", "./profiles/harness/detect", "./profiles/workload"},
		{"test", "-vet=off", "./tegra", "-run", "Board"},
		{"test", "-vet=off", "./tui/cli", "-run", "EveryCommand|OneExample"},
		{"run", ".", "device", "zones", "--device", "virtual:agx-orin"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("with the changes of docs/extending.md, go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// readsAsSaid makes the change of an output format in copies of its files, and runs its test over them.
func readsAsSaid(t *testing.T, change string, apply func(dir, change string, options ...string)) {
	dir, replace := t.TempDir(), map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\+\+\+ b/(.*)$`).FindAllStringSubmatch(change, -1) {
		text, err := os.ReadFile(filepath.Join(root, m[1]))
		to := filepath.Join(dir, m[1])
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755)); err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
		from, wrong := filepath.Abs(filepath.Join(root, m[1]))
		if err = errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		replace[from] = to
	}
	apply(dir, change)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o644)); err != nil {
		t.Fatal(err)
	}
	const name = "TestReadManyFormats/mysolver"
	cmd := exec.Command("go", "test", "-vet=off", "-v", "-overlay", filepath.Join(dir, "overlay"), "-run", name,
		"./profiles/harness/detect")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: "+name) {
		t.Errorf("with the change of docs/extending.md: %v\n%s", err, out)
	}
}

// copySources copies the tree without build outputs and history.
func copySources(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		switch {
		case name == ".git" || name == "dist":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

package plan

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

// The changes in docs/extending.md fit the sources, each in at most three files besides tests, and those of a limit and
// of an output format read what they should. The long form asks so of a request's field too, makes all in a copy, one
// after the other, and runs the tests that the page names there, except the new page's, which changes all golden
// screens, and what they add.
func TestExtendingShowsChangesThatFit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("git, which applies the changes, is not here")
	}
	text := must.Read(t, filepath.Join(root, "docs/extending.md"))
	changes := regexp.MustCompile("(?s)```diff\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(changes) != 8 {
		t.Fatalf("%d changes, want those for a command, a limit, a field of a document and of a request, a form, "+
			"a workload, a board and a page", len(changes))
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
		files := regexp.MustCompile(`(?m)^\+\+\+ b/(.*)$`).FindAllString(c[1], -1)
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		if n := len(files); n > 3 {
			t.Errorf("a change takes %d files:\n%s", n, c[1])
		}
	}
	if t.Failed() {
		return
	}
	t.Run("a limit", func(t *testing.T) {
		readsAsSaid(t, changes[1][1], apply, "./tegra/metric", "TestGoalIsReadAndPrintedAlike")
	})
	t.Run("the output format", func(t *testing.T) {
		readsAsSaid(t, changes[4][1], apply, "./profiles/harness/detect", "TestReadManyFormats/mysolver")
	})
	if os.Getenv("JTUNE_LONG") == "" {
		return
	}
	t.Run("a field of a request", func(t *testing.T) { // compiles all that is above the record
		readsAsSaid(t, changes[3][1], apply, "./tui/page/dialog", "TestTuneAsksForEveryFieldOfASearch/readings")
	})
	dir := t.TempDir()
	copySources(t, dir)
	for _, c := range changes {
		apply(dir, c[1])
	}
	home := "XDG_DATA_HOME=" + t.TempDir()
	board := []string{"--device", "virtual:agx-orin", "--speed", "max"}
	for _, try := range []struct{ args, want string }{
		{"vet ./tui/cli ./tui ./tui/page/zones", ""},
		{"test -vet=off ./profiles/harness/detect ./profiles/workload", "ok"},
		{"test -vet=off ./tegra -run Board", "ok"},
		{"test -vet=off ./tui/cli -run EveryCommand|OneExample", "ok"},
		{"run . device zones", "°C"},
		{"run . device --json", `"zones": `},
		{"run . tune resnet18 --json --limit 30W,9000rpm --probes 4", `"fan_speed_rpm": `},
		{"run . tune resnet18 --json --power-limit 30 --probes 4 --readings many", "{"},
		{"run . campaigns list", "readings"},
	} {
		args := strings.Fields(try.args)
		if args[0] == "run" && args[2] != "campaigns" {
			args = append(args, board...)
		}
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), home)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), try.want) {
			t.Errorf("with the changes of docs/extending.md, go %s: %v\n%s", try.args, err, out)
		}
	}
}

// readsAsSaid makes a change in copies of its files, and runs a test of a package over them.
func readsAsSaid(t *testing.T, change string, apply func(dir, change string, options ...string), pkg, name string) {
	dir, replace := t.TempDir(), map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\+\+\+ b/(.*)$`).FindAllStringSubmatch(change, -1) {
		text, err := os.ReadFile(filepath.Join(root, m[1]))
		to := filepath.Join(dir, m[1])
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755)); err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
		from, wrong := filepath.Abs(filepath.Join(root, m[1]))
		err = errors.Join(err, wrong)
		must.NoError(t, err)
		replace[from] = to
	}
	apply(dir, change)
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o644))
	must.NoError(t, err)
	cmd := exec.Command("go", "test", "-vet=off", "-v", "-overlay", filepath.Join(dir, "overlay"), "-run", name,
		pkg)
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
	must.NoError(t, err)
}

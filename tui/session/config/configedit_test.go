package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

// editing edits a new file of this text: each opening of the editor writes the next of texts.
func editing(t *testing.T, before string, texts ...string) (e ConfigEdit, copies func() []string) {
	t.Helper()
	dir := t.TempDir()
	e.Config = filepath.Join(dir, "config.toml")
	must.NoError(t, os.WriteFile(e.Config, []byte(before), 0o600))
	e.Screens = ScreenTables{
		CheckKeys:  func(map[string][]string) (string, error) { return "", nil },
		CheckTheme: func(map[string]string) (string, error) { return "", nil },
	}
	e.Open = func(file string) error {
		if len(texts) == 0 {
			return errors.New("the editor dies")
		}
		text := texts[0]
		texts = texts[1:]
		return os.WriteFile(file, []byte(text), 0o600)
	}
	e.Again = func(faults []error) bool { return true }
	return e, func() []string {
		found := must.Get(filepath.Glob(filepath.Join(dir, "edited.*.toml")))(t)
		return found
	}
}

func wantText(t *testing.T, file, want string) {
	t.Helper()
	must.Equal(t, string(must.Read(t, file)), want)
}

func TestConfigEditAsksAgainUntilThereIsNoFault(t *testing.T) {
	t.Parallel()
	e, copies := editing(t, "", "[torhc]\n", "[torch]\ndta = 1\n", "[torch]\ndata = 'x'\n")
	asked := 0
	e.Again = func(faults []error) bool { asked++; return len(faults) == 1 }
	if changed, err := e.Run(); !changed || err != nil || asked != 2 {
		t.Errorf("changed %v, %v, asked %d times", changed, err, asked)
	}
	wantText(t, e.Config, "[torch]\ndata = 'x'\n")
	must.Equal(t, must.Get(os.Stat(e.Config))(t).Mode().Perm(), 0o600)
	if left := copies(); len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
}

func TestConfigEditNeverLosesWhatWasTyped(t *testing.T) {
	t.Parallel()
	const typed = "[torch]\ndata = 'typed'\n"
	for name, c := range map[string]struct {
		typed string
		fails func(e *ConfigEdit)
	}{
		"given up": {"[torhc]\n", func(e *ConfigEdit) {
			e.Again = func([]error) bool { return false }
		}},
		"an editor that dies after a fault": {"[torhc]\n", func(*ConfigEdit) {}},
		"an editor that dies after writing": {typed, func(e *ConfigEdit) {
			open := e.Open
			e.Open = func(file string) error { return errors.Join(open(file), errors.New("killed")) }
		}},
		"another program's change": {typed, func(e *ConfigEdit) {
			open := e.Open
			e.Open = func(file string) error {
				return errors.Join(os.WriteFile(e.Config, []byte("# before\n# theirs\n"), 0o600), open(file))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, copies := editing(t, "# before\n", c.typed)
			c.fails(&e)
			changed, err := e.Run()
			left := copies()
			if changed || err == nil || len(left) != 1 || !strings.Contains(err.Error(), left[0]) {
				t.Fatalf("changed %v, %v, copies %v", changed, err, left)
			}
			wantText(t, left[0], c.typed)
			if text, err := os.ReadFile(e.Config); err != nil || !strings.HasPrefix(string(text), "# before\n") {
				t.Errorf("the file is %q, %v", text, err)
			}
		})
	}
}

func TestConfigEditFollowsALinkAndMakesAFile(t *testing.T) {
	t.Parallel()
	e, _ := editing(t, "", "[torch]\n")
	target := e.Config
	e.Config = filepath.Join(t.TempDir(), "link.toml")
	must.NoError(t, os.Symlink(target, e.Config))
	if changed, err := e.Run(); !changed || err != nil {
		t.Errorf("changed %v, %v", changed, err)
	}
	wantText(t, target, "[torch]\n")
	if st, err := os.Lstat(e.Config); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	e, _ = editing(t, "", "[torch]\n")
	e.Config = filepath.Join(t.TempDir(), "new", "config.toml")
	if changed, err := e.Run(); !changed || err != nil {
		t.Errorf("a new file: changed %v, %v", changed, err)
	}
	wantText(t, e.Config, "[torch]\n")
}

func TestSaveWorkloadOfTwentyAtOnceLosesNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			name := fmt.Sprint("job", i)
			table := "[workload." + name + "]\ncommand = [\"run me\"]\n"
			if _, err := (Paths{Config: file}).SaveWorkload(name, table); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text := must.Read(t, file)
	must.Equal(t, strings.Count(string(text), "[workload.job"), 20)
}

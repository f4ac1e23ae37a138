package boot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// system is a root folder with an /etc and the unit for it.
func system(t *testing.T) (root string, d *Dir, text string) {
	t.Helper()
	root = t.TempDir()
	must.NoError(t, os.MkdirAll(filepath.Join(root, "etc"), 0o755))
	d = must.Get(Open(root))(t)
	t.Cleanup(func() { d.Close() })
	text = must.Get(Unit{Program: "/usr/local/bin/jtune", Mode: "MAXN"}.Text())(t)
	return root, d, text
}

// put writes a file below root.
func put(t *testing.T, root, name, content string) string {
	t.Helper()
	full := filepath.Join(root, name)
	must.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	must.NoError(t, os.WriteFile(full, []byte(content), 0o644))
	return full
}

// names lists everything below root but folders.
func names(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	must.NoError(t, filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, strings.TrimPrefix(name, root))
		}
		return err
	}))
	return out
}

func TestUnitIsWrittenReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	root, d, text := system(t)
	must.NoError(t, d.Check())
	if got := names(t, root); len(got) != 0 {
		t.Errorf("the check leaves %v", got)
	}
	must.NoError(t, d.Install(text))
	other := must.Get(Unit{Program: "/opt/jtune", Mode: "MAXN"}.Text())(t)
	for _, want := range []string{text, other, other} {
		must.NoError(t, d.Install(want))
		got, err := d.Installed()
		if err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if on, err := d.Enabled(); err != nil || !on {
			t.Errorf("enabled: got %v, %v", on, err)
		}
		if data, err := os.ReadFile(filepath.Join(root, Link)); err != nil || string(data) != want {
			t.Errorf("through the link: got %q, %v", data, err)
		}
		if got := names(t, root); len(got) != 2 {
			t.Errorf("got %v, want the unit and its link", got)
		}
	}
	must.NoError(t, d.Remove())
	if got := names(t, root); len(got) != 0 {
		t.Errorf("removing leaves %v", got)
	}
	if err := d.Remove(); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("removing twice: got %v, want %v", err, ErrNotInstalled)
	}
}

func TestInstallOfHalfAUnitCanBeCompletedAndRemoved(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{Path, Link} {
		t.Run("without "+lost, func(t *testing.T) {
			t.Parallel()
			root, d, text := system(t)
			must.NoError(t, d.Install(text))
			must.NoError(t, os.Remove(filepath.Join(root, lost)))
			must.NoError(t, d.Install(text))
			if got := names(t, root); len(got) != 2 {
				t.Errorf("got %v, want both", got)
			}
			must.NoError(t, os.Remove(filepath.Join(root, lost)))
			must.NoError(t, d.Remove())
			if got := names(t, root); len(got) != 0 {
				t.Errorf("removing leaves %v", got)
			}
		})
	}
}

func TestLinkThatSystemctlMadeIsTakenAsOurs(t *testing.T) {
	t.Parallel()
	root, d, text := system(t)
	must.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(Link)), 0o755))
	must.NoError(t, os.Symlink(Path, filepath.Join(root, Link)))
	must.NoError(t, d.Install(text))
	must.NoError(t, d.Remove())
	if got := names(t, root); len(got) != 0 {
		t.Errorf("removing leaves %v", got)
	}
}

func TestForeignFilesAreNeitherReplacedNorRemoved(t *testing.T) {
	t.Parallel()
	const victim = "[Service]\nExecStart=/bin/true\n"
	for name, prepare := range map[string]func(t *testing.T, root string){
		"a unit of somebody else": func(t *testing.T, root string) { put(t, root, Path, victim) },
		"an empty file":           func(t *testing.T, root string) { put(t, root, Path, "") },
		"our mark further down":   func(t *testing.T, root string) { put(t, root, Path, "\n"+mark+"\n") },
		"our mark in a line":      func(t *testing.T, root string) { put(t, root, Path, mark+" not") },
		"a folder": func(t *testing.T, root string) {
			must.NoError(t, os.MkdirAll(filepath.Join(root, Path), 0o755))
		},
		"a link to a file": func(t *testing.T, root string) {
			put(t, root, "etc/victim", mark+"\n")
			must.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(Path)), 0o755))
			must.NoError(t, os.Symlink("../../victim", filepath.Join(root, Path)))
		},
		"a link to nowhere": func(t *testing.T, root string) {
			must.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(Path)), 0o755))
			must.NoError(t, os.Symlink("/etc/cron.d/evil", filepath.Join(root, Path)))
		},
		"a masked unit": func(t *testing.T, root string) {
			must.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(Path)), 0o755))
			must.NoError(t, os.Symlink("/dev/null", filepath.Join(root, Path)))
		},
		"a file where the link goes": func(t *testing.T, root string) { put(t, root, Link, victim) },
		"a link elsewhere": func(t *testing.T, root string) {
			must.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(Link)), 0o755))
			must.NoError(t, os.Symlink("/lib/systemd/system/other.service", filepath.Join(root, Link)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, d, text := system(t)
			prepare(t, root)
			before := names(t, root)
			for what, err := range map[string]error{"check": d.Check(), "install": d.Install(text),
				"remove": d.Remove()} {
				if !errors.Is(err, ErrForeign) {
					t.Errorf("%s: got %v, want %v", what, err, ErrForeign)
				}
			}
			if after := names(t, root); strings.Join(after, " ") != strings.Join(before, " ") {
				t.Errorf("got %v, want %v untouched", after, before)
			}
		})
	}
}

func TestInstallFollowsNoLinkOutOfTheRoot(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"etc/systemd", "etc/systemd/system", "etc/systemd/system/multi-user.target.wants"} {
		for how, target := range map[string]func(outside string) string{
			"absolute": func(outside string) string { return outside },
			"relative": func(outside string) string {
				return strings.Repeat("../", 20) + strings.TrimPrefix(outside, "/")
			},
		} {
			t.Run(name+" is a link, "+how, func(t *testing.T) {
				t.Parallel()
				root, d, text := system(t)
				outside := t.TempDir()
				full := filepath.Join(root, name)
				must.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
				must.NoError(t, os.Symlink(target(outside), full))
				if err := d.Check(); err == nil {
					t.Error("the check finds nothing wrong")
				}
				if err := d.Install(text); err == nil {
					t.Error("the unit was written through the link")
				}
				if err := d.Remove(); err == nil {
					t.Error("removing goes through the link")
				}
				if got := names(t, outside); len(got) != 0 {
					t.Errorf("%v appeared outside the root", got)
				}
			})
		}
	}
}

func TestFileThatAppearsWhileWritingIsNotOverwritten(t *testing.T) {
	t.Parallel()
	root, d, text := system(t)
	must.NoError(t, d.root.MkdirAll(filepath.Dir(below(Link)), 0o755))
	full := put(t, root, Path, "theirs")
	if err := d.write(Path, text, false); !errors.Is(err, ErrForeign) { // as if it had not been there a moment ago
		t.Errorf("got %v, want %v", err, ErrForeign)
	}
	if data, _ := os.ReadFile(full); string(data) != "theirs" {
		t.Errorf("got %q", data)
	}
	if got := names(t, root); len(got) != 1 {
		t.Errorf("got %v, want no temporary file", got)
	}
}

func TestInstallWithoutRightsSaysSo(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	root, d, text := system(t)
	must.NoError(t, os.Chmod(filepath.Join(root, "etc"), 0o555))
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "etc"), 0o755) })
	for what, err := range map[string]error{"check": d.Check(), "install": d.Install(text)} {
		if !errors.Is(err, tegra.ErrPermission) {
			t.Errorf("%s: got %v, want %v", what, err, tegra.ErrPermission)
		}
	}
}

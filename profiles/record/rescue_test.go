package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestRecordWhoseFolderVanishesRescuesItsRows(t *testing.T) {
	t.Parallel()
	for name, vanish := range map[string]func(dir string) error{
		"deleted":  os.RemoveAll,
		"moved":    func(dir string) error { return os.Rename(dir, dir+"-elsewhere") },
		"replaced": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "c")
			r, err := Create(dir, testHeader(t))
			must.NoError(t, err)
			defer r.Close()
			rows := exampleRows()[:3]
			must.NoError(t, errors.Join(r.Append(rows[0]), r.Append(rows[1]), vanish(dir)))
			err = r.Append(rows[2])
			where := "3 rows (without raw samples) are in " + dir + "-rescued"
			if !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), where) {
				t.Fatalf("got %v", err)
			}
			kept := must.Get(open(dir + "-rescued"))(t)
			defer kept.Close()
			if got := kept.Rows(); len(got) != 3 || got[2].Setting != rows[2].Setting {
				t.Errorf("%d rows rescued: %+v", len(got), got)
			}
			if r.Dir() != dir+"-rescued" || len(r.Rows()) != 3 {
				t.Errorf("the record is in %s with %d rows", r.Dir(), len(r.Rows()))
			}
			if err := r.Append(rows[0]); !errors.Is(err, errClosed) {
				t.Errorf("one more: %v", err)
			}
			if err := errors.Join(r.Close(), r.Close()); err != nil {
				t.Errorf("closed twice: %v", err)
			}
		})
	}
}

func TestNewFolderCountsFromTwo(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "c")
	for _, want := range []string{name, name + "-2", name + "-3"} {
		got := newFolder(name)
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		must.NoError(t, os.Mkdir(got, 0o700))
	}
}

// TestRecordFollowsNoLinkOfItsFolder as a folder out of somebody's archive may hold one.
func TestRecordFollowsNoLinkOfItsFolder(t *testing.T) {
	t.Parallel()
	for _, name := range []string{lockName, modesName, runsName, samplesName} {
		dir, diary := filepath.Join(t.TempDir(), "c"), filepath.Join(t.TempDir(), "diary")
		r := must.Get(Create(dir, testHeader(t)))(t)
		text, err := os.ReadFile(filepath.Join(dir, name))
		err = errors.Join(err, r.Close(), os.WriteFile(diary, text, 0o600), os.Remove(filepath.Join(dir, name)),
			os.Symlink(diary, filepath.Join(dir, name)))
		must.NoError(t, err)
		if again, err := open(dir); err == nil {
			again.Append(exampleRows()[0])
			again.Close()
			t.Errorf("%s: a link was opened", name)
		}
		if now, _ := os.ReadFile(diary); string(now) != string(text) {
			t.Errorf("%s: the file behind the link holds %q", name, now)
		}
	}
}

func TestRecordThatAnEditorSavedIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([]byte) []byte{
		"Windows line ends": func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) },
		"a byte order mark": func(text []byte) []byte { return append([]byte("\ufeff"), text...) },
	} {
		dir := t.TempDir()
		r := must.Get(Create(dir, testHeader(t)))(t)
		must.NoError(t, errors.Join(r.Append(exampleRows()[0]), r.Close()))
		path := filepath.Join(dir, modesName)
		text := must.Read(t, path)
		changed := change(text)
		must.NoError(t, os.WriteFile(path, changed, 0o600))
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), "an editor added") {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, changed) {
			t.Errorf("%s: the file was changed, %v", name, err)
		}
	}
}

// No command resumes a search, so its error does not send anybody to one.
func TestRecordOfASearchThatIsRescuedSaysToStartAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]*SearchHeader{"resume with ": nil, "start it again": {}} {
		h := testHeader(t)
		h.Search = of
		dir := filepath.Join(t.TempDir(), "c")
		r := must.Get(Create(dir, h))(t)
		defer r.Close()
		rows := exampleRows()
		must.NoError(t, errors.Join(r.Append(rows[0]), os.RemoveAll(dir)))
		if err := r.Append(rows[1]); err == nil || !strings.Contains(err.Error(), dir+"-rescued: ") ||
			!strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "“resume”") != (of == nil) {
			t.Errorf("want %q: %v", name, err)
		}
	}
}

package tegratest_test

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// failure is what callers see of an error.
func failure(err error) string {
	if err == nil {
		return ""
	}
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}

func TestMemoryActsLikeADisk(t *testing.T) {
	t.Parallel()
	for i, board := range tegratest.Boards() {
		t.Run(board.Name, func(t *testing.T) {
			t.Parallel()
			tr := tegratest.New(board.Name)
			disk, memory := tegra.DiskFS(tr.Write(t)), tegratest.NewMemory(tr)
			names := []string{"/", "", "/none/of/these", "sys//class/../class", "/sys/*", "/sys/\x00", "/../sys",
				"/" + strings.Repeat("x", 300)}
			for j, name := range slices.Sorted(maps.Keys(tr.Files)) {
				if i%12 != j%12 && os.Getenv("JTUNE_LONG") == "" { // boards have most files in common
					continue
				}
				names = append(names, name, path.Dir(name), name+"/x", path.Dir(name)+"/*", path.Dir(name)+"/../*/name")
			}
			for name := range tr.Links {
				names = append(names, name, name+"/*", name+"/../*", name+"/none")
			}
			for _, name := range names {
				for what, of := range map[string]func(tegra.FS) (any, error){
					"read": func(f tegra.FS) (any, error) {
						data, err := f.ReadFile(name)
						return string(data), err
					},
					"link": func(f tegra.FS) (any, error) { return f.Readlink(name) },
					"glob": func(f tegra.FS) (any, error) {
						list, err := f.Glob(name)
						return strings.Join(list, " "), err
					},
					"is there": func(f tegra.FS) (any, error) {
						_, err := f.Stat(name)
						return nil, err
					},
					"folder": func(f tegra.FS) (any, error) {
						st, err := f.Stat(name)
						return err == nil && st.IsDir(), nil
					},
					"size": func(f tegra.FS) (any, error) {
						st, err := f.Stat(name)
						if err != nil || st.IsDir() {
							return 0, nil
						}
						return st.Size(), nil
					},
					"open": func(f tegra.FS) (any, error) {
						h, err := f.Open(name)
						if err != nil {
							return nil, err
						}
						defer h.Close()
						b := make([]byte, 8)
						n, err := h.ReadAt(b, 1)
						return string(b[:n]), err
					},
				} {
					want, wantErr := of(disk)
					got, gotErr := of(memory)
					if got != want || failure(gotErr) != failure(wantErr) {
						t.Errorf("%s %q: %v, %v; on disk %v, %v", what, name, got, gotErr, want, wantErr)
					}
				}
			}
		})
	}
}

func TestMemoryKeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	m, name := tegratest.NewMemory(tr), tegratest.CPU+"/cpu4/online"
	must.NoError(t, m.WriteFile(name, []byte("0")))
	if data, err := m.ReadFile(name); err != nil || string(data) != "0" {
		t.Errorf("%q, %v", data, err)
	}
	if d := cmp.Diff(map[string]string{name: "0"}, m.Changes()); d != "" {
		t.Error(d)
	}
	if err := m.WriteFile("/etc/none", nil); err == nil {
		t.Error("a new file is written")
	}
	m.Set(name, tr.Files[name])
	if n := len(m.Changes()); n > 0 {
		t.Errorf("%d changes after the old content is written", n)
	}
	m.Set(name, "x")
	if m.Reset(); len(m.Changes()) > 0 {
		t.Error("a reset leaves changes")
	}
}

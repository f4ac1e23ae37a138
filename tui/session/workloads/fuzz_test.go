package workloads

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/workload"
)

// FuzzSaveText writes the user's jobs of a configuration file as they are saved and reads them again.
func FuzzSaveText(f *testing.F) {
	f.Add("[workload.a]\ncommand = ['python3', '''it's \"x\"\\''']\ndir = \"/a b\"\nbatch = 1\nsamples = 100\n" +
		"env = { \"A B\" = \"x\\ty\", b = \"\" }\npattern = 'step (?P<batch>\\d+)'\n")
	f.Add("[workload.b]\ncommand = ['x']\nkind = 'inference'\nunit = 'token'\nper = 'x'\ncounts = 'samples'\n")
	f.Add("[workload.\"a.b\"]\ncommand = ['x']\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		load := func(name, text string) (list []workload.Workload, err error) {
			file := filepath.Join(dir, name)
			must.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			return workload.Load(file)
		}
		list, err := load("was.toml", text)
		if err != nil {
			return
		}
		for _, was := range list {
			if !was.Own || len(was.Command) == 0 {
				continue
			}
			if base, err := workload.Find(list, was.Name); err != nil || !base.Own {
				continue
			}
			saved := SaveText(was.Name, was)
			again, err := load("is.toml", saved)
			if err != nil {
				t.Fatalf("%v:\n%s", err, saved)
			}
			is, err := workload.Find(again, was.Name)
			if err != nil {
				t.Fatalf("%v:\n%s", err, saved)
			}
			if was, is := kept(was), kept(is); !reflect.DeepEqual(was, is) {
				must.Equal(t, cmp.Diff(was, is, cmpopts.EquateEmpty()), "", saved)
			}
		}
	})
}

// kept are the keys of a job that are saved.
func kept(w workload.Workload) workload.Workload {
	return workload.Workload{Command: w.Command, Dir: w.Dir, Kind: w.Kind, Unit: w.Unit, Per: w.Per, Counts: w.Counts,
		Pattern: w.Pattern, Batch: w.Batch, Samples: w.Samples, Env: w.Env}
}

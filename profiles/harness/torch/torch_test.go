package torch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestWriteGivesTheScriptsAndMendsThem(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "b")
	paths, err := Write(folder)
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	train := filepath.Join(folder, trainer)
	before, err := os.Stat(train)
	if err != nil || before.Mode().Perm() != 0o644 {
		t.Fatalf("%v, %v; want a file that everybody may read", before, err)
	}
	must.NoError(t, os.WriteFile(filepath.Join(folder, helper), []byte("old"), 0o644))
	_, err = Write(folder)
	must.NoError(t, err)
	after, _ := os.Stat(train)
	if !os.SameFile(before, after) {
		t.Error("a file that was right has been replaced")
	}
	if text, _ := os.ReadFile(filepath.Join(folder, helper)); !strings.Contains(string(text), "def minibatch") {
		t.Errorf("the changed file is still %q", text)
	}
	left, _ := filepath.Glob(filepath.Join(folder, ".jtune-*"))
	if len(left) > 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

func TestWriteWithoutAFolderIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := Write("/dev/null/x"); err == nil {
		t.Error("no error where no folder can be made")
	}
}

func TestJobCommandNamesNetSetAndData(t *testing.T) {
	t.Parallel()
	j := Job{Net: "lenet5", Set: "mnist",
		Infer: true}.Over(Job{Net: "bert", Data: "/data", Python: "/opt/py", Cache: "drop", Infer: false})
	want := "/opt/py -B /s/train.py --net lenet5 --set mnist --data /data --cache drop --infer"
	if got := strings.Join(j.Command("/s"), " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Job{Net: "bert", Set: "squad", Data: "synthetic"}).Command("/s"); got[0] != "python3" ||
		slices.Contains(got, "--cache") {
		t.Errorf("got %q", got)
	}
}

func TestFolderIsTheWantedOneOrTheCache(t *testing.T) {
	if got, err := Folder("/x/torch"); err != nil || got != "/x/torch" {
		t.Errorf("as wanted: %q, %v", got, err)
	}
	t.Setenv("XDG_CACHE_HOME", "/cache")
	if got, err := Folder(""); err != nil || got != "/cache/jtune/torch" {
		t.Errorf("by default: %q, %v", got, err)
	}
}

func TestJobReadySaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	must.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, c := range []struct {
		name string
		job  Job
		want string
	}{
		{"no interpreter", Job{Python: "/no/such/python", Data: Synthetic}, "no /no/such/python to run PyTorch with"},
		{"no data", Job{Python: "sh", Set: "mnist"}, "no data for mnist: write data ="},
		{"no such folder", Job{Python: "sh", Set: "mnist", Data: "/no/such/folder"}, "no such file"},
		{"a file for a folder", Job{Python: "sh", Set: "mnist", Data: file}, "is a file"},
	} {
		if err := c.job.Ready(); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if err := (Job{Python: "sh", Data: Synthetic}).Ready(); err != nil {
		t.Errorf("synthetic data: %v", err)
	}
}

func TestJobFaultNamesTheKey(t *testing.T) {
	t.Parallel()
	for key, j := range map[string]Job{
		"":      {Net: "mobilenet", Set: "imagenet-val", Cache: "preload"},
		"net":   {Net: "alexnet", Set: "mnist"},
		"set":   {Net: "lenet5", Set: "mnits"},
		"cache": {Cache: "warm"},
	} {
		if got, why := j.Fault(); got != key || (got == "") != (why == "") {
			t.Errorf("%+v: got %q (%s), want %q", j, got, why, key)
		}
	}
	if key, _ := (Job{Net: "lenet5"}).Fault(); key != "net" {
		t.Errorf("a network without a data set: got %q", key)
	}
}

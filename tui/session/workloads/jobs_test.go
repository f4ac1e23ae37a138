package workloads

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

func TestTypedJobsAreListedFirstAndSaved(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	must.NoError(t, os.WriteFile(file, nil, 0o644))
	s := open(t, session.Options{Paths: config.Paths{Config: file}})
	jobs := JobsOf(s)
	typed, err := jobs.TypedJob("LR=0.1 python3 train.py", Typed{Dir: t.TempDir()})
	if err != nil || !typed.OnHost || typed.Name != "train" || typed.Env["LR"] != "0.1" {
		t.Fatalf("%+v, %v", typed, err)
	}
	other := typed
	other.Name = FreeName(other, []workload.Workload{typed})
	if other.Command = []string{"python3", "other.py"}; other.Name != "train" {
		t.Errorf("the same job is called %s", other.Name)
	}
	if other.Name = FreeName(other, []workload.Workload{typed}); other.Name != "train-2" {
		t.Errorf("another job is called %s", other.Name)
	}
	for _, w := range []workload.Workload{typed, other, typed} {
		must.NoError(t, jobs.KeepJob(w))
	}
	list, err := List(s)
	if err != nil || list[0].Name != "train" || list[1].Name != "train-2" || list[2].Own {
		t.Fatalf("%v, %v, %v; %v", list[0].Name, list[1].Name, list[2].Name, err)
	}
	must.Equal(t, Suggested(s, list), "train")
	if _, err := jobs.SaveJob("two words", typed); err == nil {
		t.Error("a job is saved by a name that no workload can have")
	}
	path, err := jobs.SaveJob("train", typed)
	must.NoError(t, err)
	must.Contain(t, string(must.Read(t, path)), "[workload.train]")
	if list, err = List(s); err != nil || list[0].Name != "train-2" || list[1].Name != "train" || !list[1].OnHost {
		t.Errorf("saved: %v, %v, %v", list[0].Name, list[1].Name, err)
	}
}

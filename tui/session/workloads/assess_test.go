package workloads

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

func TestMinibatchesOfATrainingAreThoseOfTheModelsBatchSize(t *testing.T) {
	o := session.Options{Paths: config.Paths{DataDir: t.TempDir(), Config: filepath.Join(t.TempDir(), "none.toml")}}
	must.NoError(t, os.WriteFile(o.Config, nil, 0o644))
	list := must.Get(Configured(o.Paths))(t)
	for name, c := range map[string]struct {
		m    learn.Model
		want int
	}{
		"its own size":    {learn.Model{Provenance: learn.Provenance{Workload: "mobilenet"}}, 6 * 1443},
		"twice that":      {learn.Model{Provenance: learn.Provenance{Workload: "mobilenet", Batch: 32}}, 6 * 722},
		"at another size": {learn.Model{Batch: 8, Provenance: learn.Provenance{Workload: "mobilenet"}}, 6 * 2885},
		// a replay's name is a label: a sweep of inference is no training
		"of a replay": {learn.Model{Provenance: learn.Provenance{Workload: "mobilenet", Replay: "infer.csv"}}, 0},
		"unknown":     {learn.Model{Provenance: learn.Provenance{Workload: "nobodys"}}, 0},
	} {
		if got := Minibatches(&c.m, list); got != c.want {
			t.Errorf("%s: %d minibatches, want %d", name, got, c.want)
		}
	}
}

package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

// ErrNoCommand: nothing is known that would run the workload on this device.
var ErrNoCommand = errors.New("no command to run it")

// Workload is a training job: a model on a dataset at a minibatch size. A
// different minibatch size is a different workload (method note 0.3).
type Workload struct {
	Name     string            `toml:"name" json:"name"`
	Title    string            `toml:"title" json:"title"`
	Task     string            `toml:"task" json:"task"`
	Model    string            `toml:"model" json:"model"`
	Dataset  string            `toml:"dataset" json:"dataset"`
	Aliases  []string          `toml:"aliases,omitempty" json:"aliases,omitempty"`
	Samples  int               `toml:"samples" json:"samples"`                         // per epoch; 0 when not known
	Batch    int               `toml:"batch" json:"batch"`                             // samples per minibatch
	Workers  int               `toml:"workers" json:"workers"`                         // loader processes; 0: loads in the training process
	Prefetch int               `toml:"prefetch" json:"prefetch"`                       // minibatches ahead per loader
	Epochs   int               `toml:"epochs" json:"epochs"`                           // of a full run
	Command  []string          `toml:"command,omitempty" json:"command"`               // what starts it; empty for the built-in ones
	Dir      string            `toml:"dir,omitempty" json:"dir,omitempty"`             // where Command runs; the present folder when empty
	Env      map[string]string `toml:"env,omitempty" json:"env,omitempty"`             // added to the environment
	SilenceS int               `toml:"silence_s,omitempty" json:"silence_s,omitempty"` // seconds for which Command may tell nothing, loading included; 60 when 0
	Pattern  string            `toml:"pattern,omitempty" json:"pattern,omitempty"`     // reads minibatches out of Command's own lines: tqdm, huggingface, ultralytics, it/s or an expression
	Own      bool              `toml:"own,omitempty" json:"own"`                       // from the user's file

	Container harness.Container `toml:"container,omitempty" json:"container,omitzero"` // in which Command or the built-in job runs
	Torch     torch.Job         `toml:"torch,omitempty" json:"torch,omitzero"`         // the built-in job; used when there is no Command
}

// MinibatchesPerEpoch counts them, the last partial one kept; 0 when the
// number of samples is not known.
func (w Workload) MinibatchesPerEpoch() int {
	if w.Batch <= 0 || w.Samples <= 0 {
		return 0
	}
	return (w.Samples-1)/w.Batch + 1
}

// Same tells whether two workloads measure alike: rows of one may continue
// the rows of the other.
func (w Workload) Same(o Workload) bool {
	return w.Name == o.Name && w.Batch == o.Batch && w.Workers == o.Workers && w.Prefetch == o.Prefetch && slices.Equal(w.Command, o.Command) &&
		w.Torch == o.Torch && w.Container.Image == o.Container.Image
}

// Find gives the workload of that name or alias; names come first.
func Find(list []Workload, name string) (Workload, error) {
	want := strings.ToLower(strings.TrimSpace(name))
	for _, w := range list {
		if w.Name == want {
			return w, nil
		}
	}
	var known []string
	for _, w := range list {
		if slices.Contains(w.Aliases, want) {
			return w, nil
		}
		known = append(known, w.Name)
	}
	return Workload{}, fmt.Errorf("workload %q: no such workload; known: %s", clip(name), strings.Join(known, " "))
}

// clip shortens text from outside before it is quoted in an error.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

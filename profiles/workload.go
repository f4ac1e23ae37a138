package profiles

// Workload is a training job: a model on a dataset at a minibatch size. A
// different minibatch size is a different workload (method note 0.3).
type Workload struct {
	Name     string            `toml:"name"`
	Title    string            `toml:"title"`
	Task     string            `toml:"task"`
	Model    string            `toml:"model"`
	Dataset  string            `toml:"dataset"`
	Aliases  []string          `toml:"aliases,omitempty"`
	Samples  int               `toml:"samples"`  // per epoch
	Batch    int               `toml:"batch"`    // samples per minibatch
	Workers  int               `toml:"workers"`  // loader processes
	Prefetch int               `toml:"prefetch"` // minibatches per loader
	Epochs   int               `toml:"epochs"`
	Command  []string          `toml:"command,omitempty"` // the user's own; empty for the built-in ones
	Dir      string            `toml:"dir,omitempty"`
	Env      map[string]string `toml:"env,omitempty"`
}

// MinibatchesPerEpoch counts them, the last partial one kept; 0 when the
// number of samples is not known.
func (w Workload) MinibatchesPerEpoch() int {
	if w.Batch <= 0 {
		return 0
	}
	return (w.Samples + w.Batch - 1) / w.Batch
}

// Workloads lists the built-in workloads and those of the user's file, which
// may replace built-in ones; no file when userFile is "" or does not exist.
func Workloads(userFile string) ([]Workload, error) { panic("not yet") }

// Find gives the workload of that name or alias.
func Find(list []Workload, name string) (Workload, error) { panic("not yet") }

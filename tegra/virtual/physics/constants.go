package physics

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/BurntSushi/toml"
)

//go:embed constants.toml
var constants string

var load = sync.OnceValue(func() (c struct {
	Chip     []Chip
	Workload []Workload
	Network  []Network
}) {
	if err := toml.Unmarshal([]byte(constants), &c); err != nil {
		panic("physics: the built-in constants: " + err.Error())
	}
	return c
})

// On returns the module with that name, as in virtual.Names; it panics if there is none.
func On(name string) Chip {
	for _, c := range load().Chip {
		if c.Name == name {
			return c
		}
	}
	panic("physics: no module " + name)
}

// Workloads returns the training jobs that can be simulated.
func Workloads() []Workload { return slices.Clone(load().Workload) }

// Find returns a workload by name: a training job, or the inference of a network in batches of one.
func Find(name string) (Workload, bool) {
	if n, ok := findNetwork(name); ok {
		return n.Infer(1), true
	}
	if name == Envelope {
		return envelope, true
	}
	list := load().Workload
	i := slices.IndexFunc(list, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, false
	}
	return list[i], true
}

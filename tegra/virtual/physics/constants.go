package physics

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/BurntSushi/toml"
)

//go:embed orin.toml
var constants string

var load = sync.OnceValue(func() (c struct {
	Chip     Chip
	Workload []Workload
}) {
	if err := toml.Unmarshal([]byte(constants), &c); err != nil {
		panic("physics: the built-in constants: " + err.Error())
	}
	return c
})

// Orin is the AGX Orin module.
func Orin() Chip { return load().Chip }

// Workloads are the training jobs that can be simulated.
func Workloads() []Workload { return slices.Clone(load().Workload) }

// Find returns the workload of that name.
func Find(name string) (Workload, bool) {
	list := load().Workload
	i := slices.IndexFunc(list, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, false
	}
	return list[i], true
}

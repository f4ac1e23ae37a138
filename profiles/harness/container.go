package harness

import (
	"maps"
	"slices"

	"jtune/profiles/harness/engine"
)

// Container describes the container of a job; the zero value means none. The job runs without a terminal. The container
// is named "jtune-" and the workload, and is removed by that name: a container left behind by a killed jtune is removed
// when the workload is started again.
type Container struct {
	Image string `toml:"image,omitempty" json:"image"`
	// docker when empty; podman takes the same arguments
	Engine  string `toml:"engine,omitempty" json:"engine,omitempty"`
	Runtime string `toml:"runtime,omitempty" json:"runtime,omitempty"` // "nvidia" on a Jetson
	// Flags are additional arguments for run, such as "--user=1000:1000".
	Flags  []string `toml:"flags,omitempty" json:"flags,omitempty"`
	Mounts []string `toml:"mounts,omitempty" json:"mounts,omitempty"` // HOST:INSIDE[:ro]
}

// Program returns the container engine.
func (c *Container) Program() string {
	if c.Engine == "" {
		return engine.Default
	}
	return c.Engine
}

// run returns the command line that runs a job in the container. It shares the host's IPC name space because loader
// processes pass minibatches in shared memory, of which a container has only 64 MB by default.
func (c *Container) run(name string, o ExecOptions) []string {
	words := []string{c.Program(), "run", "--rm", "--name", name, "--ipc=host"}
	if engine.HasInit(c.Program()) {
		words = slices.Insert(words, 3, "--init")
	}
	if c.Runtime != "" {
		words = append(words, "--runtime", c.Runtime)
	}
	words = append(words, "-e", "PYTHONUNBUFFERED=1")
	for _, k := range slices.Sorted(maps.Keys(o.Env)) {
		words = append(words, "-e", k+"="+o.Env[k])
	}
	for _, m := range c.Mounts {
		words = append(words, "-v", m)
	}
	if o.Dir != "" {
		words = append(words, "-w", o.Dir)
	}
	return slices.Concat(words, c.Flags, []string{c.Image}, o.Command)
}

// remove returns the command that removes the container with that name.
func (c *Container) remove(name string) []string { return []string{c.Program(), "rm", "-f", name} }

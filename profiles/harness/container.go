package harness

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"jtune/internal/procid"
	"jtune/profiles/harness/engine"
)

// Container describes the container of a job; the zero value means none. The job runs without a terminal. The container
// is named after the workload and the jtune that owns it, and is removed by that name: what a jtune that was killed
// together with its watcher left behind is removed when the next container is started.
type Container struct {
	Image string `toml:"image,omitempty"   json:"image"`
	// docker when empty; podman takes the same arguments
	Engine  string `toml:"engine,omitempty"  json:"engine,omitempty"`
	Runtime string `toml:"runtime,omitempty" json:"runtime,omitempty"` // "nvidia" on a Jetson
	// Flags are additional arguments for run, such as "--user=1000:1000".
	Flags  []string `toml:"flags,omitempty"   json:"flags,omitempty"`
	Mounts []string `toml:"mounts,omitempty"  json:"mounts,omitempty"` // HOST:INSIDE[:ro]
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
	words := []string{c.Program(), "run", "--rm", "--name", name, "--label", ownersLabel(), "--ipc=host"}
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

var containers atomic.Int64 // that this process named

// containerName returns a new name for the container of a workload: it ends in the process that owns it, with its start
// time, since process numbers come again, and a number.
func containerName(workload string) string {
	pid := os.Getpid()
	return fmt.Sprintf("jtune-%s-%d-%s-%d", workload, pid, startOf(pid), containers.Add(1))
}

// owned reports whether a living process owns the container with a name.
func owned(name string) bool {
	f := strings.Split(name, "-")
	if len(f) < 4 {
		return true // not a name of ours
	}
	pid, err := strconv.Atoi(f[len(f)-3])
	return err != nil || startOf(pid) == f[len(f)-2]
}

// startOf returns the start time of a process, in clock ticks since boot; "" if there is none.
func startOf(pid int) string { return path.Base(procid.Of(pid)) }

// ownersLabel marks the containers whose owners' process numbers this process can look up: of this boot of this
// machine, and of this name space of processes.
var ownersLabel = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return fmt.Sprintf("jtune=%x", sha256.Sum256([]byte(string(boot)+space)))[:30]
})

package session

import (
	"slices"
	"sync"

	"jtune/profiles/workload"
)

// TypedJobs are jobs of the user's own that were typed and are in no file: they are known until the session ends.
type TypedJobs struct {
	mu   sync.Mutex
	list []workload.Workload
}

// Keep adds a job, in place of one of its name.
func (j *TypedJobs) Keep(w workload.Workload) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(j.list), func(o workload.Workload) bool { return o.Name == w.Name })
	j.list = append([]workload.Workload{w}, kept...)
}

// List is all of them, the newest first.
func (j *TypedJobs) List() []workload.Workload {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.list)
}

package session

import (
	"slices"
	"sync"

	"jtune/profiles/workload"
)

// TypedJobs are jobs that the user typed and that are in no file: they exist until the session ends.
type TypedJobs struct {
	mu   sync.Mutex
	list []workload.Workload
}

// Keep adds a job and replaces one with the same name.
func (j *TypedJobs) Keep(w workload.Workload) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(j.list), func(o workload.Workload) bool { return o.Name == w.Name })
	j.list = append([]workload.Workload{w}, kept...)
}

// List returns all jobs, newest first.
func (j *TypedJobs) List() []workload.Workload {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.list)
}

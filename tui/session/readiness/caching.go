package readiness

import (
	"fmt"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/tui/session"
)

// caching holds what decides whether keeping the data in memory can speed up a training.
type caching struct {
	bytes, free int64              // size of the data, and memory that neither the system nor the job needs
	fetchMS     tegra.Val[float64] // per minibatch from memory: decoding and pre-processing in one process
	computeMS   tegra.Val[float64]
	workers     int
	alone       bool // DataLoader workers break the job
}

// cachingAdvice says whether caching can help, from the size of the data, the free memory and the pre-processing time.
func cachingAdvice(c caching) string {
	data, free := float64(c.bytes)/1e9, float64(c.free)/1e9
	by := "in one process"
	if c.workers > 1 {
		by = fmt.Sprintf("in each of %d processes", c.workers)
	}
	sizes := fmt.Sprintf("The data set has %.2g GB; %.2g GB of memory are free beside the job", data, free)
	switch hidden := c.fetchMS.V / float64(max(1, c.workers)); {
	case c.bytes > c.free:
		return fmt.Sprintf("%s: it does not fit, each epoch reads about %.0f %% of it again. Preloading does not "+
			"help; a faster disk or a smaller set does.", sizes, 100*(1-virtual.CacheHits(free/data)))
	case c.fetchMS.OK && c.computeMS.OK && hidden > c.computeMS.V:
		more := "more workers or "
		if c.alone {
			more = ""
		}
		return fmt.Sprintf("%s: it fits, but fetching and pre-processing a minibatch takes %.3g ms %s, "+
			"%.3g ms of them visible beside %.3g ms of compute: caching helps only the first epoch, "+
			"%sless pre-processing helps all.", sizes, c.fetchMS.V, by, hidden-c.computeMS.V, c.computeMS.V, more)
	case c.fetchMS.OK && c.computeMS.OK:
		return fmt.Sprintf("%s: it fits, and pre-processing (%.3g ms %s) hides behind the "+
			"compute (%.3g ms): later epochs read memory anyway, and with cache = \"preload\" so does the first.",
			sizes, c.fetchMS.V, by, c.computeMS.V)
	}
	return sizes + ": it fits, later epochs read memory anyway, and with cache = \"preload\" so does the first. " +
		"A run shows whether pre-processing takes the time."
}

// cachingOf collects what is known of a workload's data and of the memory for them; known is false if that is too
// little.
func cachingOf(s *session.Session, w workload.Workload) (c caching, known bool) {
	fault, _ := w.LoaderFault()
	c = caching{workers: w.Workers, alone: fault != ""}
	switch dir := w.Torch.DataFolder(); {
	case s.Simulated(w):
		c.bytes = virtual.DataBytes(w.Name)
	case dir != "":
		if list, err := telemetry.ListDataset(dir); err == nil {
			c.bytes = list.Bytes
		}
	}
	m, ok := memoryOf(s, w)
	c.free = max(0, m.left(jobMemory(s, w, m.Used).Bytes))
	return c, ok && c.bytes > 0
}

// CachingOf returns the advice after a run. ram is the memory in use on the whole board during the run. It returns ""
// if the size of the data or of the memory is unknown.
func CachingOf(s *session.Session, w workload.Workload, ram, fetchMS, computeMS tegra.Val[float64]) string {
	if s.Replays() || w.Infers() {
		return ""
	}
	c, known := cachingOf(s, w)
	if !known {
		return ""
	}
	if m, ok := memoryOf(s, w); ok && ram.OK && !s.Simulated(w) {
		c.free = max(0, m.Total-int64(ram.V))
	}
	c.fetchMS, c.computeMS = fetchMS, computeMS
	return cachingAdvice(c)
}

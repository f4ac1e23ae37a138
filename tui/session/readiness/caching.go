package readiness

import (
	"fmt"

	"jtune/internal/conclusion"
	"jtune/profiles/record/remarks"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/tui/session"
)

// caching holds what decides whether keeping the data in memory can speed up a training.
type caching struct {
	DataGB  float64 `turn:"0.1 20"`
	FreeGB  float64 `turn:"0.1 20"` // memory that neither the system nor the job needs
	Workers int     `turn:"0 8"`
	Alone   bool    // loader processes break the job

	StallMS   tegra.Val[float64] `turn:"0 400"` // measured per minibatch
	ComputeMS tegra.Val[float64] `turn:"1 400"`
}

// waits reports whether the job was measured to wait for its data.
func (c caching) waits() bool {
	return c.StallMS.OK && c.StallMS.V >= remarks.LongWait*(c.StallMS.V+c.ComputeMS.V)
}

// fits says what both sizes are, and what follows from them.
func (c caching) fits(format string, args ...any) string {
	return fmt.Sprintf("The data set has %.2g GB; %.2g GB of memory are free beside the job: ", c.DataGB, c.FreeGB) +
		fmt.Sprintf(format, args...)
}

const inMemory = "later epochs read memory anyway, and with cache = \"preload\" so does the first."

// cachingAdvice says whether caching can help, from the size of the data, the free memory and the measured stall.
var cachingAdvice = conclusion.New("caching", 6, func(c caching) string {
	switch {
	case c.DataGB > c.FreeGB:
		return c.fits("it does not fit, each epoch reads about %.0f %% of it again. Preloading does not help; a "+
			"faster disk or a smaller set does.", 100*(1-virtual.CacheHits(c.FreeGB/c.DataGB)))
	case !c.StallMS.OK || !c.ComputeMS.OK:
		return c.fits("it fits, %s A run shows whether pre-processing takes the time.", inMemory)
	case !c.waits():
		return c.fits("it fits, and the job waits only %.3g ms beside %.3g ms of compute: %s", c.StallMS.V,
			c.ComputeMS.V, inMemory)
	case c.Alone:
		return c.fits("it fits, but the job waits %.3g ms beside %.3g ms of compute for what it loads itself: "+
			"caching helps only the first epoch, less pre-processing helps all.", c.StallMS.V, c.ComputeMS.V)
	case c.Workers == 0:
		return c.fits("it fits, but nothing is loaded beside the compute (workers = 0): the job waits %.3g ms "+
			"beside %.3g ms of compute. Caching helps only the first epoch, a loader process helps all.",
			c.StallMS.V, c.ComputeMS.V)
	}
	return c.fits("it fits, but with workers = %d the job waits %.3g ms beside %.3g ms of compute: caching helps "+
		"only the first epoch, more workers or less pre-processing help all.", c.Workers, c.StallMS.V, c.ComputeMS.V)
})

// cachingOf collects what is known of a workload's data and of the memory for them; known is false if that is too
// little.
func cachingOf(s *session.Session, w workload.Workload) (c caching, known bool) {
	fault, _ := w.LoaderFault()
	c = caching{Workers: w.Workers, Alone: fault != ""}
	switch dir := w.Torch.DataFolder(); {
	case s.Simulated(w):
		c.DataGB = gb(virtual.DataBytes(w.Name))
	case dir != "":
		if list, err := telemetry.ListDataset(dir); err == nil {
			c.DataGB = gb(list.Bytes)
		}
	}
	m, ok := memoryOf(s, w)
	c.FreeGB = gb(max(0, m.left(jobMemory(s, w, m.Used).Bytes)))
	return c, ok && c.DataGB > 0
}

// gb returns bytes in GB.
func gb(bytes int64) float64 { return float64(bytes) / 1e9 }

// CachingOf returns the advice after a run. ram is the memory in use on the whole board during the run. It returns ""
// if the size of the data or of the memory is unknown.
func CachingOf(s *session.Session, w workload.Workload, ram, stallMS, computeMS tegra.Val[float64]) string {
	if s.Replays() || w.Infers() {
		return ""
	}
	c, known := cachingOf(s, w)
	if !known {
		return ""
	}
	if m, ok := memoryOf(s, w); ok && ram.OK && !s.Simulated(w) {
		c.FreeGB = gb(max(0, m.Total-int64(ram.V)))
	}
	c.StallMS, c.ComputeMS = stallMS, computeMS
	return cachingAdvice.Say(c)
}

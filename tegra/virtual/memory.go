package virtual

import (
	"fmt"
	"math"

	"jtune/internal/text"
	"jtune/tegra/virtual/physics"
)

// Memory is a virtual board's memory budget in bytes. It determines which jobs fit, how much data the page cache holds,
// and /proc/meminfo.
type Memory struct {
	Total  int64 // visible to the system
	System int64 // used by the system without a job, excluding what can be freed
}

// Visible memory of a module, and memory used besides a job. A GB of the data sheet is 980,564 kB, as recorded on an
// AGX Orin with 32 GB; so are the 2.6 million kB in use. For 4 and 8 GB no desktop is included, an estimate with which
// MobileNet runs on a Xavier NX and leaves less than 6 % of its data in the cache, as published.
const (
	visibleKB   = 980_564
	systemKB    = 2_600_000
	smallSystem = 1_230_000_000 // for 4 and 8 GB, bytes
	smallGB     = 8
	kib         = 1024
)

// Memory returns the board's memory budget.
func (b *Board) Memory() Memory {
	m := Memory{Total: int64(b.model.memoryGB * visibleKB * kib), System: systemKB * kib}
	if b.model.memoryGB <= smallGB {
		m.System = smallSystem
	}
	return m
}

// Left returns the memory left by jobs with these needs; below 0 they do not fit.
func (m Memory) Left(jobs ...int64) int64 {
	left := m.Total - m.System
	for _, need := range jobs {
		left -= need
	}
	return left
}

// Needs returns the memory in bytes of a workload's processes on this board, without the system; batch 0 is the
// workload's default. 0: unknown. A training needs the same at all batch sizes, since no other figure is known.
func (b *Board) Needs(workload string, batch int) int64 {
	w, known := physics.Find(workload)
	if !known || b.table != nil {
		return 0
	}
	return memoryOf(w.Sized(batch).On(b.chip))
}

// Needs returns the memory in bytes of a workload's processes on an AGX Orin, see Board.Needs.
func Needs(workload string, batch int) int64 {
	w, known := physics.Find(workload)
	if !known {
		return 0
	}
	return memoryOf(w.Sized(batch))
}

// memoryOf returns the memory of a running job, bytes.
func memoryOf(w physics.Workload) int64 { return int64(w.MemoryMB * 1e6) }

// Fits returns an error if a workload at a batch size does not fit the board's memory; nil if it does, or in a replay.
// Size 0 is the workload's default.
func (b *Board) Fits(workload string, batch int) error {
	m, need := b.Memory(), b.Needs(workload, batch)
	if m.Left(need) >= 0 {
		return nil
	}
	return fmt.Errorf("%s%s needs %.1f GB of memory, %.1f with the system: virtual:%s has %g GB", workload,
		text.IfAny(" at batch size %d", batch), gigabytes(need), gigabytes(need+m.System), b.model.name,
		b.model.memoryGB)
}

func gigabytes(bytes int64) float64 { return float64(bytes) / 1e9 }

// DataBytes returns the size of a simulated workload's data set; 0 for others.
func DataBytes(workload string) int64 {
	w, _ := physics.Find(workload)
	return int64(w.DatasetMB * 1e6)
}

// cacheable returns the share of a workload's data that fits the page cache.
func (b *Board) cacheable(w physics.Workload) float64 {
	if w.DatasetMB == 0 {
		return 1
	}
	left := b.Memory().Left(memoryOf(w.On(b.chip)))
	return max(0, min(1, float64(left)/(w.DatasetMB*1e6)))
}

// CacheHits returns the share of reads served by a cache that holds the share x of the data, if all are read once per
// epoch in random order with least-recently-used eviction.
func CacheHits(x float64) float64 {
	if x >= 1 {
		return 1
	}
	return x + (1-x)*math.Log1p(-x)
}

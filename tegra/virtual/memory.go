package virtual

import (
	"fmt"
	"math"

	"jtune/tegra/virtual/physics"
)

// Memory is the account of a virtual board's memory, in bytes: what fits the board, what the page cache keeps of the
// data, and what /proc/meminfo shows, follow from it alone.
type Memory struct {
	Total  int64 // that the system sees
	System int64 // of the system, without a job and without what could be freed
}

// What a system sees of a module's memory, and takes of it beside a job. A GB of the data sheet is 980,564 kB, as
// recorded of an AGX Orin with 32 GB; so are the 2.6 million kB in use. Of 4 and 8 GB the desktop is left out: an
// estimate, with which MobileNet runs on a Xavier NX and leaves less than 6 % of its data in the cache, as published.
const (
	visibleKB   = 980_564
	systemKB    = 2_600_000
	smallSystem = 1_230_000_000 // of 4 and 8 GB, bytes
	smallGB     = 8
	kib         = 1024
)

// Memory is the board's account.
func (b *Board) Memory() Memory {
	m := Memory{Total: int64(b.model.memoryGB * visibleKB * kib), System: systemKB * kib}
	if b.model.memoryGB <= smallGB {
		m.System = smallSystem
	}
	return m
}

// Left is what jobs that need so much leave of the memory; below 0 they do not fit.
func (m Memory) Left(jobs ...int64) int64 {
	left := m.Total - m.System
	for _, need := range jobs {
		left -= need
	}
	return left
}

// Needs is the memory in bytes of a workload's processes on this board, the system left out; batch 0 is the workload's
// own. 0: not known. A training needs the same at all its batch sizes: no figure of others is known.
func (b *Board) Needs(workload string, batch int) int64 {
	w, known := physics.Find(workload)
	if !known || b.table != nil {
		return 0
	}
	if batch > 0 {
		w = w.Sized(batch)
	}
	return memoryOf(w.On(b.chip))
}

// Needs is the memory in bytes of a workload's processes on an AGX Orin, see Board.Needs.
func Needs(workload string, batch int) int64 {
	w, known := physics.Find(workload)
	if !known {
		return 0
	}
	if batch > 0 {
		w = w.Sized(batch)
	}
	return memoryOf(w)
}

// memoryOf is the memory of a job as it runs.
func memoryOf(w physics.Workload) int64 { return int64(w.MemoryMB * 1e6) }

// Fits says why a workload at a batch size does not fit the board's memory; nil when it does or a table answers. Size
// 0 is the workload's own.
func (b *Board) Fits(workload string, batch int) error {
	m, need := b.Memory(), b.Needs(workload, batch)
	if m.Left(need) >= 0 {
		return nil
	}
	if batch > 0 {
		workload = fmt.Sprintf("%s at batch size %d", workload, batch)
	}
	return fmt.Errorf("%s needs %.1f GB of memory, %.1f with the system: virtual:%s has %g GB", workload,
		gigabytes(need), gigabytes(need+m.System), b.model.name, b.model.memoryGB)
}

func gigabytes(bytes int64) float64 { return float64(bytes) / 1e9 }

// DataBytes is the size of the data set of a simulated workload; 0 for others.
func DataBytes(workload string) int64 {
	w, _ := physics.Find(workload)
	return int64(w.DatasetMB * 1e6)
}

// cacheable is the share of a workload's data that the page cache can hold.
func (b *Board) cacheable(w physics.Workload) float64 {
	if w.DatasetMB == 0 {
		return 1
	}
	left := b.Memory().Left(memoryOf(w.On(b.chip)))
	return max(0, min(1, float64(left)/(w.DatasetMB*1e6)))
}

// CacheHits is the share of reads that a cache with the share x of the data serves, all read once
// in random order and the longest unused dropped first.
func CacheHits(x float64) float64 {
	if x >= 1 {
		return 1
	}
	return x + (1-x)*math.Log1p(-x)
}

// Package readiness compares what a workload needs with what the open board has: programs, data and memory. It is the
// only place that accounts for memory.
//
//	board's reading, records, physics ──► Memory, jobMemory ──► CachingOf, CheckWorkload, whether two jobs fit
package readiness

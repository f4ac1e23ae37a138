// Package readiness knows what a workload needs on the open board against what is there: programs, data, and memory,
// of which it keeps the one account.
//
//	board's reading, records, physics ──► Memory, JobMemory ──► CachingOf, CheckWorkload, whether two jobs fit
package readiness

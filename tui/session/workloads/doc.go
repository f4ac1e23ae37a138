// Package workloads knows which jobs can run on the open board: the built-in ones and the user's own, their batch
// sizes, what each lacks here, and how data get to them.
//
//	user's file, session ──► List, Find ──► workload ──► Blocked, RunsAs, Readiness
//	board's memory, workload ──► caching advice
package workloads

// Package workloads lists the jobs that can run on the open board: the built-in ones and the user's own, with their
// batch sizes and the reason if the board refuses one.
//
//	user's file, session ──► List, Find ──► workload ──► Blocked, RunsAs
package workloads

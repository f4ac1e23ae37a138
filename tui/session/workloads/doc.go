// Package workloads knows which jobs can run on the open board: the built-in ones and the user's own, their batch
// sizes, and whether this board refuses them.
//
//	user's file, session ──► List, Find ──► workload ──► Blocked, RunsAs
package workloads

// Package task runs one job at a time on a board and keeps its state for the screens and other readers. It also lists
// the campaigns that can be resumed.
//
//	Tune, Profile, Verify, Run, Pair ──► Task ──► Tasks.Start ──► Snapshot…
//	campaign folders ──► Campaigns ──► Listed, Interrupted
package task

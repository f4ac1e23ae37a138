// Package task runs one job at a time on a board and keeps its state, for the screens and for whoever asks. It lists
// the campaigns that can go on.
//
//	Tune, Profile, Verify, Run, Pair ──► Task ──► Tasks.Start ──► Snapshot…
//	campaign folders ──► Campaigns ──► Listed, Interrupted
package task

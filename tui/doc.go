// Package tui is the full-screen tuner: the shell around six pages over one
// session.
//
//	session (device, tasks) ──► host ──► messages ──► root ──► State ──► page ──► frame
//	keys ──► root (what lies over the page, page, everywhere) ──► intent ──► root ──► commands ──► host
//
// The root model alone writes the state that the pages read, and carries out
// what they want (tui/page). Everything slow runs in a command, never in Update
// or View. Streams of events are folded to the latest before they reach the
// screen.
package tui

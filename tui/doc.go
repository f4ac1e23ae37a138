// Package tui is the full-screen tuner: the shell around six pages over one session.
//
//	session (device, tasks) ──► host ──► messages ──► root ──► State ──► page ──► frame
//	keys ──► root (overlay, page, global keys) ──► intent ──► root ──► commands ──► host
//
// Only the root model writes the state that the pages read, and it carries out their intents (tui/page). Slow work runs
// in a command, never in Update or View. Streams of events are folded to the latest before they reach the screen.
package tui

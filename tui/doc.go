// Package tui is the full-screen tuner: six pages over one session.
//
//	session (device, jobs) ──► host ──► messages ──► root ──► page ──► frame
//	keys ──► root (modal, global, page) ──► commands ──► host
//
// The root model owns what all pages look at (shared); a page draws a part of
// it and turns keys into commands. Everything slow runs in a command, never
// in Update or View. Streams of events are folded to the latest before they
// reach the screen. Only this package knows of terminals.
package tui

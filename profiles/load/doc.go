// Package load sends requests to a server when they are due.
//
//	arrivals.Load ──► Send (many at a time) ──► Do (one request, when it was due)
//
// A job of our own is handed its requests in batches by package harness, which knows of turns.
//
// The moments of arrival are fixed before the first request is sent. A latency counts from there, never from when the
// request could be sent, so a server that stalls is charged for all the requests that would have come in that time (no
// coordinated omission).
package load

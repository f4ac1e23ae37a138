// Package control lets other programs see and control what runs here: orders over a socket, following a campaign of
// another process, and the exporter's metrics.
//
//	jtune pause, stop ──► socket ──► Task
//	folder of another process ──► Followed
package control

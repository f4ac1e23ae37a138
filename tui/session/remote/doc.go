// Package remote lets other programs see and steer what runs here: orders over a socket, a campaign of another process
// as it goes on, the exporter's metrics, suspending the board.
//
//	jtune pause, stop ──► socket ──► Task
//	folder of another process ──► Followed
package remote

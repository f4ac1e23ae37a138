// Command cost measures what a full-screen program costs a machine and a slow
// line: each program runs alone in a pseudo-terminal of the same size at one
// refresh a second, and is watched for the same time.
//
//	program ──► pty ──► bytes per second, time to the first frame
//	   └──► /proc/PID/task/* ──► CPU time, voluntary context switches
//
// jtune's Live page is set against htop, btop and bottom, as many of them as
// are installed. CPU time of jtune holds the simulation of its virtual board.
//
//	go run ./tui/cost [-size 80x24] [-seconds 20] [-check]
package main

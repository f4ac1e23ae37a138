// Command cost measures what a full-screen program costs a machine and a slow
// line, and how soon it answers a key. All programs run at the same time, each
// in a pseudo-terminal of its own of the same size, at one refresh a second:
//
//	program ──► pty ──► bytes per second, time to the first frame
//	   └──► /proc/PID/task/* ──► CPU time, voluntary context switches
//
// jtune's Live page is set against htop, btop and bottom, as many of them as
// are installed: over a Jetson's files written from recordings (plain files,
// like those of a machine that reads its own), idle and with a job that
// reports a minibatch every 60 ms; and on its virtual board, where its CPU
// time and wake-ups hold the simulation too: what that takes is shown by the
// same run without a screen. Each number is the median of the rounds.
//
// Then keys are pressed on a Front page with the 18,096 modes of a virtual AGX
// Orin while a campaign runs there at the clock's own speed, and the time is
// taken until the terminal shows the answer.
//
//	go run ./internal/tools/cost [-size 80x24] [-seconds 20] [-rounds 3] [-check]
package main

// Package rig prepares virtual boards for the laboratory and measures on them as the program itself does.
package rig

import (
	"math"

	"jtune/profiles"
	"jtune/profiles/workload"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// Board returns a virtual board at full speed, just booted.
func Board(o virtual.Options) (*virtual.Board, error) {
	o.Speed = math.Inf(1)
	return virtual.New(o)
}

// Bench measures modes on its own board.
type Bench struct {
	*profiles.Bench
	Done func() // ends the guard, which restores the board
}

// Measuring prepares a board to measure a workload.
func Measuring(board *virtual.Board, name string) (m Bench, err error) {
	device, err := board.Open()
	if err != nil {
		return m, err
	}
	list, err := workload.Load("")
	if err != nil {
		return m, err
	}
	w, err := workload.Find(list, name)
	if err != nil {
		return m, err
	}
	g, err := guard.InProcess(board.FS(), board.Clock())
	if err != nil {
		return m, err
	}
	return Bench{Done: func() { g.Close() }, Bench: &profiles.Bench{Device: device, Applier: g,
		Sampler: telemetry.NewSampler(device, board.Clock()), Clock: board.Clock(), Workload: w,
		NewHarness: w.NewHarness(workload.HarnessOptions{Virtual: board, Clock: board.Clock()})}}, nil
}

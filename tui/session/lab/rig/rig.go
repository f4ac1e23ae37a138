// Package rig sets virtual boards up for the laboratory, and measures on them as the program itself does it.
package rig

import (
	"math"

	"jtune/profiles"
	"jtune/profiles/workload"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// Board is a virtual board at full speed, just booted.
func Board(o virtual.Options) (*virtual.Board, error) {
	o.Speed = math.Inf(1)
	return virtual.New(o)
}

// Bench is what modes are measured with on a board of its own.
type Bench struct {
	*profiles.Bench
	Done func() // ends the guard, which restores the board
}

// Measuring prepares a board for the measurement of a workload.
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

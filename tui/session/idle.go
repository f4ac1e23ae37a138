package session

import (
	"context"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// Load limits of an idle board: the system's services and this program stay below them.
const (
	IdleCPUPct = 20.0
	IdleGPUPct = 5.0
)

const (
	idleSettle = 1500 * time.Millisecond // after a mode change, for the board and its sensors
	idleSpan   = 5 * time.Second         // averaging window
	IdleReads  = 3                       // readings of an idle board by a command
	IdleEvery  = 250 * time.Millisecond
)

// IdleW reads the module's idle power; absent if the board is busy. It takes a second, and longer after a change.
func (s *Session) IdleW(ctx context.Context, changed bool) tegra.Val[float64] {
	if changed && s.Clock.Sleep(ctx, idleSettle) != nil {
		return tegra.Val[float64]{}
	}
	var list []telemetry.Sample
	for range IdleReads + 1 { // the first sample has no load: loads are differences
		x, err := s.Sampler.Read()
		if err != nil || s.Clock.Sleep(ctx, IdleEvery) != nil {
			return tegra.Val[float64]{}
		}
		list = append(list, x)
	}
	return IdleW(list[1:])
}

// IdleW returns the mean power over the last seconds of samples (oldest first), from when the board was set as now and
// had settled; absent if there are none, or if the board was busy in one of them.
func IdleW(list []telemetry.Sample) tegra.Val[float64] {
	if len(list) == 0 {
		return tegra.Val[float64]{}
	}
	last := list[len(list)-1]
	from := last.T - idleSpan
	for _, x := range list {
		if x.Reading.Mode != last.Reading.Mode || x.Reading.Locked != last.Reading.Locked {
			from = max(from, x.T+idleSettle)
		}
	}
	sum, n := 0.0, 0
	for _, x := range list {
		if x.T <= from {
			continue
		}
		r, w := x.Reading, x.PowerW()
		if !w.OK || !r.CPU.LoadPct.OK || r.CPU.LoadPct.V > IdleCPUPct || r.GPU.LoadPct.Or(0) > IdleGPUPct {
			return tegra.Val[float64]{}
		}
		sum, n = sum+w.V, n+1
	}
	return tegra.Val[float64]{V: sum / float64(max(1, n)), OK: n > 0}
}

package session

import (
	"context"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// When the board counts as idle: the system's services and this program stay below.
const (
	idleCPUPct = 20.0
	idleGPUPct = 5.0
)

const (
	idleSettle = 1500 * time.Millisecond // after a mode was set, for the board and its sensors
	idleSpan   = 5 * time.Second         // of the samples that are averaged
	idleReads  = 3                       // of them, by a command
	idleEvery  = 250 * time.Millisecond
)

// IdleW is the module power now, if nothing works on the board. It takes a second, and longer once
// something was changed.
func (s *Session) IdleW(ctx context.Context, changed bool) tegra.Val[float64] {
	if changed && s.Clock.Sleep(ctx, idleSettle) != nil {
		return tegra.Val[float64]{}
	}
	var list []telemetry.Sample
	for range idleReads + 1 { // the first has no load: loads are differences
		x, err := s.Sampler.Read()
		if err != nil || s.Clock.Sleep(ctx, idleEvery) != nil {
			return tegra.Val[float64]{}
		}
		list = append(list, x)
	}
	return IdleW(list[1:])
}

// IdleW is the mean power of the samples of the last seconds, oldest first, in which the board is
// set as now and has settled; absent where there is none, or the board worked in one of them.
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
		if !w.OK || !r.CPU.LoadPct.OK || r.CPU.LoadPct.V > idleCPUPct || r.GPU.LoadPct.Or(0) > idleGPUPct {
			return tegra.Val[float64]{}
		}
		sum, n = sum+w.V, n+1
	}
	return tegra.Val[float64]{V: sum / float64(max(1, n)), OK: n > 0}
}

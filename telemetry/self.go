package telemetry

import "jtune/tegra"

// Self measures what this process itself costs.
type Self struct{}

// NewSelf begins measuring.
func NewSelf() *Self { panic("not yet") }

// CPUPct is this process's share of one core since the last call, in per
// cent; absent when /proc does not tell.
func (s *Self) CPUPct() tegra.Val[float64] { panic("not yet") }

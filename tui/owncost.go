package tui

import (
	"fmt"
	"sync/atomic"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// ownEvery is the span over which the own cost is taken: the kernel counts CPU
// time in hundredths of a second.
const ownEvery = 3 * time.Second

// costReading is what the program itself costs: absent until it is known.
type costReading struct {
	CPUPct    tegra.Val[float64] // of one core
	BytesPerS tegra.Val[float64] // written to the terminal
}

// costMeter measures it over spans of ownEvery.
type costMeter struct {
	self    *telemetry.Self
	written *atomic.Int64 // bytes, counted by the output
	before  int64         // written at the begin of the span
	since   time.Time
	last    costReading
}

func newCostMeter(written *atomic.Int64) *costMeter {
	return &costMeter{self: telemetry.NewSelf(), written: written, before: written.Load(), since: time.Now()}
}

// read gives the cost over the last whole span.
func (c *costMeter) read(now time.Time) costReading {
	span := now.Sub(c.since)
	if span < ownEvery {
		return c.last
	}
	written := c.written.Load()
	c.last = costReading{c.self.CPUPct(), tegra.Some(float64(written-c.before) / span.Seconds())}
	c.before, c.since = written, now
	return c.last
}

// String is the line at the foot of the Live page.
func (c costReading) String() string {
	rate := dash
	if c.BytesPerS.OK {
		rate = fmt.Sprintf("%.1f", c.BytesPerS.V/1000)
	}
	return "jtune itself: " + num(c.CPUPct, 1) + " % of one core, " + rate + " kB/s to this terminal"
}

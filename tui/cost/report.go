package main

import (
	"fmt"
	"io"
	"time"
)

// Bounds of jtune's Live page at 80x24 and one refresh a second.
const (
	mostBytesPerS  = 2000
	mostCPUPct     = 0.5
	mostWakesPerS  = 75
	mostFirstFrame = 100 * time.Millisecond
)

// report prints what was measured, each as a multiple of training jtune's, and
// which bounds are met. The first ownRuns costs are jtune's.
func report(out io.Writer, w watch, costs []cost) (met bool) {
	fmt.Fprintf(out, "%dx%d, one refresh a second, %v each\n\n", w.columns, w.rows, w.span)
	fmt.Fprintf(out, "%-10s %14s %16s %18s %12s\n", "", "bytes/s", "CPU % of a core", "wake-ups/s", "first frame")
	busy := costs[ownRuns-1]
	for _, c := range costs {
		fmt.Fprintf(out, "%-10s %7.0f %6s %9.2f %6s %11.1f %6s %9.0f ms\n", c.name, c.bytesPerS, ratio(c.bytesPerS, busy.bytesPerS),
			c.cpuPct, ratio(c.cpuPct, busy.cpuPct), c.wakesPerS, ratio(c.wakesPerS, busy.wakesPerS), c.firstFrame.Seconds()*1000)
	}
	met = true
	say := func(ok bool, format string, args ...any) {
		word := "met    "
		if !ok {
			word, met = "NOT MET", false
		}
		fmt.Fprintf(out, word+"  "+format+"\n", args...)
	}
	fmt.Fprintln(out)
	for _, own := range costs[:ownRuns] {
		if w.columns == 80 && w.rows == 24 {
			say(own.bytesPerS < mostBytesPerS, "%s: %.0f bytes/s, under %d", own.name, own.bytesPerS, mostBytesPerS)
			say(own.cpuPct < mostCPUPct, "%s: %.2f %% of a core, under %.1f", own.name, own.cpuPct, mostCPUPct)
			say(own.wakesPerS < mostWakesPerS, "%s: %.0f wake-ups/s, under %d", own.name, own.wakesPerS, mostWakesPerS)
		}
		say(own.firstFrame < mostFirstFrame, "%s: first frame after %.0f ms, under %d", own.name, own.firstFrame.Seconds()*1000, mostFirstFrame.Milliseconds())
	}
	for _, c := range costs[ownRuns:] {
		say(busy.bytesPerS < c.bytesPerS, "fewer bytes than %s, while training", c.name)
		say(busy.cpuPct < c.cpuPct, "less CPU than %s, while training", c.name)
		say(costs[0].wakesPerS < c.wakesPerS, "fewer wake-ups than %s, idle", c.name)
	}
	return met
}

// ratio is another program's value over jtune's.
func ratio(v, own float64) string {
	if own <= 0 || v == own {
		return ""
	}
	return fmt.Sprintf("×%.1f", v/own)
}

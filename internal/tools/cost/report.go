package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Bounds of jtune's Live page at 80x24 and one refresh a second, and of its response to a key.
const (
	mostBytesPerS  = 2000
	mostCPUPct     = 0.5
	mostWakesPerS  = 75
	mostFirstFrame = 100 * time.Millisecond
	mostLatency    = 100 * time.Millisecond
)

// report prints the measurements and which bounds are met.
func report(out io.Writer, w watch, costs []cost, keys []latency) (met bool) {
	fmt.Fprintf(out, "%-24s %9s %17s %12s %13s\n", "", "bytes/s", "CPU % of a core", "wake-ups/s", "first frame")
	for _, c := range costs {
		name := c.name
		if c.own {
			name = "jtune, " + name
		}
		fmt.Fprintf(out, "%-24s %9.0f %17.2f %12.0f", name, c.bytesPerS, c.cpuPct, c.wakesPerS)
		if c.quiet {
			fmt.Fprintf(out, " %13s\n", "–")
			continue
		}
		fmt.Fprintf(out, " %10.0f ms\n", ms(c.firstFrame))
	}
	if len(keys) > 0 {
		fmt.Fprintf(out, "\n%-24s %9s %17s\n", "a key is answered in", "median", "at most")
		for _, k := range keys {
			fmt.Fprintf(out, "%-24s %6.0f ms %14.0f ms  of %d\n", k.what, ms(k.median()), ms(k.most()), len(k.times))
		}
	}
	fmt.Fprintln(out)
	met = true
	for _, c := range costs {
		if c.own {
			met = judge(out, "jtune, "+c.name, bounds(w, c, costs)) && met
		}
	}
	for _, k := range keys {
		met = judge(out, k.what, []bound{{k.most() < mostLatency,
			fmt.Sprintf("within %d ms", mostLatency.Milliseconds())}}) && met
	}
	return met
}

// bound is a limit for a program.
type bound struct {
	met  bool
	what string
}

// judge prints the bounds that are met in one line, the others in a second.
func judge(out io.Writer, who string, list []bound) (met bool) {
	var yes, no []string
	for _, b := range list {
		if b.met {
			yes = append(yes, b.what)
		} else {
			no = append(no, b.what)
		}
	}
	if len(yes) > 0 {
		fmt.Fprintf(out, "met      %s: %s\n", who, strings.Join(yes, ", "))
	}
	if len(no) > 0 {
		fmt.Fprintf(out, "NOT MET  %s: %s\n", who, strings.Join(no, ", "))
	}
	return len(no) == 0
}

// bounds returns the limits of a jtune screen: fixed ones at 80x24, and each rival. Wake-ups are limited unless a
// virtual board's job runs in the same process; fewer than a rival's are wanted only if nothing but the screen runs.
func bounds(w watch, c cost, all []cost) []bound {
	list := []bound{{c.firstFrame < mostFirstFrame, fmt.Sprintf("first frame in %d ms", mostFirstFrame.Milliseconds())}}
	idle := len(c.keys) == 0
	if w.columns == 80 && w.rows == 24 {
		list = append(list, bound{c.bytesPerS < mostBytesPerS, fmt.Sprintf("%d bytes/s", mostBytesPerS)},
			bound{c.cpuPct < mostCPUPct, fmt.Sprintf("%.1f %% of a core", mostCPUPct)})
		if idle || c.outside {
			list = append(list, bound{c.wakesPerS < mostWakesPerS, fmt.Sprintf("%d wake-ups/s", mostWakesPerS)})
		}
	}
	for _, r := range all {
		if !r.rival {
			continue
		}
		list = append(list, bound{c.bytesPerS < r.bytesPerS, "fewer bytes than " + r.name},
			bound{c.cpuPct < r.cpuPct, "less CPU than " + r.name})
		if idle {
			list = append(list, bound{c.wakesPerS < r.wakesPerS, "fewer wake-ups than " + r.name})
		}
	}
	return list
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

package telemetry

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/caller"
	"jtune/tegra"
)

// minSelf is the shortest period over which the own CPU share is meaningful.
const minSelf = 10 * time.Millisecond

// Self measures the CPU time of this process.
type Self struct {
	used time.Duration
	at   time.Time
}

// NewSelf starts measuring.
func NewSelf() *Self { return &Self{OwnCPU(), time.Now()} }

// CPUPct returns this process's share of one core since the last call, in per cent; absent when too little time has
// passed.
func (s *Self) CPUPct() tegra.Val[float64] {
	now := time.Now()
	dt := now.Sub(s.at)
	if dt < minSelf {
		return tegra.Val[float64]{}
	}
	used := OwnCPU()
	share := 100 * (used - s.used).Seconds() / dt.Seconds()
	s.used, s.at = used, now
	return tegra.Some(max(0, share))
}

// costSpan is the period over which the own cost is averaged, so that a single reading does not look like a burst.
const costSpan = 3 * time.Second

// Cost is the load that this process puts on the machine; absent until a span has passed.
type Cost struct {
	CPUPct    tegra.Val[float64] // of one core
	BytesPerS tegra.Val[float64] // written to the terminal
}

// CostMeter measures Cost over spans of three seconds.
type CostMeter struct {
	self    *Self
	written func() int64 // bytes so far
	before  int64        // written at the start of the span
	since   time.Time
	last    Cost
}

// NewCostMeter starts measuring; written returns the number of bytes sent to the terminal.
func NewCostMeter(written func() int64) *CostMeter {
	return &CostMeter{self: NewSelf(), written: written, before: written(), since: time.Now()}
}

// Read returns the cost over the last complete span.
func (c *CostMeter) Read(now time.Time) Cost {
	span := now.Sub(c.since)
	if span < costSpan {
		return c.last
	}
	written := c.written()
	c.last = Cost{c.self.CPUPct(), tegra.Some(float64(written-c.before) / span.Seconds())}
	c.before, c.since = written, now
	return c.last
}

// OwnCPU returns the CPU time that this process has used, user and system, to the nanosecond (clock_gettime(2);
// /proc/self/stat counts in hundredths of a second).
func OwnCPU() time.Duration {
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &used); err != nil {
		panic("telemetry: the kernel has no clock of the own CPU time")
	}
	return time.Duration(used.Nano())
}

// IO counts what a process has read: bytes and calls, over all kinds of files.
type IO struct{ Bytes, Calls int64 }

// OwnIO returns what this process has read so far; absent where the kernel does
// not count it.
func OwnIO() tegra.Val[IO] {
	var data []byte
	err := caller.AsRoot(func() (err error) {
		data, err = os.ReadFile("/proc/self/io")
		return err
	})
	if err != nil {
		return tegra.Val[IO]{}
	}
	return parseIO(data)
}

// parseIO parses rchar and syscr of /proc/PID/io (proc(5)).
func parseIO(data []byte) tegra.Val[IO] {
	var io IO
	found := 0
	for line := range bytes.Lines(data) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		v, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
		if err != nil || v < 0 {
			continue
		}
		switch string(name) {
		case "rchar":
			io.Bytes, found = v, found|1
		case "syscr":
			io.Calls, found = v, found|2
		}
	}
	if found != 3 {
		return tegra.Val[IO]{}
	}
	return tegra.Some(io)
}

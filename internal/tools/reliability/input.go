package reliability

import (
	"runtime/metrics"
	"syscall"
	"time"
)

// Limits for one input of a fuzz target. The memory is everything allocated, freed or not.
const (
	mostCPU   = time.Second
	mostBytes = 200 << 20
)

// Input starts an input of a fuzz target: defer reliability.Input(t)(). At its end the test fails if the process has
// used more than 1 s of CPU time or allocated more than 200 MB since. Waiting for a busy machine does not count.
func Input(t interface{ Errorf(string, ...any) }) (end func()) {
	cpu, bytes := taken()
	return func() {
		cpuNow, bytesNow := taken()
		if took := cpuNow - cpu; took > mostCPU {
			t.Errorf("one input took %.2f s of CPU time, at most %v", took.Seconds(), mostCPU)
		}
		if took := bytesNow - bytes; took > mostBytes {
			t.Errorf("one input allocated %d MB, at most %d", took>>20, mostBytes>>20)
		}
	}
}

// taken returns this process's CPU time so far, and the bytes that it has allocated.
func taken() (cpu time.Duration, bytes uint64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // fails only for wrong arguments
	}
	m := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(m)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), m[0].Value.Uint64()
}

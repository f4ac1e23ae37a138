package virtual

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"jtune/tegra/virtual/physics"
)

// Page cache used by a running system but by no job: as recorded, in bytes, and at most a share.
const (
	baseCache = 1_400_000 * kib
	mostShare = 0.3
)

// jiffies are a core's times in seconds.
type jiffies struct{ busy, idle float64 }

func (j *jiffies) add(dt time.Duration, busy float64) {
	j.busy += dt.Seconds() * busy
	j.idle += dt.Seconds() * (1 - busy)
}

func (b *Board) procFiles() {
	b.show("/proc/stat", b.stat)
	b.show("/proc/meminfo", b.meminfo)
	b.show("/proc/uptime", func() string { return fmt.Sprintf("%.2f %.2f\n", 60+b.at.Seconds(), b.cpu[0].idle) })
	b.show("/proc/diskstats", b.diskstats)
	b.show("/proc/loadavg", func() string {
		load := b.steady.steps.CPUBusy
		return fmt.Sprintf("%.2f %.2f %.2f 2/512 4242\n", load, load, load)
	})
	b.show("/sys/kernel/debug/nvmap/iovmm/clients", b.gpuClients)
	b.knob("/proc/sys/vm/drop_caches", func() string { return "0\n" }, func(v string) error {
		if v != "1" && v != "2" && v != "3" {
			return syscall.EINVAL
		}
		clear(b.cached)
		if b.job != nil {
			b.job.coldShare = b.cold(b.job.workload)
		}
		return nil
	})
}

// readAhead is the kernel's first read request to a drive for a sequentially read file, in bytes.
const readAhead = 128 << 10

// diskstats is /proc/diskstats: the one drive, which has read the jobs' uncached data. The board has no other traffic.
func (b *Board) diskstats() string {
	bytes := b.readMB * 1e6
	return fmt.Sprintf(" 259       0 nvme0n1 %.0f 0 %.0f 0 0 0 0 0 0 0 0\n", bytes/readAhead, bytes/512)
}

// stat is /proc/stat: the online cores, in ticks of 10 ms.
func (b *Board) stat() string {
	var lines strings.Builder
	var sum jiffies
	for i, j := range b.cpu {
		if !b.knobs.online[i] {
			continue
		}
		sum.busy, sum.idle = sum.busy+j.busy, sum.idle+j.idle
		fmt.Fprintln(&lines, ticks(fmt.Sprintf("cpu%d", i), j))
	}
	return ticks("cpu ", sum) + "\n" + lines.String() +
		"intr 0\nctxt 0\nbtime 1660000000\nprocesses 4242\nprocs_running 1\nprocs_blocked 0\n"
}

// gpuClients is the driver's list of processes with GPU memory: the job, under the name of its workload.
func (b *Board) gpuClients() string {
	text, total := fmt.Sprintf("%-18s %18s %8s %11s\n", "CLIENT", "PROCESS", "PID", "SIZE"), 0.0
	for i, j := range b.running() {
		size := float64(memoryOf(j.workload)) / kib
		text += fmt.Sprintf("%-18s %18s %8d %10.0fK\n", "user", j.label, 4242+i, size)
		total += size
	}
	return text + fmt.Sprintf("%-18s %18s %8s %10.0fK\n", "total", "", "", total)
}

func ticks(name string, j jiffies) string {
	busy := int64(j.busy * 100)
	return fmt.Sprintf("%s %d 0 %d %d 0 0 0 0 0 0", name, busy-busy/8, busy/8, int64(j.idle*100))
}

func (b *Board) meminfo() string {
	m := b.Memory()
	var jobs []int64
	for _, j := range b.running() {
		jobs = append(jobs, memoryOf(j.workload))
	}
	left := float64(max(0, m.Left(jobs...)))
	cached := min(baseCache, mostShare*float64(m.Total))
	for _, w := range physics.Workloads() {
		cached += b.cached[w.Name] * w.DatasetMB * 1e6
	}
	cached = min(cached, left) / kib
	memory, free := float64(m.Total)/kib, left/kib-cached
	return fmt.Sprintf("MemTotal:       %8.0f kB\nMemFree:        %8.0f kB\nMemAvailable:   %8.0f kB\n"+
		"Buffers:        %8d kB\nCached:         %8.0f kB\n"+
		"SReclaimable:   %8d kB\nSwapTotal:      %8d kB\nSwapFree:       %8d kB\n",
		memory, free, free+cached, 0, cached, 0, 0, 0)
}

package telemetry

import (
	"strconv"
	"strings"
	"time"

	"jtune/tegra"
)

// diskstatsPath tells what every block device has read since the start
// (kernel, Documentation/admin-guide/iostats.rst).
const diskstatsPath = "/proc/diskstats"

// sectorBytes is the unit of diskstats, whatever the device's own sectors are.
const sectorBytes = 512

// DiskRates is what the disks read; absent values were not told.
type DiskRates struct {
	ReadsPerS tegra.Val[float64]
	BytesPerS tegra.Val[float64]
}

// Disk measures how much is read from all disks together.
type Disk struct {
	fs   tegra.FS
	last diskCount
	at   time.Duration
	ok   bool
}

// diskCount is what was read since the start.
type diskCount struct{ reads, sectors uint64 }

// NewDisk reads the files of a device.
func NewDisk(fs tegra.FS) *Disk { return &Disk{fs: fs} }

// Rates gives what was read per second since the last call, by the device's
// clock; absent at the first call and where the kernel does not tell.
func (d *Disk) Rates(now time.Duration) DiskRates {
	text, err := d.fs.ReadFile(diskstatsPath)
	count, found := parseDiskstats(string(text))
	if err != nil || !found {
		d.ok = false
		return DiskRates{}
	}
	before, at, ok := d.last, d.at, d.ok
	d.last, d.at, d.ok = count, now, true
	s := (now - at).Seconds()
	if !ok || s <= 0 || count.reads < before.reads || count.sectors < before.sectors {
		return DiskRates{}
	}
	return DiskRates{tegra.Some(float64(count.reads-before.reads) / s), tegra.Some(float64(count.sectors-before.sectors) * sectorBytes / s)}
}

// parseDiskstats adds up the whole disks; false when there are none. What lies
// upon another device (partitions, loops, RAM, device mapper) would count
// twice or is no disk.
func parseDiskstats(text string) (sum diskCount, found bool) {
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) < 6 || !wholeDisk(f[2]) {
			continue
		}
		reads, err1 := strconv.ParseUint(f[3], 10, 64)
		sectors, err2 := strconv.ParseUint(f[5], 10, 64)
		if err1 == nil && err2 == nil {
			sum.reads, sum.sectors, found = sum.reads+reads, sum.sectors+sectors, true
		}
	}
	return sum, found
}

// wholeDisk knows the names of disks: mmcblk0, nvme0n1, sda, vda, not their
// parts mmcblk0p1, mmcblk0boot0, nvme0n1p1, sda1, vda1.
func wholeDisk(name string) bool {
	for _, prefix := range []string{"mmcblk", "nvme"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return strings.Trim(rest, "0123456789n") == ""
		}
	}
	for _, prefix := range []string{"sd", "vd", "xvd"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz") == ""
		}
	}
	return false
}

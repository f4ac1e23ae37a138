package telemetry

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jtune/tegra"
)

// diskstatsPath has the kernel's counts of what every block device has read since boot
// (Documentation/admin-guide/iostats.rst).
const diskstatsPath = "/proc/diskstats"

// sectorBytes is the unit of diskstats, whatever the device's own sector size.
const sectorBytes = 512

// DiskRates are the reads per second of the disks; absent when unknown.
type DiskRates struct {
	ReadsPerS tegra.Val[float64]
	BytesPerS tegra.Val[float64]
}

// Disk measures the reads of one disk, or of all disks together.
type Disk struct {
	fs   tegra.FS
	name string     // "" for all
	file tegra.File // diskstats; nil: not open yet
	text []byte     // of the last reading
	last DiskCount
	at   time.Duration
	ok   bool
}

// DiskCount counts reads since boot.
type DiskCount struct{ Reads, Bytes uint64 }

// NewDisk returns a Disk that counts all disks of a device.
func NewDisk(fs tegra.FS) *Disk { return &Disk{fs: fs} }

// NewDiskNamed returns a Disk that counts one disk or partition, such as nvme0n1.
func NewDiskNamed(fs tegra.FS, name string) *Disk { return &Disk{fs: fs, name: name} }

// Name returns the name of the disk that is counted, or "all disks".
func (d *Disk) Name() string {
	if d.name == "" {
		return "all disks"
	}
	return d.name
}

// Count returns the reads so far; absent where the kernel does not count them.
func (d *Disk) Count() tegra.Val[DiskCount] {
	if err := d.read(); err != nil {
		if d.file != nil {
			d.file.Close()
			d.file = nil
		}
		return tegra.Val[DiskCount]{}
	}
	return parseDiskstats(string(d.text), d.name)
}

// read reads the file through a handle that stays open.
func (d *Disk) read() error {
	if d.file == nil {
		file, err := d.fs.Open(diskstatsPath)
		if err != nil {
			return err
		}
		d.file = file
	}
	for d.text = d.text[:0]; ; {
		d.text = slices.Grow(d.text, 4096) // the kernel returns a page at a time
		n, err := d.file.ReadAt(d.text[len(d.text):cap(d.text)], int64(len(d.text)))
		d.text = d.text[:len(d.text)+n]
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case n == 0:
			return nil
		}
	}
}

// rates returns the reads per second since the last call, by the device's clock. They are absent at the first call and
// where the kernel does not count.
func (d *Disk) rates(now time.Duration) DiskRates {
	count := d.Count()
	if !count.OK {
		d.ok = false
		return DiskRates{}
	}
	before, at, ok := d.last, d.at, d.ok
	d.last, d.at, d.ok = count.V, now, true
	if !ok {
		return DiskRates{}
	}
	return RatesBetween(before, count.V, now-at)
}

// RatesBetween returns the reads per second between two counts; absent when no time passed or a counter decreased.
func RatesBetween(before, after DiskCount, span time.Duration) DiskRates {
	s := span.Seconds()
	if s <= 0 || after.Reads < before.Reads || after.Bytes < before.Bytes {
		return DiskRates{}
	}
	return DiskRates{tegra.Some(float64(after.Reads-before.Reads) / s),
		tegra.Some(float64(after.Bytes-before.Bytes) / s)}
}

// parseDiskstats adds up the whole disks, or returns the counts of the disk called name; absent when there are none.
// Partitions, loops, RAM disks and device mapper are left out: they are no disks or would count twice.
func parseDiskstats(text, name string) (sum tegra.Val[DiskCount]) {
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Fields(line)
		if len(f) < 6 || name == "" && !wholeDisk.MatchString(f[2]) || name != "" && f[2] != name {
			continue
		}
		reads, err1 := strconv.ParseUint(f[3], 10, 64)
		sectors, err2 := strconv.ParseUint(f[5], 10, 64)
		if err1 == nil && err2 == nil && sectors < 1<<55 {
			sum = tegra.Some(DiskCount{sum.V.Reads + reads, sum.V.Bytes + sectors*sectorBytes})
		}
	}
	return sum
}

// DiskOf returns the name of the disk of this machine that holds a path. The error explains why there is none: a file
// system in memory, on the network, or an overlay.
func DiskOf(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	number := fmt.Sprintf("%d:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)))
	dir, err := filepath.EvalSymlinks("/sys/dev/block/" + number)
	if err != nil {
		return "", fmt.Errorf("%s lies on no block device (device %s)", path, number)
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
	}
	return filepath.Base(dir), nil
}

// wholeDisk matches names of disks (mmcblk0, nvme0n1, sda, vda) but not of their parts (mmcblk0p1, mmcblk0boot0,
// nvme0n1p1, sda1, vda1).
var wholeDisk = regexp.MustCompile(`^(?:(?:mmcblk|nvme)[0-9n]*|(?:s|v|xv)d[a-z]+)$`)

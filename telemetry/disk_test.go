package telemetry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

const diskstats = ` 259       0 nvme0n1 700 0 5600 40 5 0 40 7 0 36 47
 259       1 nvme0n1p1 900 0 7200 40 5 0 40 7 0 36 47
   7       0 loop0 50 0 400 1 0 0 0 0 0 1 1
 179       0 mmcblk0 10 0 80 1 0 0 0 0 0 1 1
 179      32 mmcblk0boot0 10 0 80 1 0 0 0 0 0 1 1
`

func TestDiskCountsOnlyWholeDisks(t *testing.T) {
	for name, want := range map[string]bool{"nvme0n1": true, "nvme0n1p1": false, "mmcblk0": true, "mmcblk0p2": false,
		"mmcblk0boot0": false,
		"sda":          true, "sda1": false, "vda": true, "loop0": false, "ram0": false, "zram0": false, "dm-0": false,
		"sd": false} {
		if got := wholeDisk.MatchString(name); got != want {
			t.Errorf("%s counts as a disk: %v, want %v", name, got, want)
		}
	}
}

func TestDiskRatesAreDifferencesOverTheDevicesClock(t *testing.T) {
	root := t.TempDir()
	write := func(text string) {
		must.NoError(t, os.MkdirAll(filepath.Join(root, "proc"), 0o755))
		must.NoError(t, os.WriteFile(filepath.Join(root, "proc/diskstats"), []byte(text), 0o644))
	}
	d := NewDisk(tegra.DiskFS(root))
	if r := d.rates(0); r.ReadsPerS.OK || r.BytesPerS.OK {
		t.Errorf("without the file: %+v, want nothing known", r)
	}
	write("259 0 nvme0n1 100 0 1000 1 1 1 1 1 1 1 1\n259 1 nvme0n1p1 100 0 1000 1\n")
	if r := d.rates(time.Second); r.ReadsPerS.OK {
		t.Errorf("at the first reading: %+v, want nothing known", r)
	}
	write("259 0 nvme0n1 300 0 3000 1 1 1 1 1 1 1 1\n259 1 nvme0n1p1 300 0 3000 1\n")
	if r := d.rates(3 * time.Second); r.ReadsPerS != tegra.Some(100.0) || r.BytesPerS != tegra.Some(512000.0) {
		t.Errorf("200 reads of 2,000 sectors in 2 s: %+v, want 100 reads/s and 512 kB/s", r)
	}
	if r := d.rates(3 * time.Second); r.ReadsPerS.OK {
		t.Errorf("no time has passed: %+v, want nothing known", r)
	}
	write("259 0 nvme0n1 5 0 50 1 1 1 1 1 1 1 1\n")
	if r := d.rates(4 * time.Second); r.ReadsPerS.OK {
		t.Errorf("counters started over: %+v, want nothing known", r)
	}
}

func TestDiskNamedCountsThatDiskOnly(t *testing.T) {
	for name, want := range map[string]tegra.Val[DiskCount]{"": tegra.Some(DiskCount{710, 5680 * 512}),
		"mmcblk0":   tegra.Some(DiskCount{10, 80 * 512}),
		"nvme0n1p1": tegra.Some(DiskCount{900, 7200 * 512}), "sda": {}} {
		if got := parseDiskstats(diskstats, name); got != want {
			t.Errorf("disk %q: %+v, want %+v", name, got, want)
		}
	}
	for text, want := range map[string]DiskCount{
		"259 0 nvme0n1 1 0 36028797018963967":    {1, 1<<64 - sectorBytes}, // as many as can be counted
		"259 0 nvme0n1 10 0 80\n259 1 sda 5 0\n": {10, 80 * 512},           // the second lacks its sectors
	} {
		if got := parseDiskstats(text, ""); got != tegra.Some(want) {
			t.Errorf("%q counts as %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "x", "259 0 nvme0n1 1 0 36028797018963968",
		"259 0 nvme0n1 -1 0 5 0", "259 0 nvme0n1 1 0 99999999999999999999",
		"259 0 nvme0n1 1 0"} {
		if got := parseDiskstats(text, ""); got.OK {
			t.Errorf("%q counts as %+v", text, got)
		}
	}
}

func TestDiskOfAPathWithoutADiskIsAnError(t *testing.T) {
	if name, err := DiskOf("/proc"); err == nil {
		t.Errorf("/proc lies on disk %q", name)
	}
	if name, err := DiskOf(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that is not there lies on disk %q, %v", name, err)
	}
}

func FuzzParseDiskstats(f *testing.F) {
	f.Add(diskstats)
	f.Add("259 0 nvme0n1 x 0 y\n\n 1")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		for _, name := range []string{"", "nvme0n1"} {
			if sum := parseDiskstats(text, name); !sum.OK && sum.V != (DiskCount{}) {
				t.Errorf("nothing found, yet %+v", sum)
			}
		}
	})
}

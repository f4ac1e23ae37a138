package telemetry

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/must"
	"jtune/tegra"
)

// Ten minutes before, one between and five after decide, each of them; a tenth less is no drop yet.
func TestDropLooksAtEachOfItsMinutes(t *testing.T) {
	t.Parallel()
	look := func(change func(i int, m *minute)) bool {
		var d Drop
		for i := range dropBefore + 1 + dropAfter {
			m := minute{from: time.Duration(i) * time.Minute, watts: 100, samples: 1, ms: 50, steps: 1}
			if i > dropBefore {
				m.watts = 80
			}
			change(i, &m)
			d.past = append(d.past, m)
		}
		d.look()
		if f := d.Found(); f.OK && f.V.At != dropBefore*time.Minute {
			t.Errorf("dropped at %v", f.V.At)
		}
		return d.Found().OK
	}
	if !look(func(int, *minute) {}) {
		t.Fatal("a drop by 20 % is not found")
	}
	if look(func(i int, m *minute) {
		if i > dropBefore {
			m.watts = 90
		}
	}) {
		t.Error("found where power is a tenth less")
	}
	for one := range dropBefore + 1 + dropAfter {
		watts := 85.0 // before: too little to have dropped from
		if one > dropBefore {
			watts = 95
		}
		if got := look(func(i int, m *minute) {
			if i == one {
				m.watts = watts
			}
		}); got != (one == dropBefore) {
			t.Errorf("with %g W in minute %d: found %v", watts, one, got)
		}
		if look(func(i int, m *minute) {
			if i == one {
				m.ms = 56
			}
		}) {
			t.Errorf("found although minibatches took 12 %% longer in minute %d", one)
		}
		if !look(func(i int, m *minute) {
			if m.ms = 10; i == one {
				m.ms = 11
			}
		}) {
			t.Errorf("not found where minibatches took 10 %% longer in minute %d", one)
		}
	}
}

// One sample and one minibatch a minute are enough, whichever comes first; a minute with only one of them is left out.
func TestDropTakesMinutesOfOneSample(t *testing.T) {
	t.Parallel()
	const before = 10 // the last minute at the old power
	for _, order := range []string{"power first", "minibatches first"} {
		for _, only := range []string{"", "power", "minibatches"} {
			var d Drop
			for i := range time.Duration(19) {
				watts := 100.0
				if i > before {
					watts = 70
				}
				switch at := i * time.Minute; {
				case i == 5 && only == "power":
					d.Power(at, watts)
				case i == 5 && only == "minibatches":
					d.Minibatch(at, 50)
				case order == "power first":
					d.Power(at, watts)
					d.Minibatch(at+time.Second, 50)
				default:
					d.Minibatch(at, 50)
					d.Power(at+time.Second, watts)
				}
			}
			// the minute between those before and those after
			at := before * time.Minute
			if only != "" {
				at += time.Minute
			}
			if f := d.Found(); !f.OK || f.V.FromW != 100 || f.V.ToW != 70 || f.V.At != at {
				t.Errorf("%s, minute 5 with %q alone: found %+v, want a drop at %v", order, only, f, at)
			}
		}
	}
}

func TestSteadySpreadOfNoPowerIsInfinite(t *testing.T) {
	t.Parallel()
	for _, recent := range [][]float64{{0, 0}, {-1, 1}, {-2, -2}} {
		if got := (&Steady{recent: recent}).spread(); !math.IsInf(got, 1) {
			t.Errorf("%v: %g", recent, got)
		}
	}
	if got := (&Steady{recent: []float64{9, 11}}).spread(); got != 0.2 {
		t.Errorf("9 and 11 W: %g", got)
	}
}

// A file that could be read once and can no more has no counts; those of before are not given again.
func TestDiskThatIsGoneHasNoCounts(t *testing.T) {
	t.Parallel()
	first := "259 0 nvme0n1 100 0 1000 " + strings.Repeat("0", 4096) + "\n" // a page
	files := &goneFS{FS: diskFiles(t, first)}
	d := NewDisk(files)
	if got := d.Count(); got != tegra.Some(DiskCount{100, 512000}) {
		t.Fatalf("%+v", got)
	}
	d.rates(time.Second)
	files.gone = true
	for range 2 {
		if got := d.Count(); got.OK {
			t.Errorf("gone, yet %+v", got)
		}
	}
	d.rates(2 * time.Second)
	files.gone = false
	if got := d.rates(3 * time.Second); got.ReadsPerS.OK {
		t.Errorf("first reading after a fault: %+v, want nothing known", got)
	}
	if got := d.rates(4 * time.Second); got.ReadsPerS != tegra.Some(0.0) || got.BytesPerS != tegra.Some(0.0) {
		t.Errorf("an idle disk: %+v, want no reads", got)
	}
}

// goneFS has files that cannot be opened while gone is set, and of which open handles read the first page alone.
type goneFS struct {
	tegra.FS
	gone bool
}

func (f *goneFS) Open(name string) (tegra.File, error) {
	file, err := f.FS.Open(name)
	if f.gone {
		return nil, fs.ErrNotExist
	}
	return goneFile{file, f}, err
}

type goneFile struct {
	tegra.File
	of *goneFS
}

func (f goneFile) ReadAt(p []byte, at int64) (int, error) {
	if f.of.gone && at > 0 {
		return 0, unix.EIO
	}
	return f.File.ReadAt(p, at)
}

// diskFiles is a device whose kernel counts disks.
func diskFiles(t *testing.T, text string) tegra.FS {
	t.Helper()
	root := t.TempDir()
	must.NoError(t, os.Mkdir(filepath.Join(root, "proc"), 0o755))
	must.NoError(t, os.WriteFile(filepath.Join(root, diskstatsPath), []byte(text), 0o644))
	return tegra.DiskFS(root)
}

// A Watch queries the driver, which answers slowly, every five seconds, and reads the disks at each call.
func TestWatchAsksTheDriverEveryFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock, dev, asked := &stepClock{}, &meter{reading: watts(10)}, 0
		sampler := NewSampler(dev, clock)
		w := NewWatch(WatchOptions{Sampler: sampler, Files: diskFiles(t, "259 0 nvme0n1 100 0 1000\n"),
			Written:      func() int64 { return 0 },
			GPUProcesses: func() ([]tegra.GPUProcess, string) { asked++; return nil, "" }})
		next := func() Readings {
			clock.Sleep(t.Context(), time.Second)
			r, _ := w.Next(t.Context(), 0)
			return r
		}
		if r := next(); asked != 1 || !r.GPU.Asked || r.Disk.ReadsPerS.OK {
			t.Errorf("at first: %+v, asked %d times", r, asked)
		}
		time.Sleep(gpuEvery - 1)
		if r := next(); asked != 1 || r.EnergyJ != 10 || r.Disk.ReadsPerS != tegra.Some(0.0) {
			t.Errorf("within five seconds: %+v, asked %d times", r, asked)
		}
		time.Sleep(1 * time.Nanosecond)
		if next(); asked != 2 {
			t.Errorf("after five seconds asked %d times", asked)
		}
		w.Stop()
		clock.Sleep(t.Context(), time.Minute)
		if dev.reads != 3 {
			t.Errorf("%d readings; want 3, none after Stop", dev.reads)
		}
		without := NewWatch(WatchOptions{Sampler: sampler, Written: func() int64 { return 0 }})
		clock.Sleep(t.Context(), time.Second)
		if r, ok := without.Next(t.Context(), 0); !ok || r.Disk.ReadsPerS.OK || r.GPU.Asked {
			t.Errorf("without disks and a driver: %+v, %v", r, ok)
		}
	})
}

func TestResidencyOfNoTimeIsNone(t *testing.T) {
	t.Parallel()
	if got := residency(map[tegra.Freq]time.Duration{tegra.GHz: 0}, "kernel"); !reflect.DeepEqual(got, Residency{}) {
		t.Errorf("%+v", got)
	}
}

// Two seconds of computing within four, or a little more on a busy machine, are about half of a core.
func TestSelfSharesWhatItUsedByTheTime(t *testing.T) {
	t.Parallel()
	s := &Self{at: time.Now().Add(-4 * time.Second), used: OwnCPU() - 2*time.Second}
	if got := s.CPUPct(); !got.OK || got.V > 90 || got.V < 30 {
		t.Errorf("%+v, want about 50", got)
	}
}

package tegra_test

import (
	"math"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// countingFS counts how often files are opened and read, by name.
type countingFS struct {
	tegra.FS
	opened, read map[string]int
}

type countingFile struct {
	tegra.File
	count func()
}

func (f countingFile) ReadAt(p []byte, off int64) (int, error) {
	f.count()
	return f.File.ReadAt(p, off)
}

func (c countingFS) Open(name string) (tegra.File, error) {
	c.opened[name]++
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return countingFile{f, func() { c.read[name]++ }}, nil
}

func TestReadingOpensEachFileOnceAndReadsItOnceAReading(t *testing.T) {
	t.Parallel()
	fsys := countingFS{tegra.DiskFS(tegratest.AGXOrin35(t)), map[string]int{}, map[string]int{}}
	s := must.Get(tegra.Open(fsys, tegra.RealClock()))(t)
	defer s.Close()
	const readings = 3
	clear(fsys.opened)
	clear(fsys.read)
	for range readings {
		_, err := s.Read()
		must.NoError(t, err)
	}
	policies := map[string]int{}
	for name, n := range fsys.read {
		want := readings
		switch path.Base(name) {
		case "cpuinfo_cur_freq": // at most once a second: the read runs on that core
			want = 1
		case "scaling_cur_freq": // once more, after that
			want++
		}
		if n != want {
			t.Errorf("%s: read %d times in %d readings, want %d", name, n, readings, want)
		}
		if file, ok := strings.CutPrefix(name, tegratest.CPU+"/"); ok && strings.Contains(file, "/cpufreq/") {
			policies[file[strings.LastIndex(file, "/")+1:]]++
		}
	}
	for name, n := range fsys.opened {
		if n != 1 {
			t.Errorf("%s: opened %d times", name, n)
		}
	}
	for file, n := range policies { // three policies of four cores
		if n != 3 {
			t.Errorf("%s: read in %d places, want once per policy", file, n)
		}
	}
	if len(policies) == 0 {
		t.Error("no CPU clock was read")
	}
}

func TestRealClocksAreReadWhenAskedFor(t *testing.T) {
	t.Parallel()
	fsys := countingFS{tegra.DiskFS(tegratest.AGXOrin35(t)), map[string]int{}, map[string]int{}}
	clock := &handClock{}
	s := must.Get(tegra.Open(fsys, clock))(t)
	defer s.Close()
	const real = tegratest.CPU + "/cpu0/cpufreq/cpuinfo_cur_freq"
	for _, c := range []struct {
		at   float64
		ask  time.Duration // MeasureClocks before the reading; below 0: not called
		want int           // readings so far
	}{
		{0, 5 * time.Second, 1}, {1, -1, 1}, {4.9, -1, 1}, {5, -1, 2}, {6, -1, 2},
		{7, 5 * time.Second, 3}, {7.2, 5 * time.Second, 3}, {8, -1, 4}, {8.5, 0, 4}, {9, -1, 5}, {10, -1, 6},
	} {
		clock.now = time.Duration(c.at * float64(time.Second))
		if c.ask >= 0 {
			s.MeasureClocks(c.ask)
		}
		if _, err := s.Read(); err != nil || fsys.read[real] != c.want {
			t.Errorf("at %g s: read %d times, want %d; %v", c.at, fsys.read[real], c.want, err)
		}
	}
}

func TestCoresInFoldersWithoutLinksAreReadOneByOne(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	tr.Unlink()
	tr.Set(tegratest.CPU+"/cpu5/cpufreq/cpuinfo_cur_freq", "1113600")
	r := must.Get(open(t, tr).Read())(t)
	if got := r.Cores[5].Freq; got != tegra.Some(1113600*tegra.KHz) {
		t.Errorf("core 5: got %v, want its own clock", got)
	}
	if got := r.Cores[4].Freq; got != tegra.Some(729600*tegra.KHz) {
		t.Errorf("core 4: got %v, want its own clock", got)
	}
}

func TestRelaxedBoardRepeatsSlowValuesOnly(t *testing.T) {
	t.Parallel()
	root, clock := tegratest.AGXOrin35(t), &handClock{}
	s := must.Get(tegra.Open(tegra.DiskFS(root), clock))(t)
	defer s.Close()
	s.Relax(500 * time.Millisecond)
	const zone = "/sys/class/thermal/thermal_zone0/temp"
	for _, c := range []struct {
		name   string
		at     time.Duration
		set    map[string]string
		tempC  float64
		powerW float64
	}{
		{"the first look", 0, nil, 43.531, 7.081},
		{"power is always fresh, a young temperature is not", 100 * time.Millisecond,
			map[string]string{zone: "60000", tegratest.Rails40 + "/curr1_input": "280"}, 43.531, 9.712},
		{"just below the limit", 499 * time.Millisecond, nil, 43.531, 9.712},
		{"an old temperature is read again", 500 * time.Millisecond, nil, 60, 9.712},
		{"which then is young", 900 * time.Millisecond, map[string]string{zone: "70000"}, 60, 9.712},
	} {
		for name, value := range c.set {
			must.NoError(t, os.WriteFile(root+name, []byte(value+"\n"), 0o644))
		}
		clock.now = c.at
		r := must.Get(s.Read())(t)
		if got := r.Temps[0].C; got != c.tempC {
			t.Errorf("%s: got %g °C, want %g", c.name, got, c.tempC)
		}
		if got := r.TotalW; !got.OK || math.Abs(got.V-c.powerW) > 0.001 {
			t.Errorf("%s: got %+v W, want %g", c.name, got, c.powerW)
		}
		r.Temps[0].C = -1 // a reader's own copy
	}
	s.Relax(0)
	if r, err := s.Read(); err != nil || r.Temps[0].C != 70 {
		t.Errorf("no longer relaxed: got %v, %v, want 70 °C", r.Temps, err)
	}
}

// handClock is constant until it is set.
type handClock struct {
	tegra.Clock
	now time.Duration
}

func (c *handClock) Now() time.Duration { return c.now }

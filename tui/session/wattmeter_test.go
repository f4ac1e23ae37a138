package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tui/session/config"
)

// metered opens a board's tree with that configuration.
func metered(t *testing.T, settings string) (*Session, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	must.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
	s, err := Open(Options{Sysroot: tegratest.AGXOrin35(t), Paths: config.Paths{Config: file, DataDir: t.TempDir()}})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

func TestMeterWattsAreReadOfLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]tegra.Val[float64]{
		"12.5": tegra.Some(12.5), "12.5 W": tegra.Some(12.5), "12W\n": tegra.Some(12.0), "power=7.25": tegra.Some(7.25),
		"2026-11-23 12:00:00, 31.5": tegra.Some(31.5), "": {}, "n/a": {}, "-3": {}, "NaN": {}, "1e9": {}, "Inf": {},
	} {
		must.Equal(t, watts(line), want, line)
	}
}

// The command is started once, its newest line counts, and each sample has it.
func TestMeterOfACommandStandsBesideTheRails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := metered(t, `[meter]
command = ["/bin/sh", "-c", "echo x >> `+dir+`/starts; echo hello; echo 41.5 W; exec sleep 600"]`)
	must.NoError(t, err)
	if why := s.AwaitMeter(t.Context()); why != "" {
		t.Fatal(why)
	}
	got := s.MeterW()
	sample, err := s.Sampler.Read()
	if err != nil || got != tegra.Some(41.5) || sample.MeterW != got || sample.Reading.TotalW == got {
		t.Errorf("%v, the sample %v of a module's %v, %v", got, sample.MeterW, sample.Reading.TotalW, err)
	}
	must.Equal(t, string(must.Read(t, dir+"/starts")), "x\n")
	must.NoError(t, s.Close())
}

func TestMeterSaysWhyThereIsNoReading(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		"command = ['/nonexistent/meter']":                          "no such file",
		"command = ['/bin/sh', '-c', 'echo broken >&2; exit 3']":    "has ended (exit status 3): broken",
		"command = ['/bin/sh', '-c', 'echo volts; exec sleep 600']": `"volts" is not a number of watts`,
		"file = '/nonexistent/watts'":                               "no such file",
		"command = ['/bin/sh', '-c', 'exec sleep 600 >/dev/null']":  "no reading yet",
	} {
		s := must.Get(metered(t, "[meter]\n"+config))(t)
		why := ""
		for start := time.Now(); !strings.Contains(why, want) && time.Since(start) < 3*time.Minute; {
			s.MeterW()
			why = s.meter.problem()
		}
		if !strings.HasPrefix(why, "the power meter ([meter]) gives nothing: ") || !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", config, why, want)
		}
	}
	for config, want := range map[string]string{
		"command = []":                "line 2: [meter] command: names no program",
		"command = ['x']\nfile = 'y'": "[meter] file: give command or file, not both",
		"comand = ['x']":              "unknown key meter.comand; the nearest is command",
	} {
		must.Fail(t, must.Err(metered(t, "[meter]\n"+config)), want)
	}
}

func TestMeterOfAFileIsItsNewestReading(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "watts")
	s := must.Get(metered(t, "[meter]\nfile = '"+file+"'"))(t)
	for _, w := range []string{"10.5", "11 W\n"} {
		must.NoError(t, os.WriteFile(file, []byte(w), 0o600))
		if got := s.MeterW(); got != watts(w) || !got.OK {
			t.Errorf("%v, want %s", got, w)
		}
	}
}

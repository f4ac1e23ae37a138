package imports

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// tegrastatsLine is made up in the form of L4T 35's.
func tegrastatsLine(stamp string, mw int) string {
	if stamp != "" {
		stamp += " "
	}
	return stamp + fmt.Sprintf(
		"RAM 519/7607MB (lfb 61x4MB) CPU [20%%@1510,10%%@1510,off,off,off,off] EMC_FREQ 3%%@2133 GR3D_FREQ "+
			"90%%@[624] cpu@48.9C VDD_IN %dmW/5971mW VDD_CPU_GPU_CV 1669mW/1669mW VDD_SOC 2308mW/2308mW\n",
		mw,
	)
}

// logs writes the files of a run and gives its import.
func logs(t *testing.T, power, times string) Log {
	t.Helper()
	dir := t.TempDir()
	l := Log{Power: filepath.Join(dir, "run.log")}
	must.NoError(t, os.WriteFile(l.Power, []byte(power), 0o644))
	if times != "" {
		l.Times = filepath.Join(dir, "epochs.csv")
		must.NoError(t, os.WriteFile(l.Times, []byte(times), 0o644))
	}
	return l
}

// minibatchTimes is n minibatches of 100 ms after a slow first one.
func minibatchTimes(n int) string {
	text := "epoch,time_ms\n0,1500\n"
	for range n {
		text += "0,100\n"
	}
	return text
}

func TestLogPowerLogAndTheTimesBesideItMakeARow(t *testing.T) {
	t.Parallel()
	timed, untimed, jtop := "", "garbage of a shell\n", "time,CPU1,power cur,power avg\n"
	for i := range 12 { // two lines a second
		line := tegrastatsLine(fmt.Sprintf("04-19-2026 01:31:%02d", 10+i/2), 8000+i)
		timed, untimed = timed+line, untimed+tegrastatsLine("", 8000+i)
		jtop += fmt.Sprintf("2024-06-10 01:58:%02d.%d,5,%d,1\n", 26+i/2, 5*(i%2), 8000+i)
	}
	shown := tegra.Mode{Cores: 2, CPU: 1510 * tegra.MHz, GPU: 624 * tegra.MHz, EMC: 2133 * tegra.MHz}
	told := tegra.Mode{Cores: 2, CPU: 1510400 * tegra.KHz, GPU: 624750000, EMC: 2133000000}
	for _, c := range []struct {
		name   string
		log    Log
		mode   tegra.Mode
		notes  int
		timeMS float64
		powerW float64 // median of the samples within the last 40 minibatches
	}{
		{"tegrastats with times", logs(t, timed, minibatchTimes(40)), shown, 1, 100, 8.0075},
		{"tegrastats without", logs(t, untimed, minibatchTimes(40)), shown, 3, 100, 8.0095},
		{"jtop", logs(t, jtop, minibatchTimes(40)), told, 0, 100, 8.0075},
		{"an epoch per row", logs(t, jtop, "epoch,epochtime_ms\n0,2000\n1,2000\n2,1000\n"), told, 0, 100, 8.0085},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.mode == told {
				c.log.Mode = tegra.Some(told)
			}
			if c.name == "an epoch per row" {
				c.log.PerEpoch = 20
			}
			out := filepath.Join(t.TempDir(), "c")
			notes, err := c.log.Import(out)
			if err != nil || len(notes) != c.notes {
				t.Fatalf("%v, notes %q", err, notes)
			}
			_, rows, err := record.Read(out)
			if err != nil || len(rows) != 1 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			r := rows[0]
			if c.name == "an epoch per row" {
				if r.Minibatches != 40 || math.Abs(r.TimeMS-75) > 1e-9 { // epochs 1 and 2: 20 of 100 ms and 20 of 50 ms
					t.Errorf("%d minibatches of %v ms", r.Minibatches, r.TimeMS)
				}
				return
			}
			if r.Mode != c.mode || r.TimeMS != c.timeMS || r.Minibatches != 40 || math.Abs(r.PowerW-c.powerW) > 0.0011 {
				t.Errorf("%s: %d of %v ms, %v W; want %s, 40 of %v, %v", r.Mode, r.Minibatches, r.TimeMS, r.PowerW,
					c.mode, c.timeMS, c.powerW)
			}
		})
	}
}

func TestLogPowerLogAloneIsRefusedWithWhatItTells(t *testing.T) {
	t.Parallel()
	l := logs(t, tegrastatsLine("", 8000)+tegrastatsLine("", 9000)+tegrastatsLine("", 8500), "")
	if !IsPowerLog(l.Power) {
		t.Error("not taken for a power log")
	}
	out := filepath.Join(t.TempDir(), "c")
	notes, err := l.Import(out)
	if err == nil || len(notes) > 0 || !strings.Contains(err.Error(), "8.50 W") ||
		!strings.Contains(err.Error(), "“minibatch times”") {
		t.Errorf("%v, notes %q", err, notes)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder was made all the same")
	}
}

func TestLogBadOnesAreClearErrors(t *testing.T) {
	t.Parallel()
	jumps := tegrastatsLine("", 8000) + strings.ReplaceAll(tegrastatsLine("", 8000), "@[624]", "@[306]")
	for _, c := range []struct{ name, power, times, want string }{
		{"a text", "hello\nworld\n", "", `it begins "hello"`},
		{"an empty file", "", "", "neither of tegrastats nor"},
		{"no rails", "RAM 519/7607MB (lfb 61x4MB) CPU [20%@1510,10%@1510]\n", "", "none of 1 records has the power"},
		{"clocks that change", jumps, "", "GPU clock is missing or not constant: give the mode with “mode”"},
		{"a jtop log, which shows no clocks", "time,power cur,log_time\nx,1,1\n", "", "“mode”"},
		{"a jtop log with a bad date", "time,power cur\n2024-06-10 01:58:26,1\nyesterday,2\n", "", `time "yesterday"`},
		{"time that goes back", "power cur,log_time\n1,5\n1,4\n", "", "out of order"},
		{"times without a column", tegrastatsLine("", 8000), "a,b\n1,2\n", `no column "epoch"`},
		{"a row per epoch of unknown size", tegrastatsLine("", 8000), "epoch,time_ms\n0,100\n1,100\n",
			"“minibatches per epoch”"},
		{"power of another time", tegrastatsLine("", 8000), "epoch,time_ms\n0,1000\n0,1000\n0,1000\n0,1000\n",
			"no power sample"},
	} {
		l := logs(t, c.power, c.times)
		if _, err := l.Import(filepath.Join(t.TempDir(), "c")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// The jtop log of a published run, read on its own, gives what its folder does.
func TestLogJtopLogAndItsEpochFileGiveWhatTheFolderOfTheRunDoes(t *testing.T) {
	t.Parallel()
	folder := sweeptest.Shared(t, "data/sweeps/jetson-raw-log-samples/agx-orin_pm_2_1344000_114750000_3199000000")
	whole, alone := filepath.Join(t.TempDir(), "c"), filepath.Join(t.TempDir(), "c")
	_, err := Runs(folder, whole, 0, true)
	must.NoError(t, err)
	mode, err := ModeOfName("2,1344000,114750000,3199000000")
	must.NoError(t, err)
	l := Log{Power: filepath.Join(folder, "mn_nw4_pf2_tegrastats.csv"),
		Times: filepath.Join(folder, "mn_nw4_pf2_epoch_stats.csv"), Mode: tegra.Some(mode)}
	_, err = l.Import(alone)
	must.NoError(t, err)
	_, a, errA := record.Read(whole)
	_, b, errB := record.Read(alone)
	if errA != nil || errB != nil || len(a) != 1 || len(b) != 1 || a[0].Measured != b[0].Measured ||
		a[0].PowerSamples != b[0].PowerSamples {
		t.Errorf("%v %v\n%+v\n%+v", errA, errB, a, b)
	}
}

func FuzzParsePower(f *testing.F) {
	f.Add([]byte(tegrastatsLine("04-19-2026 01:31:10", 8000) + tegrastatsLine("04-19-2026 01:31:11", 9000)))
	f.Add([]byte("time,power cur\n2024-06-10 01:58:26.5,8000\n2024-06-10 01:58:27.5,8100\n"))
	f.Add([]byte("Power TOT,log_time\n1,1e308\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		log, err := parsePower(text, 0)
		if err != nil {
			return
		}
		for i, s := range log.samples {
			if math.IsNaN(s.w) || math.IsInf(s.w, 0) || i > 0 && s.t < log.samples[i-1].t {
				t.Fatalf("sample %d: %+v", i, s)
			}
		}
		log.mode()
	})
}

func FuzzEpochRows(f *testing.F) {
	f.Add([]byte(minibatchTimes(3)))
	f.Add([]byte("epoch,epochtime_ms,log_time\n0,100,1\n1,100,2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		rows, err := epochRows(text)
		if err != nil {
			return
		}
		run := &rawRun{logs: map[string][]byte{"epoch": text}, batches: 3, power: []powerSample{{0, 1}, {1, 1}}}
		if events, err := run.minibatches(1); err == nil && len(events) < len(rows) {
			t.Fatalf("%d minibatches of %d rows", len(events), len(rows))
		}
	})
}

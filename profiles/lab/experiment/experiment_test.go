package experiment

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/profiles"
	"jtune/profiles/harness/torch"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

var update = flag.Bool("update", false, "renew the golden report")

var some = tegra.Some[float64]

func space(t *testing.T, cores int, cpu, gpu, emc []tegra.Freq) *tegra.Space {
	t.Helper()
	var counts []int
	for n := range cores {
		counts = append(counts, n+1)
	}
	return must.Get(tegra.NewSpace(counts, cpu, gpu, emc))(t)
}

// xavier has the clocks of an AGX Xavier that its labelled modes are made of
// (the 2022 study).
func xavier(t *testing.T) *tegra.Space {
	return space(t, 8, []tegra.Freq{1036800 * tegra.KHz, 1190400 * tegra.KHz, 2112000 * tegra.KHz, 2265600 * tegra.KHz},
		[]tegra.Freq{420750 * tegra.KHz, 675750 * tegra.KHz, 905250 * tegra.KHz, 1377 * tegra.MHz},
		[]tegra.Freq{1065600 * tegra.KHz, 1331200 * tegra.KHz, 1600 * tegra.MHz, 2133 * tegra.MHz})
}

func orin(t *testing.T) *tegra.Space {
	return space(t, 12, []tegra.Freq{729600 * tegra.KHz, 1190400 * tegra.KHz, 2201600 * tegra.KHz},
		[]tegra.Freq{420750 * tegra.KHz, 828750 * tegra.KHz, 1300500 * tegra.KHz},
		[]tegra.Freq{204 * tegra.MHz, 2133 * tegra.MHz, 3199 * tegra.MHz})
}

func find(t *testing.T, name string) Experiment {
	t.Helper()
	return must.Get(Find(name))(t)
}

func named(p Plan) (out []string) {
	for _, s := range p.Settings {
		out = append(out, s.Name)
	}
	return out
}

func TestExperimentEachLaysOutItsSettings(t *testing.T) {
	t.Parallel()
	w := workload.Workload{Name: "w", Batch: 16, Workers: 4, Samples: 160,
		Torch: torch.Job{Net: "lenet5", Set: "mnist"}}
	for name, want := range map[string]string{
		"workers":     "workers 0|workers 1|workers 2|workers 4|workers 8",
		"cache":       "cold at the start|dropped each epoch|preloaded",
		"storage":     "ssd: cold, workers 0|ssd: warm, workers 4|sd: cold, workers 0|sd: warm, workers 4",
		"batch":       "batch 1|batch 2|batch 4|batch 8|batch 16|batch 32|batch 64|batch 128",
		"dvfs":        "DVFS off|DVFS on",
		"baseload":    "(i) DVFS off, log 1 s|DVFS off, log 10 s|DVFS on, log 10 s",
		"variability": "unchanged",
		"polling":     "read every 1s|read every 100ms|read every 10ms|read every 1ms",
		"modes": "a 6c/1.19C/0.83G/2.13M|b 12c/1.19C/0.83G/2.13M|e 12c/2.20C/0.83G/2.13M|f " +
			"3c/2.20C/0.83G/2.13M|g 12c/2.20C/1.30G/3.20M|h 12c/2.20C/1.30G/2.13M|k 6c/1.19C/0.42G/3.20M|l " +
			"12c/1.19C/0.42G/3.20M|m 12c/2.20C/0.42G/3.20M|n 12c/2.20C/0.83G/3.20M",
	} {
		s := orin(t)
		p := find(t, name).Plan(Request{Workload: w, Space: s, Mode: s.Max(), Simulated: true,
			Media: []string{"ssd", "sd"}})
		if got := strings.Join(named(p), "|"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
		for _, set := range p.Settings {
			if !s.Contains(set.Mode) {
				t.Errorf("%s: %s runs in mode %s, which is none here", name, set.Name, set.Mode)
			}
		}
	}
	if len(All()) != 9 {
		t.Errorf("%d experiments, 9 are tried above", len(All()))
	}
}

// On the board they were named for, the labels are the modes of the paper.
func TestExperimentLabelledModesOfAnAGXXavierAreItsOwn(t *testing.T) {
	t.Parallel()
	s := xavier(t)
	p := find(t, "modes").Plan(Request{Workload: workload.Workload{Name: "w"}, Space: s, Mode: s.Max()})
	if len(p.Settings) != 14 || len(p.Skipped) != 0 {
		t.Fatalf("%d modes, skipped %v; want the 14", len(p.Settings), p.Skipped)
	}
	if got, want := p.Settings[0].Mode, (tegra.Mode{Cores: 4, CPU: 1190400 * tegra.KHz, GPU: 675750 * tegra.KHz,
		EMC: 1331200 * tegra.KHz}); got != want {
		t.Errorf("mode a is %s, want %s", got, want)
	}
	for _, n := range neighbours {
		var pair [2]tegra.Mode
		for _, set := range p.Settings {
			if i := strings.Index(n, set.Name[:1]); i >= 0 {
				pair[i] = set.Mode
			}
		}
		if knobOf(pair[0], pair[1]) == "" {
			t.Errorf("%s do not differ in one knob: %s, %s", n, pair[0], pair[1])
		}
	}
}

func TestExperimentWhatCannotBeDoneIsSkippedWithItsReason(t *testing.T) {
	t.Parallel()
	own := workload.Workload{Name: "own", Batch: 16, Command: []string{"train"}}
	made := workload.Workload{Name: "w", Batch: 16,
		Torch: torch.Job{Net: "lenet5", Set: "mnist", Data: torch.Synthetic}}
	real := made
	real.Torch.Data = t.TempDir()
	s := orin(t)
	for _, c := range []struct {
		what, name string
		r          Request
		settings   int
		why        string
	}{
		{"a command of the user's own", "cache", Request{Workload: own}, 0, "takes root"},
		{"made-up data", "cache", Request{Workload: made}, 0, "synthetic data are not in a file"},
		{"one medium", "storage", Request{Workload: real}, 2, "“data folders” … for each medium"},
		{"no data at all", "storage", Request{Workload: made}, 0, "none is named"},
		{"two media", "storage",
			Request{Workload: real, Data: []Medium{{real.Torch.Data, "ssd"}, {t.TempDir(), "sd"}}}, 4, ""},
		{"a replay", "workers", Request{Workload: own, Replayed: true}, 0, "a replay answers by power mode alone"},
		{"simulated drives", "storage", Request{Workload: real, Simulated: true, Media: []string{"ssd", "sd"}}, 4, ""},
	} {
		c.r.Space, c.r.Mode = s, s.Max()
		p := find(t, c.name).Plan(c.r)
		why := ""
		for _, k := range p.Skipped {
			why += k.Why + "\n"
		}
		if len(p.Settings) != c.settings || c.why == "" && why != "" || !strings.Contains(why, c.why) {
			t.Errorf("%s: %d settings, skipped because %q; want %d, %q", c.what, len(p.Settings), why, c.settings,
				c.why)
		}
	}
	// The report claims nothing that the experiment did not control.
	p := find(t, "workers").Plan(Request{Workload: own, Space: s, Mode: s.Max()})
	if p.Settings[0].Workload.Torch.Cache != "" || p.Settings[0].Workload.Workers != 0 ||
		p.Settings[4].Workload.Workers != 8 {
		t.Errorf("own command: %+v", p.Settings[0].Workload)
	}
}

// ran makes a row and a run of a setting, with times per minibatch.
func ran(s Setting, repeat int, parts ...record.Part) (record.Row, record.Run) {
	c := record.Character{
		Workers:    s.Workload.Workers,
		Batch:      s.Workload.Batch,
		PerEpoch:   100,
		All:        parts[0],
		Epochs:     parts,
		BaseW:      some(8),
		CacheAfter: some(1),
		GPU: telemetry.Residency{Source: telemetry.KernelCounted,
			Shares: []telemetry.ClockShare{{Freq: 1300500 * tegra.KHz, Share: 1}}},
	}
	if s.Settings.DVFS { // the clocks fall, unless a test says that they stay
		c.GPU.Shares[0].Freq /= 2
	}
	if len(parts) > 1 {
		c.First, c.Later = tegra.Some(parts[0]), tegra.Some(parts[1])
	}
	v := profiles.Variant{Variant: record.Variant{Setting: s.Name, Repeat: repeat}}
	row := record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: s.Mode}}, Status: record.OK,
		Extra: v.Columns(), PowerSamples: 30}
	if s.Settings.SampleEvery == time.Second {
		row.PowerSamples = 300
	}
	return row, record.Run{Mode: s.Mode, Setting: s.Name, Repeat: repeat, Status: record.OK, Character: c}
}

func TestExperimentNamesAVariableOnlyWhereTheCommandDoesNotReadIt(t *testing.T) {
	t.Parallel()
	s := orin(t)
	for _, c := range []struct {
		command string
		skipped int
	}{{"train --workers $JTUNE_WORKERS", 0}, {"train", 1}} {
		w := workload.Workload{Name: "w", Batch: 16, Command: []string{"sh", "-c", c.command}}
		p := find(t, "workers").Plan(Request{Workload: w, Space: s, Mode: s.Max()})
		if len(p.Skipped) != c.skipped {
			t.Errorf("%s: %v", c.command, p.Skipped)
		}
	}
}

// A job that has a reason to load without loader processes is never given any.
func TestExperimentGivesNoLoaderProcessesToAJobThatTheyBreak(t *testing.T) {
	t.Parallel()
	s, list := orin(t), must.Get(workload.Load(""))(t)
	yolo := must.Get(workload.Find(list, "yolov8n"))(t)
	r := Request{Workload: yolo, Simulated: true, Media: []string{"ssd", "sd"}, Space: s, Mode: s.Max()}
	for _, e := range All() {
		for _, set := range e.Plan(r).Settings {
			if set.Workload.Workers > 0 {
				t.Errorf("%s: %s", e.Name, set.Name)
			}
		}
	}
	for name, want := range map[string]int{"workers": 0, "storage": 2} {
		p := find(t, name).Plan(r)
		if len(p.Settings) != want || len(p.Skipped) != 1 || !strings.Contains(p.Skipped[0].Why, "footnote 6") {
			t.Errorf("%s: %d settings, left out %v", name, len(p.Settings), p.Skipped)
		}
	}
	storage := find(t, "storage")
	p := storage.Plan(r)
	var rows []record.Row
	var runs []record.Run
	for i, set := range p.Settings {
		row, run := ran(set, 1, part(38+100*float64(i), 60, 26))
		rows, runs = append(rows, row), append(runs, run)
	}
	said := strings.Join(storage.Report(p, 1, rows, runs).Takeaway, " ")
	if !strings.Contains(said, "2.00 times as long as the fastest when cold without workers.") ||
		strings.Contains(said, "warm") {
		t.Errorf("said %q", said)
	}
}

func TestExperimentPrintsNoPercentageOfNextToNothing(t *testing.T) {
	t.Parallel()
	s := orin(t)
	e := find(t, "workers")
	p := e.Plan(Request{Workload: workload.Workload{Name: "w", Batch: 16, Workers: 4}, Space: s, Mode: s.Max()})
	var rows []record.Row
	var runs []record.Run
	for i, set := range p.Settings {
		row, run := ran(set, 1, part([]float64{0.001, 9, 9, 9, 9}[i], 58, 26))
		rows, runs = append(rows, row), append(runs, run)
	}
	var text strings.Builder
	must.NoError(t, report.Print(&text, nil, e.Report(p, 1, rows, runs).Parts()...))
	if got := text.String(); !strings.Contains(got, "stall 0.001 to 9.00 ms") || strings.Contains(got, "899900 %") {
		t.Errorf("0.001 to 9 ms:\n%s", got)
	}
}

// To preload the data is advised where they do not stay in memory and a run with them there
// is faster, both measured.
func TestExperimentAdvisesToPreloadOnlyWhatPays(t *testing.T) {
	t.Parallel()
	s := orin(t)
	e := find(t, "cache")
	p := e.Plan(Request{Workload: workload.Workload{Name: "w", Batch: 16, Workers: 4}, Space: s, Mode: s.Max(),
		Simulated: true})
	for _, c := range []struct {
		name               string
		cold, cached, kept float64 // stall in ms of the later epochs, and the share in memory
		want               bool
	}{
		{"read in every epoch, faster from memory", 60, 1, 0.4, true},
		{"in memory after the first epoch", 60, 1, 1, false},
		{"read in every epoch, which costs nothing", 1, 1, 0.4, false},
		{"slower from memory", 1, 60, 0.4, false},
	} {
		var rows []record.Row
		var runs []record.Run
		for i, set := range p.Settings {
			row, run := ran(set, 1, part(60, 58, 26), part([]float64{c.cold, c.cold, c.cached}[i], 58, 26))
			run.Character.CacheAfter = some(c.kept)
			rows, runs = append(rows, row), append(runs, run)
		}
		var text strings.Builder
		must.NoError(t, report.Print(&text, nil, e.Report(p, 1, rows, runs).Parts()...))
		if got := text.String(); strings.Contains(got, "Preload the data (cache =") != c.want {
			t.Errorf("%s: want the advice %v:\n%s", c.name, c.want, got)
		}
	}
}

func part(stall, compute, watts float64) record.Part {
	t := stall + compute + 2
	return record.Part{Epochs: 1, Minibatches: 100, Span: time.Duration(t*100) * time.Millisecond, TimeMS: t,
		StallMS: some(stall), ComputeMS: some(compute), OverheadMS: some(2), PowerW: some(watts),
		EnergyJ: some(watts * t / 1000), CPUPct: some(30), GPUPct: some(100 * compute / t),
		ReadBytesPerS: some(stall * 1e6), ReadsPerS: some(stall)}
}

func TestExperimentReportLooksAsItDid(t *testing.T) {
	t.Parallel()
	s := orin(t)
	e := find(t, "workers")
	p := e.Plan(Request{Workload: workload.Workload{Name: "w", Batch: 16, Workers: 4}, Space: s, Mode: s.Max()})
	p.skip("a part", "a reason that is long enough to need more than one line of a terminal that has eighty columns")
	var rows []record.Row
	var runs []record.Run
	for i, set := range p.Settings {
		for k := 1; k <= 2; k++ {
			row, run := ran(set, k, part([]float64{190, 92, 5.6, 0.01, 0}[i]+float64(k), 98, 26+2*float64(i)))
			if i == 4 {
				row.Status, row.Why = record.Failed, "out of memory, did not run (DNR)"
			}
			rows, runs = append(rows, row), append(runs, run)
		}
	}
	r := e.Report(p, 2, rows, runs)
	r.Workload, r.Board = workload.Workload{Name: "w", Batch: 16, Workers: 4}, "AGX Orin"
	r.Virtual = true
	var got bytes.Buffer
	must.NoError(t, report.Print(&got, nil, r.Parts()...))
	golden(t, "workers.txt", got.Bytes())
	got.Reset()
	must.NoError(t, r.CSV(&got))
	golden(t, "workers.csv", got.Bytes())
	table, err := csv.NewReader(bytes.NewReader(got.Bytes())).ReadAll()
	if err != nil || len(table) != 6 || table[5][1] != didNotRun {
		t.Errorf("%d lines of CSV, %v; want a header, four settings and one that did not run", len(table), err)
	}
}

// A setting without a run has its row where it belongs: DNR where it failed, left over where the experiment ended
// before.
func TestExperimentTablesHaveARowForWhatDidNotRun(t *testing.T) {
	t.Parallel()
	s := orin(t)
	e := find(t, "workers")
	p := e.Plan(Request{Workload: workload.Workload{Name: "w", Batch: 16, Workers: 4}, Space: s, Mode: s.Max()})
	var rows []record.Row
	var runs []record.Run
	for i, set := range p.Settings[:3] {
		row, run := ran(set, 1, part(100, 98, 26))
		if i == 1 {
			row.Status, row.Why = record.Failed, "out of memory"
		}
		rows, runs = append(rows, row), append(runs, run)
	}
	r := e.Report(p, 1, rows, runs)
	var got bytes.Buffer
	must.NoError(t, report.Print(&got, nil, r.Parts()...))
	at := 0
	for _, want := range []string{"workers 0  ", "workers 1  DNR", "workers 2  ", "workers 4  not run",
		"workers 8  not run", "failed: workers 1: failed: out of memory"} {
		next := strings.Index(got.String()[at:], want)
		if next < 0 {
			t.Fatalf("%q is missing or in the wrong place:\n%s", want, got.String())
		}
		at += next
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.NoError(t, os.WriteFile(path, got, 0o644))
	}
	if want := must.Read(t, path); !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./profiles/experiment -update renews it):\n%s", name, got)
	}
}

// TestExperimentWordsFollowTheNumbers gives each experiment numbers that say one
// thing, then numbers that say the opposite.
func TestExperimentWordsFollowTheNumbers(t *testing.T) {
	t.Parallel()
	s := orin(t)
	for _, c := range []struct {
		name  string
		run   func(i int, set Setting) []record.Part
		says  []string
		never []string
	}{
		{
			"workers",
			func(int, Setting) []record.Part { return []record.Part{part(0, 98, 40)} },
			[]string{"Loader processes change little"},
			[]string{"is enough"},
		},
		{"workers", func(i int, _ Setting) []record.Part {
			return []record.Part{part([]float64{200, 90, 1, 0, 0}[i], 98, 40)}
		},
			[]string{
				"Workers 2 is enough",
				"From workers 0 to workers 1: time -37 %, stall -55 %",
			}, []string{"change little"}},
		{
			"workers",
			func(i int, _ Setting) []record.Part { return []record.Part{part(200-40*float64(i), 98, 40)} },
			[]string{"Workers 8 is not one too many"},
			[]string{"is enough"},
		},
		{"cache", func(i int, _ Setting) []record.Part {
			return []record.Part{part([]float64{50, 50, 0}[i], 98, 40), part([]float64{0, 50, 0}[i], 98, 40)}
		}, []string{"The page cache is worth 33 %", "Cold at the start: from epoch 0 to the later ones time -33 " +
			"%"}, []string{"makes no difference"}},
		{"cache", func(i int, _ Setting) []record.Part {
			return []record.Part{part(0, 98, 40), part([]float64{0, 0.9, 0}[i], 98, 40)}
		}, []string{"makes no difference beyond noise here"}, []string{"worth"}},
		{"cache", // the data fit nowhere: every run reads the disk
			func(int, Setting) []record.Part { return []record.Part{part(50, 98, 40), part(50, 98, 40)} },
			[]string{"Disk and memory are not compared: the disk's MB/s are the same in both (50.0 MB/s with"},
			[]string{"worth", "makes no difference"}},
		{"cache", func(i int, _ Setting) []record.Part {
			return []record.Part{part(0, 98, 40), part([]float64{50, 0, 0}[i], 98, 40)}
		}, []string{"something else changed"}, []string{"worth"}},
		{"batch", func(i int, _ Setting) []record.Part {
			return []record.Part{part(0, max(98, 6.25*float64(int(1)<<i)), 40)}
		},
			[]string{"From batch 16 on doubling it shortens an epoch by less than 15 %"},
			[]string{"still gets shorter"}},
		{
			"batch",
			func(int, Setting) []record.Part { return []record.Part{part(0, 98, 40)} },
			[]string{"still gets shorter at batch 128"},
			[]string{"less than 15 %"},
		},
		{
			"dvfs",
			func(int, Setting) []record.Part { return []record.Part{part(0, 98, 40)} },
			[]string{"no difference beyond noise (3 %)", "neither saves nor costs"},
			nil,
		},
		{
			"dvfs",
			func(i int, _ Setting) []record.Part { return []record.Part{part(0, 98, 40-15*float64(i))} },
			[]string{"power -38 %, energy -38 %"},
			[]string{"neither saves"},
		},
		{"baseload", func(i int, _ Setting) []record.Part {
			return []record.Part{part(0, 998, []float64{8, 7.5, 5}[i])}
		},
			[]string{"draws 8.00 W", "Logging every second in place of every ten: +0.50 W", "Clocks that may " +
				"fall: -2.50 W (-33 %)"}, nil},
		{
			"baseload",
			func(int, Setting) []record.Part { return []record.Part{part(0, 998, 8)} },
			[]string{"Clocks that may fall: no difference"},
			nil,
		},
		{"variability", func(int, Setting) []record.Part {
			return []record.Part{part(0, 98, 40), part(0, 98, 40), part(0, 103, 30)}
		},
			[]string{"between 100 and 105 ms, 4.9 % of the median; quartiles 101, 102, 104; from the " +
				"first of them to the last +5 %"}, nil},
		{"variability", func(int, Setting) []record.Part {
			return []record.Part{part(0, 98, 40), part(0, 98, 40), part(0, 98, 30)}
		},
			[]string{"In epoch 2 the power reads -25 % while the time stays: doubt the sensor"}, nil},
		{"variability", func(int, Setting) []record.Part { // it falls within an epoch
			return []record.Part{part(0, 98, 40), part(0, 98, 40), part(0, 98, 37), part(0, 98, 34), part(0, 98, 34)}
		},
			[]string{"In epoch 3 the power reads -15 % while the time stays: doubt the sensor"},
			[]string{"In epoch 2", "In epoch 4"}},
		{"modes", func(i int, _ Setting) []record.Part {
			return []record.Part{part(0, 100-5*float64(i), 20+5*float64(i))}
		},
			[]string{
				"m to n, GPU 420.75 MHz to 828.75 MHz: ",
				"d to e, CPU 1.19 GHz to 2.20 GHz",
				"Fastest is n ",
			}, nil},
		{"storage", func(int, Setting) []record.Part { return []record.Part{part(190, 98, 40), part(0, 98, 40)} },
			[]string{"ssd: cold and without workers a minibatch takes 290 ms, warm and with four 100 " +
				"ms (-66 %)"}, []string{"slowest medium"}},
	} {
		e := find(t, c.name)
		p := e.Plan(
			Request{Workload: workload.Workload{Name: "w", Batch: 16}, Space: s, Mode: s.Max(), Simulated: true,
				Media: []string{"ssd"}},
		)
		var rows []record.Row
		var runs []record.Run
		for i, set := range p.Settings {
			parts := c.run(i, set)
			for k := range parts {
				parts[k].Epoch = k
			}
			row, run := ran(set, 1, parts...)
			rows, runs = append(rows, row), append(runs, run)
		}
		got := strings.Join(e.Report(p, 1, rows, runs).Takeaway, "\n")
		told(t, c.name, got, c.says, c.never)
	}
}

// told checks the words of a take-away.
func told(t *testing.T, name, got string, says, never []string) {
	t.Helper()
	for _, want := range says {
		if !strings.Contains(got, want) {
			t.Errorf("%s: lacks %q:\n%s", name, want, got)
		}
	}
	for _, bad := range never {
		if strings.Contains(got, bad) {
			t.Errorf("%s: says %q:\n%s", name, bad, got)
		}
	}
}

func TestExperimentStorageComparesMedia(t *testing.T) {
	t.Parallel()
	s := orin(t)
	w := workload.Workload{Name: "w", Batch: 16, Torch: torch.Job{Net: "lenet5", Set: "mnist"}}
	e := find(t, "storage")
	p := e.Plan(
		Request{Workload: w, Space: s, Mode: s.Max(), Data: []Medium{{t.TempDir(), "ssd"}, {t.TempDir(), "sd"}}})
	var rows []record.Row
	var runs []record.Run
	for i, set := range p.Settings {
		parts := [][]record.Part{
			{part(100, 98, 40)},
			{part(1, 98, 40), part(1, 98, 40)},
			{part(200, 98, 40)},
			{part(2, 98, 40), part(1, 98, 40)},
		}[i]
		row, run := ran(set, 1, parts...)
		rows, runs = append(rows, row), append(runs, run)
	}
	got := strings.Join(e.Report(p, 1, rows, runs).Takeaway, "\n")
	for _, want := range []string{"ssd: cold", "The slowest medium takes 1.50 times as long as the fastest when " +
		"cold without workers, 1.00 times when warm with four: a faster medium helps only"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

// An experiment of which nothing came back makes nothing up.
func TestExperimentEmptyReportSaysSo(t *testing.T) {
	t.Parallel()
	s := orin(t)
	for _, e := range All() {
		p := e.Plan(
			Request{Workload: workload.Workload{Name: "w", Batch: 16}, Space: s, Mode: s.Max(), Simulated: true,
				Media: []string{"ssd"}},
		)
		r := e.Report(p, 1, nil, nil)
		var text bytes.Buffer
		must.NoError(t, report.Print(&text, nil, r.Parts()...))
		if len(r.Takeaway) > 0 || !strings.Contains(text.String(), "nothing was run") {
			t.Errorf("%s: %s", e.Name, text.String())
		}
	}
}

func TestExperimentPlansMediaUnitsAndLabelsOfAVirtualBoard(t *testing.T) {
	t.Parallel()
	s := orin(t)
	r := Request{Workload: workload.Workload{Name: "w", Batch: 16}, Space: s, Mode: s.Max(), Simulated: true,
		Media: []string{"ssd", "hdd"}, Units: 3, Labels: "ag"}
	for _, set := range find(t, "storage").Plan(r).Settings {
		if !strings.HasPrefix(set.Name, set.Medium+": ") {
			t.Errorf("setting %q runs on %q", set.Name, set.Medium)
		}
	}
	for i, set := range find(t, "variability").Plan(r).Settings {
		if set.Unit != tegra.Some(i) {
			t.Errorf("setting %q has unit %v, want %d", set.Name, set.Unit, i)
		}
	}
	want := "a 6c/1.19C/0.83G/2.13M|g 12c/2.20C/1.30G/3.20M"
	if got := strings.Join(named(find(t, "modes").Plan(r)), "|"); got != want {
		t.Errorf("modes of labels ag: %s", got)
	}
}

// The report has a meter's readings as given, and omits only the states without a reading.
func TestExperimentBaseloadTakesReadingsOfAMeter(t *testing.T) {
	t.Parallel()
	e := find(t, "baseload")
	p := e.Plan(Request{Space: orin(t), Meter: []Metered{{"i", 9}, {"ii", 8}, {"iv", 3.5}}})
	if len(p.Skipped) != 1 || !strings.HasPrefix(p.Skipped[0].What, "(iii)") {
		t.Errorf("left out are %v, want state iii alone", p.Skipped)
	}
	said := strings.Join(e.Report(p, 1, nil, nil).sayMetered(), "\n")
	for _, want := range []string{"(iv) suspended: 3.50 W by the meter", "Logging by the meter: +1.00 W"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, said)
		}
	}
}

// Epochs of each unit by themselves, then the units against each other.
func TestExperimentVariabilityGivesQuartilesOfEachUnit(t *testing.T) {
	t.Parallel()
	r := Report{}
	for unit, base := range []float64{100, 110} {
		for epoch := range 5 {
			key := lineKey{fmt.Sprintf("unit %d", unit), fmt.Sprintf("epoch %d", epoch)}
			v := base + float64(epoch)
			r.Lines = append(r.Lines, Line{lineKey: key, Runs: 1, Stats: map[string]Stat{"time_ms": {v, v, v}}})
		}
	}
	said := strings.Join(sayVariability(&r), "\n")
	for _, want := range []string{"Unit 0: over 4 epochs", "between 101 and 104 ms", "quartiles 102, 102, 103",
		"Over 2 units the median time of a minibatch lies between 102 and 112 ms, 9.8 % apart"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, said)
		}
	}
}

func TestExperimentDVFSTellsTheShareOfTimeAtEachClock(t *testing.T) {
	t.Parallel()
	kernel := func(shares ...telemetry.ClockShare) telemetry.Residency {
		return telemetry.Residency{Shares: shares, Source: telemetry.KernelCounted}
	}
	r := Report{Lines: []Line{{lineKey: lineKey{Setting: dvfsOff}, Stats: map[string]Stat{"time_ms": {9, 9, 9}}},
		{lineKey: lineKey{Setting: dvfsOn}, Stats: map[string]Stat{"time_ms": {9, 9, 9}}, clocks: clocks{
			cpu: kernel(telemetry.ClockShare{Freq: 2000 * tegra.MHz, Share: 0.4},
				telemetry.ClockShare{Freq: 1000 * tegra.MHz, Share: 0.6}),
			gpu: kernel(telemetry.ClockShare{Freq: 300 * tegra.MHz, Share: 1})}}}}
	want := "CPU 2.00 GHz 40 %, 1.00 GHz 60 % (by the kernel); GPU 300 MHz 100 % (by the kernel); memory –"
	if said := strings.Join(sayDVFS(&r), "\n"); !strings.Contains(said, want) {
		t.Errorf("the report does not say %q:\n%s", want, said)
	}
}

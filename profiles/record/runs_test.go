package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry"
)

var some = tegra.Some[float64]

func aCharacter() Character {
	part := func(epoch, epochs int, ms float64) Part {
		return Part{Epoch: epoch, Epochs: epochs, Minibatches: 40, Span: 1500 * time.Millisecond, TimeMS: ms,
			StallMS: some(1.5), ComputeMS: some(30), OverheadMS: some(2), PowerW: some(31.25), EnergyJ: some(1.2),
			CPUPct: some(40), GPUPct: some(97), RAMBytes: some(4e9), ReadsPerS: some(0), ReadBytesPerS: some(12)}
	}
	all := part(0, 3, 40)
	all.CPUMedianPct, all.GPUMedianPct, all.RAMMedianBytes, all.MeterW = some(41), some(98), some(5e9), some(33)
	return Character{
		Workers:     4,
		Batch:       16,
		PerEpoch:    40,
		All:         all,
		First:       tegra.Some(part(0, 1, 50)),
		Later:       tegra.Some(part(1, 2, 35)),
		Epochs:      []Part{part(0, 1, 50), part(1, 1, 34), part(2, 1, 36)},
		BaseW:       some(7.5),
		CacheBefore: some(0),
		CacheAfter:  some(1),
		CacheReady:  some(0.5),
		Disk:        "nvme0n1",
		CPU: telemetry.Residency{
			Source: telemetry.KernelCounted,
			Shares: []telemetry.ClockShare{
				{Freq: 2201600 * tegra.KHz, Share: 0.75},
				{Freq: 729600 * tegra.KHz, Share: 0.25},
			},
		},
		Uptime:   tegra.Some(90 * time.Second),
		Versions: []string{"L4T 35.1", "torch 2.0 on cuda"},
		Latency:  tegra.Some(Latency{P50: 11.5, P95: 14, P99: 20.25, N: 40}),
		Drop:     tegra.Some(telemetry.PowerDrop{At: 16 * time.Hour, FromW: 31, ToW: 18.5}),
	}
}

func TestReadRunsComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	m := tegra.Mode{Cores: 4, CPU: 729600 * tegra.KHz, GPU: 114750 * tegra.KHz, EMC: 204 * tegra.MHz}
	bare := Character{All: Part{Minibatches: 3, TimeMS: 20}, CacheWhy: "the job does not tell, \"why\""}
	bare.Epochs = []Part{bare.All}
	want := []Run{
		{Mode: m, Setting: "workers 2, \"x\"", Repeat: 2, Status: OK, Character: aCharacter()},
		{Mode: m, Status: Unstable, Why: "power was not steady", Character: bare},
	}
	text := csvlines.Line(runColumns)
	if strings.Contains(text, " ") {
		t.Error("a column's name has a space")
	}
	for _, r := range want {
		for _, line := range r.printed() {
			if len(line) != len(runColumns) {
				t.Fatalf("%d fields for %d columns", len(line), len(runColumns))
			}
			text += csvlines.Line(line)
		}
	}
	got, notes := parseRuns([]byte(text))
	if diff := cmp.Diff(want, got); diff != "" || len(notes) > 0 {
		t.Errorf("notes %q, difference\n%s", notes, diff)
	}
	// A run that was cut off after any of its lines, and made again.
	lines := want[0].printed()
	for n := range lines {
		text := csvlines.Line(runColumns)
		for _, line := range slices.Concat(lines[:n], lines) {
			text += csvlines.Line(line)
		}
		if got, _ := parseRuns([]byte(text)); !cmp.Equal(got, want[:1]) {
			t.Errorf("cut off after %d lines and made again: %s", n, cmp.Diff(want[:1], got))
		}
	}
	// Cut anywhere, what is whole still reads and nothing is made up.
	for n := range text {
		got, _ := parseRuns([]byte(text[:n]))
		if len(got) > len(want) || len(got) > 0 && got[0].Character.All != want[0].Character.All {
			t.Fatalf("cut at byte %d: %+v", n, got)
		}
	}
}

// A folder of before the columns of latency and power drop still reads.
func TestReadRunsOfAnOlderJtuneComeBackWithoutWhatItDidNotTell(t *testing.T) {
	t.Parallel()
	whole := Run{Mode: tegra.Mode{Cores: 4, CPU: 729600 * tegra.KHz, GPU: 114750 * tegra.KHz, EMC: 204 * tegra.MHz},
		Status: OK, Character: aCharacter()}
	older := slices.Index(runColumns, "latency_p50_ms")
	text := csvlines.Line(runColumns[:older])
	for _, line := range whole.printed() {
		text += csvlines.Line(line[:older])
	}
	want := whole
	want.Character.Latency, want.Character.Drop = tegra.Val[Latency]{}, tegra.Val[telemetry.PowerDrop]{}
	none, all := tegra.Val[float64]{}, &want.Character.All
	want.Character.CacheReady = none
	all.CPUMedianPct, all.GPUMedianPct, all.RAMMedianBytes, all.MeterW = none, none, none, none
	if got, notes := parseRuns([]byte(text)); !cmp.Equal(got, []Run{want}) || len(notes) > 0 {
		t.Errorf("notes %q, difference\n%s", notes, cmp.Diff([]Run{want}, got))
	}

	// Its campaign goes on, in its own columns.
	dir, head := t.TempDir(), testHeader(t)
	rec, err := Create(dir, head)
	must.NoError(t, errors.Join(err, rec.Close(), os.WriteFile(filepath.Join(dir, runsName), []byte(text), 0o644)))
	rec = must.Get(OpenOrCreate(dir, head, true))(t)
	row := exampleRows()[0]
	row.Mode, row.Status, row.Character = whole.Mode, OK, &whole.Character
	must.NoError(t, errors.Join(rec.Append(row), rec.Append(row), rec.Close()))
	if got, notes, err := ReadRuns(dir); err != nil || len(notes) > 0 || !cmp.Equal(got, []Run{want, want}) {
		t.Errorf("resumed: notes %q, %v, difference\n%s", notes, err, cmp.Diff([]Run{want, want}, got))
	}
}

// jtune may be killed after it wrote what a run was like and before it wrote its row.
func TestRunWithoutItsRowIsNone(t *testing.T) {
	t.Parallel()
	dir, head, like := t.TempDir(), testHeader(t), aCharacter()
	rec, err := Create(dir, head)
	rows := exampleRows()[:2]
	for i := range rows {
		rows[i].Status, rows[i].Character = OK, &like
		err = errors.Join(err, rec.Append(rows[i]))
	}
	text, readErr := os.ReadFile(filepath.Join(dir, modesName))
	killed := text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1]
	must.NoError(t, errors.Join(err, readErr, rec.Close(), os.WriteFile(filepath.Join(dir, modesName), killed, 0o644)))
	if runs, _, err := ReadRuns(dir); err != nil || len(runs) != 1 || runs[0].Mode != rows[0].Mode {
		t.Errorf("%d runs, %v; want that of the first row alone", len(runs), err)
	}
	rec = must.Get(OpenOrCreate(dir, head, true))(t)
	must.NoError(t, errors.Join(rec.Append(rows[1]), rec.Close()))
	whole, err := os.ReadFile(filepath.Join(dir, runsName))
	if runs, notes := parseRuns(whole); err != nil || len(runs) != 2 || len(notes) != 0 {
		t.Errorf("resumed: %d runs in the file, notes %q, %v; want one for each row", len(runs), notes, err)
	}
}

func TestReadRunsStrangeOnesAreLeftOut(t *testing.T) {
	t.Parallel()
	good := (Run{Status: OK, Character: aCharacter()}).printed()
	line := func(column, value string) string {
		l := append([]string(nil), good[len(good)-1]...)
		for i, name := range runColumns {
			if name == column {
				l[i] = value
			}
		}
		return csvlines.Line(runColumns) + csvlines.Line(l)
	}
	for column, value := range map[string]string{"status": "great", "part": "half", "time_ms": "-1",
		"power_w": "NaN", "epochs": "x", "cpu_residency": "kernel 5:2",
		"gpu_residency": "kernel x", "uptime_s": "-3", "latency_p95_ms": "", "power_drop_s": "soon",
		"base_w": "Inf", "cores": "1e9"} {
		if runs, notes := parseRuns([]byte(line(column, value))); len(runs) != 0 || len(notes) != 1 {
			t.Errorf("%s = %s: %d runs, notes %q; want none and a note", column, value, len(runs), notes)
		}
	}
	for _, text := range []string{"", "\n\n\n", "a,b\nc,d\n", "\x00\n\"\n"} {
		if runs, _ := parseRuns([]byte(text)); len(runs) != 0 {
			t.Errorf("%q: %+v", text, runs)
		}
	}
}

func FuzzRuns(f *testing.F) {
	text := csvlines.Line(runColumns)
	for _, line := range (Run{Status: OK, Character: aCharacter()}).printed() {
		text += csvlines.Line(line)
	}
	f.Add([]byte(text))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		runs, _ := parseRuns(text)
		for _, r := range runs {
			written := csvlines.Line(runColumns)
			for _, line := range r.printed() {
				written += csvlines.Line(line)
			}
			again, notes := parseRuns([]byte(written))
			if len(again) != 1 || len(notes) > 0 {
				t.Fatalf("%d runs and notes %q of\n%s", len(again), notes, written)
			}
			if d := cmp.Diff(r.printed(), again[0].printed()); d != "" {
				t.Errorf("a run that was read and written is another (-was +is):\n%s", d)
			}
		}
	})
}

// A campaign keeps what each of its modes was like.

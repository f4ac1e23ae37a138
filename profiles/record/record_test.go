package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/harness"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/telemetry"
)

// long runs every case of what else is sampled.
var long = os.Getenv("JTUNE_LONG") != ""

// exampleRows are rows of every kind.
func exampleRows() []Row {
	mode := func(i int) tegra.Mode {
		return tegra.Mode{Cores: 2 * (i + 1), CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199000000}
	}
	when := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	return []Row{
		{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode(0)}, TimeMS: 71.26351, PowerW: 21.5}, Status: OK,
			Applied: mode(0), TimeMedianMS: tegra.Some(71.25), Minibatches: 40, PowerSamples: 4, TimeIQRMS: 0.125,
			PowerIQRW: 0.25, StallMS: tegra.Some(1.5), ComputeMS: tegra.Some(60.0), OverheadMS: tegra.Some(9.7),
			EnergyJ: 1.53216, SettleS: 3, TookS: 6.5, Raise: true, When: when},
		{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode(1)}, TimeMS: 0.1 + 0.2, PowerW: 0.1 + 1e-16},
			Status: Unstable, Why: "power was not steady, within \"30s\"", When: when},
		{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode(2)}}, Status: Failed,
			Why: "harness died: exit status 1: x, y", When: when},
		{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode(3)}, PowerW: 31.25}, Status: Over,
			Applied: mode(3), When: when},
	}
}

func TestReadRefusesMoreRowsThanAnyBoardHas(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := must.Get(Create(dir, testHeader(t)))(t)
	must.NoError(t, r.Close())
	f, err := os.OpenFile(filepath.Join(dir, modesName), os.O_APPEND|os.O_WRONLY, 0)
	must.NoError(t, err)
	_, err = f.WriteString(strings.Repeat("\n", mostRows+1))
	must.NoError(t, errors.Join(err, f.Close()))
	if _, _, err := Read(dir); !errors.Is(err, errRows) || !strings.Contains(err.Error(), "more than 100,000 rows") {
		t.Errorf("Read: %v, want %v", err, errRows)
	}
	if _, err := OpenOrCreate(dir, testHeader(t), true); !errors.Is(err, errRows) {
		t.Errorf("resumed: %v, want %v", err, errRows)
	}
}

// goodSample is one of 20.5 W.
func goodSample(t time.Duration) telemetry.Sample {
	return telemetry.Sample{T: t, Valid: true, Reading: tegra.Reading{TotalW: tegra.Some(20.5)}}
}

func TestRecordRowsSurviveTheRecord(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "campaign")
	r := must.Get(Create(dir, testHeader(t)))(t)
	want := exampleRows()
	for _, row := range want {
		must.NoError(t, r.Append(row))
	}
	rails := []tegra.RailReading{
		{Name: "VIN_SYS_5V0", Volts: tegra.Some(4.96), Amperes: tegra.Some(0.82)}, // in another order
		{Name: "VDD_GPU_SOC", Amperes: tegra.Some(0.14)},                          // whose voltage failed
	}
	e := harness.Event{T: 1500 * time.Millisecond, Epoch: 1, Batch: 3, TimeMS: 60.5, ComputeMS: tegra.Some(50.0)}
	must.NoError(t, errors.Join(
		r.Minibatch(tegra.Setting{Mode: want[0].Mode}, e, ""),
		r.Sample(tegra.Setting{Mode: want[0].Mode}, telemetry.Sample{T: time.Second, Why: "total,\npower",
			Reading: tegra.Reading{Rails: rails}}),
		r.Close(),
	))
	again := must.Get(open(dir))(t)
	defer again.Close()
	if got := again.Rows(); fmt.Sprint(got) != fmt.Sprint(want) || len(again.Notes()) != 0 {
		t.Errorf("got %v %v\nwant %v", got, again.Notes(), want)
	}
	for name, want := range map[string]string{
		"minibatches.csv": "1.500,2,1651200,624750000,3199000000,1,3,60.5,,,50,,true,,true",
		"samples.csv":     `1.000,2,1651200,624750000,3199000000,,false,"total, power",,,0.14,,,4.96,0.82,,,true`,
	} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil ||
			!strings.HasSuffix(string(text), "\n"+want+"\n") {
			t.Errorf("%s: %v\n%s\nwant its last line %s", name, err, text, want)
		}
	}
}

// A folder of before the column "virtual" opens, and goes on in its own columns.
func TestRecordOfAnOlderJtuneGoesOnWithoutTheMark(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	fill := func(again bool) {
		r := must.Get(OpenOrCreate(dir, testHeader(t), again))(t)
		at := tegra.Setting{Mode: exampleRows()[0].Mode}
		must.NoError(t, errors.Join(r.Append(exampleRows()[0]), r.Sample(at, goodSample(time.Second)),
			r.Minibatch(at, harness.Event{T: time.Second, TimeMS: 12.5}, ""), r.Close()))
	}
	fill(false)
	older := map[string]string{}
	for _, name := range []string{modesName, samplesName, minibatchesName, runsName} {
		text := must.Read(t, filepath.Join(dir, name))
		cut := strings.NewReplacer(",virtual\n", "\n", ",true\n", "\n").Replace(string(text))
		if cut == string(text) {
			t.Fatalf("%s is not marked: %s", name, text)
		}
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(cut), 0o600))
		older[name] = cut
	}
	fill(true)
	for name, before := range older {
		text, err := os.ReadFile(filepath.Join(dir, name))
		header, line, _ := strings.Cut(before, "\n")
		if want := header + "\n" + line + line; err != nil || string(text) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, text, want)
		}
	}
	_, rows, notes, err := ReadNoted(dir)
	if want := []Row{exampleRows()[0], exampleRows()[0]}; err != nil || len(notes) > 0 ||
		fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("%v, %v, %v", rows, notes, err)
	}
}

func TestRecordUnusableRowsAreSkippedByReadersOfSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := must.Get(Create(dir, testHeader(t)))(t)
	for _, row := range exampleRows() {
		must.NoError(t, r.Append(row))
	}
	r.Close()
	table, err := sweep.ReadFile(dir, sweep.Options{})
	if err != nil || len(table.Rows) != 2 || len(table.Problems) != 2 {
		t.Fatalf("%+v, %v; want 2 rows and 2 problems", table, err)
	}
	if got := table.Rows[1].Measured; got != exampleRows()[1].Measured {
		t.Errorf("got %+v: numbers changed on the way", got)
	}
}

// A power cut may truncate any file of the folder at any byte: whole rows are read, torn ones are reported, and the
// record can be continued.
func TestRecordCutAnywhereOpensWithItsWholeRows(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole")
	r := must.Get(Create(whole, testHeader(t)))(t)
	rows := exampleRows()
	for i, row := range rows {
		at := time.Duration(i) * time.Second
		r.Sample(tegra.Setting{Mode: row.Mode}, goodSample(at))
		r.Minibatch(tegra.Setting{Mode: row.Mode}, harness.Event{T: at, TimeMS: 12.5}, "")
		must.NoError(t, r.Append(row))
	}
	must.NoError(t, r.AppendRun(Run{Mode: rows[0].Mode, Status: OK,
		Character: Character{All: Part{Epochs: 1, Minibatches: 40, TimeMS: 12.5}}}))
	r.Close()
	dir := filepath.Join(t.TempDir(), "cut")
	for _, name := range []string{modesName, samplesName, minibatchesName, runsName} {
		text := must.Read(t, filepath.Join(whole, name))
		for cut := len(text); cut >= 0; cut-- {
			if last := bytes.LastIndexByte(text[:len(text)-1], '\n'); !long && cut%9 != 0 &&
				(cut < last || name != modesName || testing.Short()) {
				continue
			}
			must.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			must.NoError(t, os.Truncate(filepath.Join(dir, name), int64(cut)))
			left := rows
			if name == modesName {
				left = rows[:max(0, bytes.Count(text[:cut], []byte("\n"))-1)]
			}
			torn := cut > 0 && text[cut-1] != '\n'
			if header := bytes.IndexByte(text, '\n'); torn && text[cut] == '\n' && cut > header {
				torn = false // it lacks its newline alone
				if name == modesName {
					left = rows[:len(left)+1]
				}
			}
			goesOn(t, fmt.Sprintf("%s cut at %d of %d", name, cut, len(text)), dir, left, torn)
			os.RemoveAll(dir)
		}
	}
}

// goesOn opens a record and wants its rows, a note when it is torn, and room
// for one more row.
func goesOn(t *testing.T, what, dir string, rows []Row, torn bool) {
	t.Helper()
	r, err := open(dir)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if got := r.Rows(); fmt.Sprint(got) != fmt.Sprint(rows) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(rows))
	}
	if torn != (len(r.Notes()) == 1) {
		t.Fatalf("%s: notes %v, torn %v", what, r.Notes(), torn)
	}
	must.NoError(t, errors.Join(r.Append(exampleRows()[0]), r.Close()))
	if _, got, err := Read(dir); err != nil || len(got) != len(rows)+1 {
		t.Fatalf("%s: after one more row %d rows, %v; want %d", what, len(got), err, len(rows)+1)
	}
}

func TestRecordBadLineInTheMiddleIsToldAndLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := must.Get(Create(dir, testHeader(t)))(t)
	for _, row := range exampleRows() {
		r.Append(row)
	}
	r.Close()
	path := filepath.Join(dir, modesName)
	text, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[2] = append(bytes.Repeat([]byte{0}, 30), '\n')
	os.WriteFile(path, bytes.Join(lines, nil), 0o600)
	again := must.Get(open(dir))(t)
	defer again.Close()
	if len(again.Rows()) != 3 || len(again.Notes()) != 1 || !strings.Contains(again.Notes()[0], "line 3") {
		t.Errorf("%d rows, notes %v", len(again.Rows()), again.Notes())
	}
}

func TestRecordFoldersThatAreNoCampaignAreLeftAlone(t *testing.T) {
	t.Parallel()
	h, full := testHeader(t), t.TempDir()
	os.WriteFile(filepath.Join(full, "thesis.tex"), []byte("x"), 0o600)
	for _, resume := range []bool{false, true} {
		if _, err := OpenOrCreate(full, h, resume); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
			t.Errorf("a folder with other files, resume %v: %v", resume, err)
		}
	}
	if _, err := open(full); err == nil || !strings.Contains(err.Error(), "not a campaign folder") {
		t.Errorf("opening it: %v", err)
	}
	if entries, _ := os.ReadDir(full); len(entries) != 1 {
		t.Errorf("files were left in it: %v", entries)
	}
	killed := t.TempDir() // before its plan was written
	for _, name := range []string{lockName, "." + headerName + ".123"} {
		os.WriteFile(filepath.Join(killed, name), []byte("half"), 0o600)
	}
	r, err := OpenOrCreate(killed, h, true)
	if err != nil {
		t.Fatalf("a folder without a plan yet: %v", err)
	}
	r.Close()
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := OpenOrCreate(file, h, false); err == nil {
		t.Error("a file in place of the folder")
	}
}

func TestRecordTwoCampaignsCannotShareAFolder(t *testing.T) {
	t.Parallel()
	dir, h := t.TempDir(), testHeader(t)
	first, err := Create(dir, h)
	must.NoError(t, err)
	_, err = OpenOrCreate(dir, h, true)
	if want := fmt.Sprintf("process %d", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second: %v, want %q", err, want)
	}
	if _, rows, err := Read(dir); err != nil || len(rows) != 0 {
		t.Errorf("reading beside it: %v", err)
	}
	first.Close()
	second := must.Get(OpenOrCreate(dir, h, true))(t)
	second.Close()
}

// fullDisk is a file that takes a number of bytes and no more.
type fullDisk struct {
	text   bytes.Buffer
	room   int
	synced int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.text.Write(p[:n])
	f.room -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *fullDisk) Sync() error { f.synced++; return nil }

func (f *fullDisk) Close() error { return nil }

func (f *fullDisk) Truncate(size int64) error { f.text.Truncate(int(size)); return nil }

func TestRecordFullDiskLeavesNoHalfLineAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := must.Get(Create(dir, testHeader(t)))(t)
	defer r.Close()
	disk := &fullDisk{room: 500}
	r.modes = csvlines.NewFile(modesName, disk, r.modes.Info)
	rows := exampleRows()
	var failed error
	n := 0
	for failed == nil && n < 100 {
		failed = r.Append(rows[n%len(rows)])
		n++
	}
	if failed == nil || !errors.Is(failed, syscall.ENOSPC) || !strings.Contains(failed.Error(), "“resume”") {
		t.Fatalf("got %v", failed)
	}
	text := disk.text.String()
	if !strings.HasSuffix(text, "\n") || strings.Count(text, "\n") != n-1 || len(r.Rows()) != n-1 {
		t.Errorf("%d lines and %d rows after %d appends, the last of which failed:\n%s", strings.Count(text, "\n"),
			len(r.Rows()), n, text)
	}
	if _, rows, err := Read(dir + "-rescued"); err != nil || len(rows) != n {
		t.Errorf("%d rows rescued of %d, %v", len(rows), n, err)
	}
	disk.room = 1000
	if err := r.Append(rows[0]); err != nil || strings.Count(disk.text.String(), "\n") != n {
		t.Errorf("with room again: %v", err)
	}
	if disk.synced != n {
		t.Errorf("%d rows, synced %d times", n, disk.synced)
	}
	runs := &fullDisk{room: 10}
	r.runs = csvlines.NewFile(runsName, runs, nil)
	character := aCharacter()
	rows[0].Character = &character
	if err := r.Append(rows[0]); !errors.Is(err, syscall.ENOSPC) || runs.text.Len() > 0 {
		t.Errorf("without room for a run: %v, written %q", err, runs.text.String())
	}
	if err := r.AppendRun(Run{Status: OK, Character: character}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("without room for a run alone: %v", err)
	}
}

func TestRecordOfOneBatchSizeHasNoColumnOfIt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	r := must.Get(Create(dir, testHeader(t)))(t)
	defer r.Close() // a reader of a running campaign finds the columns at once
	for name, want := range map[string][]string{
		modesName:       Columns,
		samplesName:     slices.Concat(sampleColumns, RailColumns(testHeader(t).Device.Rails)),
		minibatchesName: slices.DeleteFunc(slices.Clone(minibatchColumns), func(c string) bool { return c == "job" }),
	} {
		if got := r.columnsOf(name); !slices.Equal(got, want) {
			t.Errorf("%s: columns %v", name, got)
		}
	}
}

func TestReadRowsLeavesOutARowWithoutItsBatchSize(t *testing.T) {
	t.Parallel()
	text := csvlines.Line(append(slices.Clone(Columns), SizeColumn))
	for _, size := range []string{"8", "", "0", "-4", "many", "1"} {
		text += csvlines.Line(append(exampleRows()[0].Fields(), size))
	}
	rows, notes := parseRows([]byte(text))
	if len(rows) != 2 || rows[0].Batch != 8 || rows[1].Batch != 1 || len(notes) != 4 {
		t.Errorf("%+v, notes %q", rows, notes)
	}
}

func FuzzParseRows(f *testing.F) {
	var b strings.Builder
	b.WriteString(csvlines.Line(Columns))
	for _, r := range exampleRows() {
		b.WriteString(csvlines.Line(r.Fields()))
	}
	f.Add([]byte(b.String()))
	f.Add([]byte(b.String()[:len(b.String())-20]))
	f.Add(
		[]byte(
			csvlines.Line(append(slices.Clone(Columns), "note")) + csvlines.Line(
				append(Row{Measured: exampleRows()[0].Measured, Status: OK, Bare: true}.Fields(), "x")),
		),
	)
	f.Add([]byte("x\n\"\n,,,\n\x00\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		rows, _ := parseRows(text)
		for _, r := range rows {
			again, err := ParseRow(r.Fields())
			if err != nil {
				t.Fatalf("row %+v cannot be read back: %v", r, err)
			}
			if again.Measured != r.Measured || again.Status != r.Status || again.Minibatches != r.Minibatches {
				t.Fatalf("row %+v came back as %+v", r, again)
			}
		}
	})
}

// A campaign writes raw lines for as long as it runs, so their file has no size at which the folder can no longer be
// opened: a campaign of thousands of modes is resumed too.
func TestRecordOfRawFilesOfAnySizeIsResumed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	mode := tegra.Mode{Cores: 2, CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz}
	open := func(resume bool) *Record {
		return must.Get(OpenOrCreate(dir, testHeader(t), resume))(t)
	}
	add := func(rec *Record, ms float64) {
		event := harness.Event{Kind: harness.Minibatch, T: time.Duration(ms) * time.Second, TimeMS: ms}
		must.NoError(t, rec.Minibatch(tegra.Setting{Mode: mode}, event, ""))
		must.NoError(t, rec.Close())
	}
	add(open(false), 1)
	path := filepath.Join(dir, minibatchesName)
	if err := os.Truncate(path, mostBytes+1); err != nil { // a line without blocks on the disk
		t.Fatal(err)
	}
	rec := open(true)
	if notes := rec.Notes(); len(notes) != 1 {
		t.Errorf("a torn line of %d bytes: notes %q", mostBytes, notes)
	}
	add(rec, 2)
	st, err := os.Stat(path)
	if err != nil || st.Size() > 1000 {
		t.Fatalf("%d bytes, %v, want two lines", st.Size(), err)
	}
	must.NoError(t, os.Truncate(path, mostBytes+1))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must.NoError(t, err)
	_, err = f.WriteString("\n")
	must.NoError(t, err)
	must.NoError(t, f.Close())
	rec = open(true)
	if notes := rec.Notes(); len(notes) != 0 {
		t.Errorf("no torn line: notes %q", notes)
	}
	add(rec, 3)
	got, notes, err := ReadEntries(dir, 0)
	if err != nil || len(notes) != 1 || len(got[mode].TimesMS) != 3 {
		t.Errorf("%v, %v, notes %q, want three minibatches and one unreadable line", got, err, notes)
	}
}

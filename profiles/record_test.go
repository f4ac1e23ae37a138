package profiles

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/virtual"
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
		{Measured: tegra.Measured{Mode: mode(0), TimeMS: 71.26351, PowerW: 21.5}, Status: OK, Applied: mode(0), Minibatches: 40, PowerSamples: 4,
			TimeIQRMS: 0.125, PowerIQRW: 0.25, StallMS: tegra.Some(1.5), ComputeMS: tegra.Some(60.0), OverheadMS: tegra.Some(9.7), EnergyJ: 1.53216, SettleS: 3, TookS: 6.5, Raise: true, When: when},
		{Measured: tegra.Measured{Mode: mode(1), TimeMS: 0.1 + 0.2, PowerW: 1e-7}, Status: Unstable, Why: "power was not steady, within \"30s\"", When: when},
		{Measured: tegra.Measured{Mode: mode(2)}, Status: Failed, Why: "harness died: exit status 1: x, y", When: when},
		{Measured: tegra.Measured{Mode: mode(3)}, Status: Throttled, Applied: mode(3), When: when},
	}
}

func testHeader(t *testing.T) Header {
	t.Helper()
	return newRig(t, "resnet", virtual.Options{}).header(7, PlanHeader{Kind: "grid", Modes: 4368})
}

func TestRowsSurviveTheRecord(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "campaign")
	r, err := Create(dir, testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	want := exampleRows()
	for _, row := range want {
		if err := r.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	e := harness.Event{T: 1500 * time.Millisecond, Epoch: 1, Batch: 3, TimeMS: 60.5, ComputeMS: tegra.Some(50.0)}
	if err := errors.Join(r.Minibatch(Step{Mode: want[0].Mode}, e, true), r.Sample(Step{Mode: want[0].Mode}, time.Second, tegra.Val[float64]{}, false, "total,\npower"), r.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := again.Rows(); fmt.Sprint(got) != fmt.Sprint(want) || len(again.Notes()) != 0 {
		t.Errorf("got %v %v\nwant %v", got, again.Notes(), want)
	}
	for name, want := range map[string]string{"minibatches.csv": "1.500,2,1651200,624750000,3199000000,1,3,60.5,,,50,,true", "samples.csv": `1.000,2,1651200,624750000,3199000000,,false,"total, power"`} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasSuffix(string(text), "\n"+want+"\n") {
			t.Errorf("%s: %v\n%s\nwant its last line %s", name, err, text, want)
		}
	}
}

func TestUnusableRowsAreSkippedByReadersOfSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := Create(dir, testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range exampleRows() {
		if err := r.Append(row); err != nil {
			t.Fatal(err)
		}
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

// A power cut may leave any file of the folder cut anywhere: whole rows are
// read, what is torn is told, and the record goes on.
func TestARecordCutAnywhereOpensWithItsWholeRows(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole")
	r, err := Create(whole, testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	rows := exampleRows()
	for i, row := range rows {
		at := time.Duration(i) * time.Second
		r.Sample(Step{Mode: row.Mode}, at, tegra.Some(20.5), true, "")
		r.Minibatch(Step{Mode: row.Mode}, harness.Event{T: at, TimeMS: 12.5}, true)
		if err := r.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.AppendRun(Run{Mode: rows[0].Mode, Status: OK, Character: Character{All: Part{Epochs: 1, Minibatches: 40, TimeMS: 12.5}}}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	dir := filepath.Join(t.TempDir(), "cut")
	for _, name := range []string{modesName, samplesName, minibatchesName, runsName} {
		text, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		for cut := len(text); cut >= 0; cut-- {
			if last := bytes.LastIndexByte(text[:len(text)-1], '\n'); !long && cut%9 != 0 && (cut < last || name != modesName || testing.Short()) {
				continue
			}
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(filepath.Join(dir, name), int64(cut)); err != nil {
				t.Fatal(err)
			}
			left := rows
			if name == modesName {
				left = rows[:max(0, bytes.Count(text[:cut], []byte("\n"))-1)]
			}
			goesOn(t, fmt.Sprintf("%s cut at %d of %d", name, cut, len(text)), dir, left, cut > 0 && text[cut-1] != '\n')
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
	if err := errors.Join(r.Append(exampleRows()[0]), r.Close()); err != nil {
		t.Fatal(err)
	}
	if _, got, err := Read(dir); err != nil || len(got) != len(rows)+1 {
		t.Fatalf("%s: after one more row %d rows, %v; want %d", what, len(got), err, len(rows)+1)
	}
}

func TestACutHeaderIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := Create(dir, testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	path := filepath.Join(dir, headerName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) {
		os.WriteFile(path, text[:cut], 0o600)
		if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), headerName) {
			t.Fatalf("cut at %d of %d: %v", cut, len(text), err)
		}
	}
}

func TestABadLineInTheMiddleIsToldAndLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := Create(dir, testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range exampleRows() {
		r.Append(row)
	}
	r.Close()
	path := filepath.Join(dir, modesName)
	text, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[2] = append(bytes.Repeat([]byte{0}, 30), '\n')
	os.WriteFile(path, bytes.Join(lines, nil), 0o600)
	again, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if len(again.Rows()) != 3 || len(again.Notes()) != 1 || !strings.Contains(again.Notes()[0], "line 3") {
		t.Errorf("%d rows, notes %v", len(again.Rows()), again.Notes())
	}
}

func TestHeaderSurvivesAndRebuildsTheSpace(t *testing.T) {
	t.Parallel()
	full := newRig(t, "yolo", virtual.Options{})
	part := newRig(t, "yolo", virtual.Options{Replay: replayTable(t)})
	odd := part.device.Space().Filter(mustFilter(t, "cores>2 gpu<900MHz"))
	for _, c := range []struct {
		name  string
		rig   *rig
		space *tegra.Space
	}{{"a whole board", full, full.device.Space()}, {"a replay's grid", part, part.device.Space()}, {"modes that are no grid", part, odd}} {
		h := c.rig.header(3, PlanHeader{Kind: "sample", Modes: 5})
		if c.space == odd {
			h.Device = DeviceHeader{}
			h.Device.setSpace(odd)
		}
		dir := t.TempDir()
		r, err := Create(dir, h)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		got, _, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		space, err := got.Device.Space()
		if err != nil || !slices.Equal(space.Modes(), c.space.Modes()) {
			t.Errorf("%s: the space came back with another %v modes, %v", c.name, space.Len(), err)
		}
		if got.Seed != 3 || got.Jtune != "test" || got.Workload.Workers != 0 || !reflect.DeepEqual(got.Plan, h.Plan) || got.Device.Virtual != h.Device.Virtual || got.Device.Replay != h.Device.Replay {
			t.Errorf("%s: header came back as %+v", c.name, got)
		}
		if s := got.Settings; s.Minibatches != 40 || s.SampleEvery != time.Second || s.SteadyGiveUp != 30*time.Second || s.Discard != 1 {
			t.Errorf("%s: settings came back as %+v; want the defaults spelt out", c.name, s)
		}
		if err := got.checkResume(h); err != nil {
			t.Errorf("%s: cannot resume itself: %v", c.name, err)
		}
	}
}

func mustFilter(t *testing.T, text string) tegra.Filter {
	t.Helper()
	f, err := tegra.ParseFilter(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestResumeWantsTheSameCampaign(t *testing.T) {
	t.Parallel()
	base := testHeader(t)
	dir := filepath.Join(t.TempDir(), "c")
	if r, err := OpenOrCreate(dir, base, true); err != nil {
		t.Fatalf("resuming what was never begun: %v", err)
	} else {
		r.Close()
	}
	if _, err := OpenOrCreate(dir, base, false); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a campaign in the folder: %v", err)
	}
	for _, c := range []struct {
		name   string
		change func(*Header)
		want   string
	}{
		{"another seed", func(h *Header) { h.Seed = 8 }, "seed: 7 there, 8 here"},
		{"another workload", func(h *Header) { h.Workload.Name = "lstm" }, "workload: resnet18 there, lstm here"},
		{"another minibatch size", func(h *Header) { h.Workload.Batch = 32 }, "minibatch size"},
		{"another command", func(h *Header) { h.Workload.Command = []string{"x"} }, "other settings"},
		{"another selection", func(h *Header) { h.Plan = PlanHeader{Kind: "sample", Modes: 50} }, "selection: grid of 4368 modes there, sample of 50 modes here"},
		{"another list", func(h *Header) { h.Plan.Digest = "ab" }, "selection"},
		{"another device", func(h *Header) { h.Device.Model = "Orin Nano" }, "device"},
		{"a replay in place of the board", func(h *Header) { h.Device.Replay = "x.csv" }, "replay of x.csv"},
		{"another release", func(h *Header) { h.Device.L4T = "99.1" }, "L4T"},
		{"other clocks", func(h *Header) { h.Device.GPUHz = h.Device.GPUHz[1:] }, "power modes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := base
			c.change(&h)
			_, err := OpenOrCreate(dir, h, true)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if r, err := OpenOrCreate(dir, base, true); err != nil {
		t.Errorf("the same campaign: %v", err)
	} else {
		r.Close()
	}
}

func TestFoldersThatAreNoCampaignAreLeftAlone(t *testing.T) {
	t.Parallel()
	h := testHeader(t)
	full := t.TempDir()
	os.WriteFile(filepath.Join(full, "thesis.tex"), []byte("x"), 0o600)
	for _, resume := range []bool{false, true} {
		if _, err := OpenOrCreate(full, h, resume); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
			t.Errorf("a folder with other files, resume %v: %v", resume, err)
		}
	}
	if _, err := open(full); err == nil || !strings.Contains(err.Error(), "no campaign folder") {
		t.Errorf("opening it: %v", err)
	}
	if entries, _ := os.ReadDir(full); len(entries) != 1 {
		t.Errorf("files were left in it: %v", entries)
	}
	killed := t.TempDir() // before its plan was written
	for _, name := range []string{lockName, headerName + ".tmp"} {
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

func TestBrokenHeadersAreClearErrors(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"half of it": "format = 1\n[device\n", "another format": "format = 9\n", "nothing": ""} {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, headerName), []byte(text), 0o600)
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), headerName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	r, err := Create(dir, testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	os.WriteFile(filepath.Join(dir, modesName), []byte("a,b,c\n1,2,3\n"), 0o600)
	if _, err := open(dir); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("other columns: %v", err)
	}
}

func TestTwoCampaignsCannotShareAFolder(t *testing.T) {
	t.Parallel()
	dir, h := t.TempDir(), testHeader(t)
	first, err := Create(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	_, err = OpenOrCreate(dir, h, true)
	if want := fmt.Sprintf("process %d", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second: %v, want %q", err, want)
	}
	if _, rows, err := Read(dir); err != nil || len(rows) != 0 {
		t.Errorf("reading beside it: %v", err)
	}
	first.Close()
	second, err := OpenOrCreate(dir, h, true)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// fullDisk is a file that takes so many bytes and no more.
type fullDisk struct {
	text bytes.Buffer
	room int
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
func (f *fullDisk) Sync() error               { return nil }
func (f *fullDisk) Close() error              { return nil }
func (f *fullDisk) Truncate(size int64) error { f.text.Truncate(int(size)); return nil }

func TestAFullDiskLeavesNoHalfLineAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	r, err := Create(t.TempDir(), testHeader(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	disk := &fullDisk{room: 500}
	r.modes = &appendFile{name: modesName, f: disk}
	rows := exampleRows()
	var failed error
	n := 0
	for failed == nil && n < 100 {
		failed = r.Append(rows[n%len(rows)])
		n++
	}
	if failed == nil || !errors.Is(failed, syscall.ENOSPC) || !strings.Contains(failed.Error(), "--resume") {
		t.Fatalf("got %v", failed)
	}
	text := disk.text.String()
	if !strings.HasSuffix(text, "\n") || strings.Count(text, "\n") != n-1 || len(r.Rows()) != n-1 {
		t.Errorf("%d lines and %d rows after %d appends, the last of which failed:\n%s", strings.Count(text, "\n"), len(r.Rows()), n, text)
	}
	disk.room = 1000
	if err := r.Append(rows[0]); err != nil || strings.Count(disk.text.String(), "\n") != n {
		t.Errorf("with room again: %v", err)
	}
}

func TestImportKeepsEveryNumber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "resnet_published.csv")
	text := "cores,cpu,gpu,mem,observed_time,observed_power\n12,2201600,1300500000,3199000000,59.123456789,51.1\n2,268800,114750000,204000000,2150.5,11.8\n2,268800,114750000,204000000,NaN,11.8\n"
	os.WriteFile(file, []byte(text), 0o600)
	out := filepath.Join(dir, "campaign")
	if err := importFile(file, out); err != nil {
		t.Fatal(err)
	}
	h, rows, err := Read(out)
	if err != nil || len(rows) != 2 || rows[0].TimeMS != 59.123456789 || rows[0].PowerW != 51.1 || rows[1].Mode.GPU != 114750000 {
		t.Fatalf("%v, %v", rows, err)
	}
	space, err := h.Device.Space()
	if err != nil || space.Len() != 16 || h.Plan.Kind != "import" || h.Workload.Name != "resnet_published" {
		t.Errorf("header %+v, space of %d, %v", h, space.Len(), err)
	}
	if err := importFile(file, out); err == nil {
		t.Error("importing over a campaign")
	}
	os.WriteFile(file, []byte("cores,cpu,gpu,mem,observed_time,observed_power,bs\n12,2201600,1300500000,3199000000,59,51,16\n12,2201600,1300500000,3199000000,99,51,32\n"), 0o600)
	if err := importFile(file, filepath.Join(dir, "two")); err != nil {
		t.Fatal(err)
	}
	if h, rows, err = Read(filepath.Join(dir, "two")); err != nil || len(rows) != 2 || rows[0].Batch != 16 || rows[1].Batch != 32 || rows[1].TimeMS != 99 || !slices.Equal(h.Plan.Batches, []int{16, 32}) {
		t.Errorf("two minibatch sizes: %+v, %v", rows, err)
	}
	if err := importFile(filepath.Join(dir, "none.csv"), filepath.Join(dir, "three")); err == nil {
		t.Error("no file")
	}
}

func TestImportKeepsForeignColumnsAndMakesNothingUp(t *testing.T) {
	t.Parallel()
	const knobs = "12,2201600,1300500000,3199000000,59.5,50"
	for _, c := range []struct {
		name, text string
		want       []string // of the campaign's columns beyond the first six and energy_j, those that are not empty
		extra      string   // names and texts kept beside them
	}{
		{"time and power alone", "cores,cpu,gpu,mem,observed_time,observed_power\n" + knobs + "\n", []string{"status=ok"}, "[] []"},
		{"unknown columns", "cores,cpu,gpu,mem,observed_time,observed_power,note,loss\n" + knobs + ",\"a, b\",0.5\n", []string{"status=ok"}, "[note loss] [a, b 0.5]"},
		{"the parts of a minibatch", "cores,cpu,gpu,mem,observed_time,observed_power,stall_ms,compute_ms\n" + knobs + ",0,58\n", []string{"status=ok", "stall_ms=0", "compute_ms=58"}, "[] []"},
		{"parts that are no numbers", "cores,cpu,gpu,mem,observed_time,observed_power,stall_ms\n" + knobs + ",n/a\n", []string{"status=ok"}, "[] []"},
		{"another meaning of a name", "cores,cpu,gpu,mem,observed_time,observed_power,status\n" + knobs + ",good\n", []string{"status=ok"}, "[imported_status] [good]"},
		{"a campaign's table", strings.Join(Columns, ",") + ",note\n" + knobs + ",unstable,power was not steady,12,2201600,1300500000,3199000000,40,4,0.5,0.25,1,50,8.5,2.975,3,6.5,true,2026-11-20T09:30:00Z,x\n",
			[]string{"status=unstable", "why=power was not steady", "applied_cores=12", "applied_cpu_khz=2201600", "applied_gpu_hz=1300500000", "applied_mem_hz=3199000000", "minibatches=40",
				"power_samples=4", "time_iqr_ms=0.5", "power_iqr_w=0.25", "stall_ms=1", "compute_ms=50", "overhead_ms=8.5", "settle_s=3", "took_s=6.5", "raise=true", "when=2026-11-20T09:30:00Z"}, "[note] [x]"},
	} {
		dir := t.TempDir()
		file, out := filepath.Join(dir, "a.csv"), filepath.Join(dir, "campaign")
		os.WriteFile(file, []byte(c.text), 0o600)
		if err := importFile(file, out); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text, err := os.ReadFile(filepath.Join(out, "modes.csv"))
		if err != nil {
			t.Fatal(err)
		}
		table, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || len(table) != 2 {
			t.Errorf("%s: %v: %s", c.name, err, text)
			continue
		}
		var got []string
		for i := len(sweep.Columns); i < len(Columns); i++ {
			if v := table[1][i]; v != "" && Columns[i] != "energy_j" {
				got = append(got, Columns[i]+"="+v)
			}
		}
		if extra := fmt.Sprint(table[0][len(Columns):], table[1][len(Columns):]); !slices.Equal(got, c.want) || extra != c.extra {
			t.Errorf("%s: got %q and beside them %s, want %q and %s", c.name, got, extra, c.want, c.extra)
		}
		r, err := open(out)
		if err != nil {
			t.Errorf("%s: does not open: %v", c.name, err)
			continue
		}
		rows := r.Rows()
		if err := errors.Join(r.Append(rows[0]), r.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(filepath.Join(out, "modes.csv"))
		if lines := strings.Split(string(again), "\n"); err != nil || len(lines) != 4 || lines[2] != lines[1] {
			t.Errorf("%s: a row that was read is written again as\n%s", c.name, again)
		}
		if h, _, notes, err := ReadNoted(out); err != nil || len(notes) != 0 || h.Device.Name != "" {
			t.Errorf("%s: %q, %v; device %q", c.name, notes, err, h.Device.Name)
		}
	}
}

func FuzzParseRows(f *testing.F) {
	var b strings.Builder
	b.WriteString(csvLine(Columns))
	for _, r := range exampleRows() {
		b.WriteString(csvLine(r.fields()))
	}
	f.Add([]byte(b.String()))
	f.Add([]byte(b.String()[:len(b.String())-20]))
	f.Add([]byte(csvLine(append(slices.Clone(Columns), "note")) + csvLine(append(Row{Measured: exampleRows()[0].Measured, Status: OK, Bare: true}.fields(), "x"))))
	f.Add([]byte("x\n\"\n,,,\n\x00\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, _, err := parseRows(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			again, err := parseRow(r.fields())
			if err != nil {
				t.Fatalf("row %+v cannot be read back: %v", r, err)
			}
			if again.Measured != r.Measured || again.Status != r.Status || again.Minibatches != r.Minibatches {
				t.Fatalf("row %+v came back as %+v", r, again)
			}
		}
	})
}

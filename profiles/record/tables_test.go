package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry"
)

// Open settings take the defaults of docs; values that are not positive count as open, but no first minibatches to
// leave out and no wait.
func TestSettingsWithDefaultsFillWhatIsOpen(t *testing.T) {
	t.Parallel()
	want := Settings{Minibatches: 40, Discard: 1, MinSamples: 3, SampleEvery: time.Second,
		SteadyGiveUp: telemetry.SteadyGiveUp, ModeTimeout: 20 * time.Minute, Silence: time.Minute}
	for _, s := range []Settings{{}, {Minibatches: -1, MinSamples: -1, SampleEvery: -1, SteadyGiveUp: -1,
		ModeTimeout: -1, Silence: -1, FixedWait: -1}} {
		if d := cmp.Diff(want, s.WithDefaults()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	given := Settings{Minibatches: 1, Discard: -1, MinSamples: 1, SampleEvery: 1, SteadyGiveUp: 1, ModeTimeout: 1,
		Silence: 1, FixedWait: 1}
	if d := cmp.Diff(given, given.WithDefaults()); d != "" {
		t.Errorf("what was given (-want +got):\n%s", d)
	}
}

// 30 modes within 15 minutes, as PowerTrain has it; more where power is waited for longer.
func TestSettingsCostIsThatOfThePaper(t *testing.T) {
	t.Parallel()
	if lo, hi := (Settings{}).Cost(30); lo != 3*time.Minute || hi != 15*time.Minute {
		t.Errorf("30 modes take %v to %v", lo, hi)
	}
	if lo, hi := (Settings{FixedWait: 30 * time.Second, Minibatches: 80}).Cost(1); lo != 33*time.Second ||
		hi != 84*time.Second {
		t.Errorf("with a fixed wait %v to %v", lo, hi)
	}
	if _, hi := (Settings{ModeTimeout: 20 * time.Second}).Cost(2); hi != 40*time.Second {
		t.Errorf("two modes of 20 s at most take %v", hi)
	}
}

// A campaign has one way of measuring; what is left open goes on as it began.
func TestSettingsGoOnNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	var began Settings
	if err := began.GoOn(Settings{Minibatches: 9, Discard: 9, MinSamples: 9, SampleEvery: 9, FixedWait: 9, Requests: 9,
		Epochs: 9, Base: 9, DVFS: true, KeepFan: true}); err != nil {
		t.Errorf("all left open: %v", err)
	}
	for s, want := range map[Settings]string{
		{}:                           "",
		{Minibatches: 40}:            "",
		{Minibatches: 41}:            "minibatches 40 there, 41 here",
		{Discard: 2}:                 "first ones left out 1 there, 2 here",
		{Discard: -1}:                "first ones left out 1 there, -1 here",
		{MinSamples: 9}:              "least samples 3 there, 9 here",
		{SampleEvery: 2e9}:           "sampling every 1s there, 2s here",
		{FixedWait: 1}:               "fixed wait 0s there, 1ns here",
		{Requests: 1}:                "requests 0 there, 1 here",
		{Epochs: 1}:                  "epochs 0 there, 1 here",
		{Base: 1}:                    "base load 0s there, 1ns here",
		{DVFS: true}:                 "free clocks false there, true here",
		{KeepFan: true}:              "fan left alone false there, true here",
		{ModeTimeout: 1, Silence: 2}: "",
		{MinSamples: 1}:              "least samples 3 there, 1 here",
		{Minibatches: 1}:             "minibatches 40 there, 1 here",
		{SampleEvery: 1}:             "sampling every 1s there, 1ns here",
	} {
		err := s.GoOn(began)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want+";")):
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

// Shares of clocks come back as they were written; a line with others is none.
func TestParseResidencyTakesSharesOfClocksAlone(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"": true, "cpu0 1000:0 2000:1": true, "cpu0 1000:0.5": true,
		"cpu0 0:0.5": false, "cpu0 -5:0.5": false, "cpu0 x:0.5": false, "cpu0 1000:x": false, "cpu0 1000": false,
		"cpu0 1000:-0.1": false, "cpu0 1000:1.1": false, "cpu0 1000:NaN": false} {
		var r residency
		if got := r.SetCSV(text); got != ok {
			t.Errorf("%q: %v", text, got)
		}
		if ok && r.CSV() != text {
			t.Errorf("%q comes back as %q", text, r.CSV())
		}
	}
}

// Lines of a raw file that cannot be read are counted, a torn one too, and the others count.
func TestParseRawCountsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	const head, good = "t_s,cores,cpu_khz,gpu_hz,mem_hz,valid\n", "1,2,3,4,5,true\n"
	for text, want := range map[string][2]int{
		head: {0, 0}, head + good + good: {2, 0}, head + good + "6,7\n" + good: {2, 1}, head + good + "6,7": {1, 1},
		head + "x" + good + good: {1, 1}, head + "\"\n" + good: {1, 1}, "t_s,cores\n1,2\n": {0, 1},
	} {
		n := 0
		bad, _ := parseRaw(strings.NewReader(text), func(*sampleLine) error { n++; return nil })
		if n != want[0] || bad != want[1] {
			t.Errorf("%q: %d read and %d not, want %v", text, n, bad, want)
		}
	}
}

func TestRunTakesNoSpanLongerThanADuration(t *testing.T) {
	t.Parallel()
	codec := csvlines.NewCodec[runLine]([]string{"span_s"})
	for text, want := range map[string]time.Duration{"2.5": 2500 * time.Millisecond, "1e300": 1e9 * time.Second,
		"1e9": 1e9 * time.Second} {
		if l, _, err := codec.Read([]string{text}); err != nil || l.Span != want {
			t.Errorf("%s: %v, %v", text, l.Span, err)
		}
	}
}

// A line that begins a part which the run has already is of another run: that one was cut off.
func TestBeginsFindsTheRunThatWasCutOff(t *testing.T) {
	t.Parallel()
	line := func(part string, epoch int) runLine { return runLine{Name: part, Part: Part{Epoch: epoch}} }
	var none, two, first, later Character
	two.Epochs = []Part{{Epoch: 0}, {Epoch: 1}}
	first.First, later.Later = tegra.Some(Part{}), tegra.Some(Part{})
	for _, c := range []struct {
		l    runLine
		of   Character
		want bool
	}{
		{line(partEpoch, 0), none, false}, {line(partEpoch, 2), two, false}, {line(partEpoch, 1), two, true},
		{line(partEpoch, 0), two, true}, {line(partEpoch, 0), first, true}, {line(partEpoch, 9), later, true},
		{line(partFirst, 0), two, false}, {line(partFirst, 0), first, true}, {line(partFirst, 0), later, true},
		{line(partLater, 1), first, false}, {line(partLater, 1), later, true}, {line(partAll, 0), later, false},
	} {
		if got := c.l.begins(&c.of); got != c.want {
			t.Errorf("%s %d after %+v: %v", c.l.Name, c.l.Epoch, c.of, got)
		}
	}
}

// Each finished mode's folder has its row under the names of the columns, also where later columns are empty.
func TestRecordWritesTheRowIntoItsModesFolder(t *testing.T) {
	t.Parallel()
	rec := must.Get(Create(filepath.Join(t.TempDir(), "c"), testHeader(t)))(t)
	mode := tegra.Mode{Cores: 4, CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz}
	row := Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 80, PowerW: 20}, Status: OK,
		Minibatches: 40}
	must.NoError(t, rec.Append(row))
	must.NoError(t, rec.Close())
	whole := must.Read(t, filepath.Join(rec.Dir(), modesName))
	text, err := os.ReadFile(filepath.Join(rec.Dir(), "logs/pm_4_1651200_624750000_3199000000", rowName))
	if d := cmp.Diff(string(whole), string(text)); err != nil || d != "" {
		t.Errorf("%v, the row of the only mode (-%s +folder):\n%s", err, modesName, d)
	}
}

// The folder of a mode is named by what distinguishes its rows: the batch size of several, a run of an experiment.
func TestRecordNamesTheFolderOfARow(t *testing.T) {
	t.Parallel()
	row := exampleRows()[0]
	row.Batch, row.Extra = 1, []string{"workers 2: cold", "3"}
	for want, plan := range map[string]PlanHeader{
		"pm_2_1651200_624750000_3199000000_bs1":                  {Kind: "grid", Batches: []int{1, 16}},
		"pm_2_1651200_624750000_3199000000_bs1_workers-2-cold_3": {Kind: ExperimentKind, Batches: []int{1, 16}},
	} {
		h := testHeader(t)
		h.Plan = plan
		rec := must.Get(Create(filepath.Join(t.TempDir(), "c"), h))(t)
		log := os.WriteFile(rec.Log(), []byte("loading\n"), 0o600)
		must.NoError(t, errors.Join(log, rec.Append(row), rec.Close()))
		for _, name := range []string{rowName, logName} {
			if _, err := os.Stat(filepath.Join(rec.Dir(), "logs", want, name)); err != nil {
				t.Error(err)
			}
		}
	}
}

// The folder of a mode gets what an attached job wrote to its own log in that mode.
func TestRecordKeepsTheLogOfAJobStartedElsewhere(t *testing.T) {
	t.Parallel()
	rec := must.Get(Create(filepath.Join(t.TempDir(), "c"), testHeader(t)))(t)
	defer rec.Close()
	log := filepath.Join(t.TempDir(), "train.log")
	write := func(text string) {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		must.NoError(t, errors.Join(err, f.Close()))
	}
	write("before\n")
	rec.LogOf(log)
	rec.LogOf(t.TempDir()) // no file
	for i, row := range exampleRows()[:2] {
		write(fmt.Sprintf("step %d\n", i))
		must.NoError(t, rec.Append(row))
		dir := must.Get(rec.rowFolder(row))(t)
		text, err := os.ReadFile(filepath.Join(dir, logName))
		if _, said, _ := strings.Cut(string(text), "\n"); err != nil || said != fmt.Sprintf("step %d\n", i) {
			t.Errorf("mode %d: %q, %v", i, text, err)
		}
	}
}

// An impossible value of a line is an error that names it, and no row.
func TestParseRowNamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	rec := must.Get(Create(filepath.Join(t.TempDir(), "c"), testHeader(t)))(t)
	defer rec.Close()
	mode := tegra.Mode{Cores: 4, CPU: 1651200 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz}
	row := Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 80, PowerW: 20}, Status: OK,
		Minibatches: 40, StallMS: tegra.Some(1.5), ComputeMS: tegra.Some(70.0), OverheadMS: tegra.Some(2.0)}
	line, names := rec.rowCodec.print(row)[:len(Columns)], rec.knownColumns()
	read := func(column, value string) (Row, error) {
		f := append([]string{}, line...)
		for i, n := range names {
			if n == column {
				f[i] = value
			}
		}
		return ParseRow(f)
	}
	got, err := read("", "")
	if err != nil || got.StallMS != row.StallMS || got.ComputeMS != row.ComputeMS || got.OverheadMS != row.OverheadMS ||
		got.Minibatches != 40 || got.TimeMS != 80 {
		t.Errorf("%v, read back as %+v", err, got)
	}
	bare := append([]string{}, line...)
	for i := range bare {
		if i >= 8 && i < 16 || i >= 20 && i < len(Columns) {
			bare[i] = ""
		}
	}
	got, err = ParseRow(bare)
	if err != nil || !got.Bare || got.StallMS != row.StallMS || got.ComputeMS != row.ComputeMS ||
		got.OverheadMS != row.OverheadMS || got.TimeMS != 80 || got.Minibatches != 0 {
		t.Errorf("%v, a bare row is read back as %+v", err, got)
	}
	if _, err := ParseRow(line[:len(Columns)-1]); err == nil {
		t.Error("a short line is a row")
	}
	if _, err := read("status", "splendid"); err == nil || !strings.Contains(err.Error(), `status is "splendid"`) {
		t.Errorf("an unknown status: %v", err)
	}
	for _, column := range []string{"time_ms", "power_w", "cores"} {
		if _, err := read(column, "x"); err == nil {
			t.Errorf("%s of x is read", column)
		}
	}
}

// A header whose values are no device's is an error, not a space of no modes.
func TestDeviceHeaderWithoutValuesHasNoSpace(t *testing.T) {
	t.Parallel()
	good := testHeader(t).Device
	_, err := good.Space()
	must.NoError(t, err)
	for name, change := range map[string]func(h *DeviceHeader){
		"a clock below zero": func(h *DeviceHeader) { h.GPUHz = []int64{-5} },
		"no such member":     func(h *DeviceHeader) { h.Members = []string{"x,y"} },
	} {
		h := good
		if change(&h); h.GPUHz == nil {
			t.Fatal(name)
		}
		if s, err := h.Space(); err == nil {
			t.Errorf("%s: a space of %d modes", name, s.Len())
		}
	}
}

func TestCharacterBaseShareNeedsBothPowers(t *testing.T) {
	with := Character{All: Part{PowerW: some(20)}, BaseW: some(5)}
	if got := with.BaseShare(); got != some(0.25) {
		t.Errorf("base share %v, want 0.25", got)
	}
	for name, c := range map[string]Character{"no base": {All: Part{PowerW: some(20)}}, "no power": {BaseW: some(5)}} {
		if got := c.BaseShare(); got.OK {
			t.Errorf("%s: base share %v, want none", name, got)
		}
	}
}

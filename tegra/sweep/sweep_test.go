package sweep_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
)

const head = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"

func read(t *testing.T, text string) *sweep.Table {
	t.Helper()
	return must.Get(sweep.Read(strings.NewReader(text), "test.csv", sweep.Options{}))(t)
}

func TestReadTakesBothHeaders(t *testing.T) {
	t.Parallel()
	row := "4,1190400,420750000,2133000000,80.5,25\n"
	want := []tegra.Measured{
		{
			Setting: tegra.Setting{
				Mode: tegra.Mode{Cores: 4, CPU: 1190400 * tegra.KHz, GPU: 420750000, EMC: 2133 * tegra.MHz}},
			TimeMS: 80.5,
			PowerW: 25,
		},
	}
	for name, text := range map[string]string{
		"our columns":           head + row,
		"the published columns": "cores,cpu,gpu,mem,observed_time,observed_power\n" + row,
		"an Orin Nano's columns": "workload,cores,cpu,gpu,mem,n_mb,time_ms_median,power_mw_median\n" +
			"ResNet,4,1190400,420750000,2133000000,49,80.5,25000\n",
		"a byte order mark": "\ufeff" + head + row,
		"capital letters, spaces": "Cores, CPU_kHz, GPU_Hz, Mem_Hz, Time_ms, Power_W\n" +
			strings.ReplaceAll(row, ",", ", "),
		"another order, more": "note,power_w,time_ms,mem_hz,gpu_hz,cpu_khz,cores\n" +
			"x,25,80.5,2133000000,420750000,1190400,4\n",
		"Windows line ends":         strings.ReplaceAll(head+row, "\n", "\r\n"),
		"numbers with an exponent":  head + "4,1.1904e6,420750000,2.133e9,8.05e1,25\n",
		"no line end at the end":    strings.TrimSuffix(head+row, "\n"),
		"blank lines between":       head + "\n\n" + row,
		"a row of the mode's twins": head + row + "4,1190400,420750000,2133000000,80.5,25\n",
	} {
		if d := cmp.Diff(want, read(t, text).Measured()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// FlexiBO's TX2 files: one column per core, seconds, and a sum of readings that
// is not a power.
func TestSweepMayHoldTimeAlone(t *testing.T) {
	t.Parallel()
	tx2 := ",core0_status,core1_status,core2_status,core3_status,core_freq,gpu_freq,emc_freq," +
		"inference_time,power_consumption\n0,1,0,1,1,1190400,420750000,2133000000,0.0805,1955.5\n"
	for name, text := range map[string]string{
		"our columns": "cores,cpu_khz,gpu_hz,mem_hz,time_ms\n3,1190400,420750000,2133000000,80.5\n",
		"a TX2's":     tx2,
	} {
		table := must.Get(sweep.Read(strings.NewReader(text), "t.csv", sweep.Options{TimeOnly: true}))(t)
		got := table.Measured()
		if want := (tegra.Mode{Cores: 3, CPU: 1190400 * tegra.KHz, GPU: 420750000,
			EMC: 2133 * tegra.MHz}); !table.TimeOnly ||
			len(got) != 1 ||
			got[0].Mode != want ||
			got[0].TimeMS != 80.5 ||
			got[0].HasPower() {
			t.Errorf("%s: got %+v, want 80.5 ms in %v without power", name, got, want)
		}
		if _, err := sweep.Read(strings.NewReader(text), "t.csv", sweep.Options{}); err == nil ||
			!strings.Contains(err.Error(), "power_w") {
			t.Errorf("%s: taken where power is needed: %v", name, err)
		}
	}
	for name, text := range map[string]string{"no core on": strings.Replace(tx2, "1,0,1,1,", "0,0,0,0,", 1),
		"half a core": strings.Replace(tx2, "1,0,1,1,", "1,0.5,0,0,", 1)} {
		if _, err := sweep.Read(strings.NewReader(text), "t.csv", sweep.Options{TimeOnly: true}); err == nil ||
			!strings.Contains(err.Error(), "core") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"watts", "Power", "module_mw"} {
		if _, err := sweep.Read(
			strings.NewReader(strings.Replace(head, "power_w", name, 1)+"3,1190400,420750000,2133000000,80.5,9\n"),
			"t.csv", sweep.Options{TimeOnly: true}); err == nil ||
			!strings.Contains(err.Error(), "power_w") {
			t.Errorf("power called %s was taken for none: %v", name, err)
		}
	}
	if table, err := sweep.Read(
		strings.NewReader(head+"3,1190400,420750000,2133000000,80.5,\n3,1190400,420750000,2133000000,80.5,9\n"),
		"t.csv", sweep.Options{TimeOnly: true}); err != nil || table.TimeOnly ||
		len(table.Problems) != 1 {
		t.Errorf("a row that lacks its power among others: %+v, %v; want it skipped", table, err)
	}
}

func TestBadRowIsSkippedWithItsLineNumber(t *testing.T) {
	t.Parallel()
	good := "4,1190400,420750000,2133000000,80.5,25\n"
	for name, bad := range map[string]string{
		"mW":                "4,1190400,420750000,2133000000,80.5,21515\n",
		"kW":                "4,1190400,420750000,2133000000,80.5,0.0215\n",
		"an absurd time":    "4,1190400,420750000,2133000000,1e300,25\n",
		"digits in groups":  "4,1190400,420750000,2133000000,80.5,1_0\n",
		"hexadecimal":       "4,1190400,420750000,2133000000,80.5,0x14p0\n",
		"CPU times 1000":    "4,1190400000,420750000,2133000000,80.5,25\n",
		"GPU times 1000":    "4,1190400,420750000000,2133000000,80.5,25\n",
		"not a number":      "4,1190400,fast,2133000000,80.5,25\n",
		"NaN":               "4,1190400,420750000,2133000000,NaN,25\n",
		"infinite":          "4,1190400,420750000,2133000000,80.5,Inf\n",
		"zero time":         "4,1190400,420750000,2133000000,0,25\n",
		"negative power":    "4,1190400,420750000,2133000000,80.5,-1\n",
		"an empty field":    "4,1190400,420750000,2133000000,,25\n",
		"a torn line":       "4,1190400,4207\n",
		"half a core":       "4.5,1190400,420750000,2133000000,80.5,25\n",
		"CPU in Hz":         "4,1190400000,420750000,2133000000,80.5,25\n",
		"CPU in MHz":        "4,1190,420750000,2133000000,80.5,25\n",
		"GPU in kHz":        "4,1190400,420750,2133000000,80.5,25\n",
		"a million cores":   "1000000,1190400,420750000,2133000000,80.5,25\n",
		"a stray quote":     "4,11\"90400,420750000,2133000000,80.5,25\n",
		"a quote at first":  "x\"4,1190400,420750000,2133000000,80.5,25\n",
		"an unclosed quote": "4,1190400,420750000,2133000000,80.5,\"25\n",
		"a quote left open": "4,1190400,420750000,2133000000,80.5,25,\"torn\n",
		"bytes of anything": "\x00\xff\xfe,,,,,\n",
	} {
		table := read(t, head+good+bad+strings.Replace(good, "80.5", "80.6", 1))
		if len(table.Rows) != 2 || len(table.Problems) != 1 || table.Problems[0].Line != 3 {
			t.Errorf("%s: %d rows, problems %v; want 2 rows and a problem in line 3", name, len(table.Rows),
				table.Problems)
		}
		if table.Rows[1].Line != 4 {
			t.Errorf("%s: the row after it has line %d", name, table.Rows[1].Line)
		}
		if _, err := sweep.Read(strings.NewReader(head+good+bad), "test.csv",
			sweep.Options{Strict: true}); err == nil ||
			!strings.Contains(err.Error(), "line 3") {
			t.Errorf("%s: strict gives %v", name, err)
		}
	}
}

// A table says with its header which units it has and what separates its columns.
func TestReadTakesTheUnitsAndSeparatorsOfTheHeader(t *testing.T) {
	t.Parallel()
	want := tegra.Measured{TimeMS: 80.5, PowerW: 25.25}
	want.Mode = tegra.Mode{Cores: 4, CPU: 1190400 * tegra.KHz, GPU: 420750 * tegra.KHz, EMC: 2133 * tegra.MHz}
	for name, text := range map[string]string{
		"semicolons": "cores;cpu_khz;gpu_hz;mem_hz;time_ms;power_w\n4;1190400;420750000;2133000000;80,5;25,25\n",
		"and points": "cores;cpu_khz;gpu_hz;mem_hz;time_ms;power_w\n4;1190400;420750000;2133000000;80.5;25.25\n",
		"tabs": "\n\ncores\tcpu_khz\tgpu_hz\tmem_hz\ttime_ms\tpower_w\n" +
			"4\t1190400\t420750000\t2133000000\t80.5\t25.25\n",
		"other units": "cores,cpu_mhz,gpu_khz,emc_ghz,time_s,power_mw\n4,1190.4,420750,2.133,0.0805,25250\n",
		"of a spreadsheet": "Cores;CPU (kHz);GPU [MHz];Mem (Hz);Time (us);Power (W)\n" +
			"4;1190400;420,75;2133000000;80500;25,25\n",
		"a mode": "mode;time_ms;power_w\n4c/1.1904C/0.42075G/2.133M;80,5;25,25\n",
	} {
		table, err := sweep.Read(strings.NewReader(text), "test.csv", sweep.Options{})
		if err != nil || len(table.Rows) != 1 {
			t.Errorf("%s: %v, %+v", name, err, table)
			continue
		}
		got := table.Rows[0].Measured
		if got.Mode != want.Mode || math.Abs(got.TimeMS-want.TimeMS) > 1e-9 || math.Abs(got.PowerW-want.PowerW) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	const crossed = "cores,cpu_ms,gpu_hz,mem_hz,time_ms,power_w\n4,1190400,420750000,2133000000,80.5,25.25\n"
	if _, err := sweep.Read(strings.NewReader(crossed), "test.csv", sweep.Options{}); err == nil {
		t.Error("a clock in milliseconds is taken")
	}
}

func TestReadRefusesAFileWithoutUsableRows(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty file":           "",
		"header only":          head,
		"a column is missing":  "cores,cpu_khz,gpu_hz,time_ms,power_w\n1,2,3,4,5\n",
		"bad rows only":        head + "x,x,x,x,x,x\n",
		"no header":            "4,1190400,420750000,2133000000,80.5,25\n",
		"something else":       "\x7fELF\x00\x00",
		"an unterminated text": head + "\"4,1190400,420750000,2133000000,80.5,25\n",
	} {
		if table, err := sweep.Read(strings.NewReader(text), "test.csv", sweep.Options{}); err == nil {
			t.Errorf("%s: %d rows", name, len(table.Rows))
		} else if !strings.HasPrefix(err.Error(), "test.csv: ") {
			t.Errorf("%s: error %q does not say where", name, err)
		}
	}
	_, err := sweep.ReadFile(filepath.Join(t.TempDir(), "none.csv"), sweep.Options{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestModesNeedNoMeasurements(t *testing.T) {
	t.Parallel()
	table, err := sweep.Read(
		strings.NewReader("cores,cpu,gpu,mem\n4,1190400,420750000,2133000000\n4,1190400,420750000,2133000000\n"),
		"m.csv", sweep.Options{ModesOnly: true})
	if err != nil || len(table.Rows) != 2 || len(table.Modes()) != 1 {
		t.Errorf("%v, %v; want two rows of one mode", table, err)
	}
	if table, err = sweep.Read(strings.NewReader("cores,cpu,gpu,mem\n"), "m.csv",
		sweep.Options{ModesOnly: true}); err != nil ||
		len(table.Rows) != 0 {
		t.Errorf("a header alone: %v, %v; want no rows", table, err)
	}
	if _, err = sweep.Read(strings.NewReader("cores,cpu,gpu,mem\nx,y,z,0\n"), "m.csv",
		sweep.Options{ModesOnly: true}); err == nil {
		t.Error("modes none of which can be read: no error")
	}
}

func TestModesNeedNoBatchEither(t *testing.T) {
	t.Parallel()
	text := "cores,cpu,gpu,mem,bs,time_ms,power_w\n4,1190400,420750000,2133000000,junk,NaN,\n" +
		"4,1190400,420750000,2133000000,,x,-1\n"
	table, err := sweep.Read(strings.NewReader(text), "m.csv", sweep.Options{ModesOnly: true, Strict: true})
	if err != nil || len(table.Rows) != 2 || !slices.Equal(table.Batches(), tegra.Own) {
		t.Errorf("%+v, %v; want two rows, no matter what the other columns hold", table, err)
	}
}

func TestReadTakesTheMedianOfAModeMeasuredOften(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(head)
	for _, v := range []string{"10,30", "90,10", "20,20", "40,40"} {
		text.WriteString("4,1190400,420750000,2133000000," + v + "\n")
	}
	if got := read(t, text.String()).Measured(); len(got) != 1 || got[0].TimeMS != 30 || got[0].PowerW != 25 {
		t.Errorf("%+v, want 30 ms and 25 W", got)
	}
}

func TestBatchesAreKeptApart(t *testing.T) {
	t.Parallel()
	table := read(
		t,
		"cores,cpu,gpu,mem,bs,observed_time,observed_power\n4,1190400,420750000,2133000000,16,80,25\n"+
			"4,1190400,420750000,2133000000,4,30,20\n4,1190400,420750000,2133000000,x,30,20\n",
	)
	if got := table.Batches(); !slices.Equal(got, []int{4, 16}) || len(table.Problems) != 1 {
		t.Errorf("batches %v, problems %v", got, table.Problems)
	}
	if got := table.ForBatches([]int{4}).Measured(); len(got) != 1 || got[0].TimeMS != 30 || len(table.Rows) != 2 {
		t.Errorf("batch 4: %+v", got)
	}
}

func TestUnknownColumnsAreKept(t *testing.T) {
	t.Parallel()
	table := read(t,
		"status,cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w,why\nok,4,1190400,420750000,2133000000,80,25,\"a, b\"\n")
	if !slices.Equal(table.Extra, []string{"status", "why"}) ||
		!slices.Equal(table.Rows[0].Extra, []string{"ok", "a, b"}) {
		t.Errorf("%v, %v", table.Extra, table.Rows[0].Extra)
	}
}

func TestWriteReadsBack(t *testing.T) {
	t.Parallel()
	want := []tegra.Measured{
		{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 1, CPU: 115200 * tegra.KHz, GPU: 114750000, EMC: 665600000}},
			TimeMS: 0.1234567890123, PowerW: 7.08032},
		{
			Setting: tegra.Setting{
				Mode: tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500000, EMC: 3199 * tegra.MHz}},
			TimeMS: 1e6,
			PowerW: 60,
		},
	}
	var out bytes.Buffer
	must.NoError(t, sweeptest.Write(&out, want))
	if d := cmp.Diff(want, read(t, out.String()).Measured()); d != "" {
		t.Errorf("(-written +read):\n%s", d)
	}
	if err := sweeptest.Write(broken{}, want); err == nil {
		t.Error("a full disk is not an error")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestFolderMeansItsModesFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, os.WriteFile(filepath.Join(dir, "modes.csv"),
		[]byte(head+"4,1190400,420750000,2133000000,80,25\n"), 0o644))
	if table, err := sweep.ReadFile(dir, sweep.Options{}); err != nil || len(table.Rows) != 1 {
		t.Errorf("%v, %v", table, err)
	}
}

func TestPublishedSweepsReadWhole(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{sweeptest.ResNet: 4368, sweeptest.MobileNet: 4368, sweeptest.LSTM: 441} {
		table, err := sweep.ReadFile(sweeptest.Shared(t, name), sweep.Options{Strict: true})
		if err != nil {
			t.Error(err)
		} else if len(table.Rows) != want {
			t.Errorf("%s: %d rows, want %d", name, len(table.Rows), want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(head + "4,1190400,420750000,2133000000,80.5,25\n")
	f.Add("cores,cpu,gpu,mem,bs,observed_time,observed_power\n4,1190400,420750000,2133000000,16,80,25\n")
	f.Add(head + "x\"4,1190400\n\"\n")
	f.Add(head + "4,1190400,420750000,2133000000,80.5,25,\"torn\n4,1190400,420750000,2133000000,80.5,25\n")
	f.Add("cores,cores,cpu,gpu,mem,time_ms,power_w\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		table, err := sweep.Read(strings.NewReader(text), "fuzz", sweep.Options{})
		if err != nil {
			return
		}
		for _, m := range table.Measured() {
			if !(m.TimeMS > 0) || !(m.PowerW > 0) || m.Mode.Cores <= 0 || m.Mode.CPU <= 0 {
				t.Errorf("%+v came out", m)
			}
		}
		var out bytes.Buffer
		must.NoError(t, sweeptest.Write(&out, table.Measured()))
		if _, err := sweep.Read(&out, "again", sweep.Options{Strict: true}); err != nil {
			t.Errorf("what was read does not read back: %v", err)
		}
	})
}

func TestReadTakesTheWorkloadThatAFileNames(t *testing.T) {
	t.Parallel()
	const head, row = "cores,cpu,gpu,mem,observed_time,observed_power", "2,268800,114750000,204000000,10,9"
	for text, want := range map[string]string{
		head + "\n" + row + "\n":                                     "",
		head + ",Workload\n" + row + ",ResNet\n" + row + ",ResNet\n": "ResNet",
		head + ",workload\n" + row + ",ResNet\n" + row + ",LSTM\n":   "",
	} {
		table, err := sweep.Read(strings.NewReader(text), "test", sweep.Options{})
		if err != nil || table.Workload() != want {
			t.Errorf("%q: got %q and %v, want %q", text, table.Workload(), err, want)
		}
	}
}

func TestReadRefusesFilesBeyondItsBoundsAtOnce(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	row := "4,1190400,420750000,2133000000,80.5,25\n"
	const many = "more than 100,000 lines"
	for name, c := range map[string]struct {
		text io.Reader
		want string
	}{
		"commas in one line":   {strings.NewReader(strings.Repeat(",", 2*mb)), "line 1 is longer than 1 MB"},
		"a header of commas":   {strings.NewReader(strings.Repeat(",", mb/2) + "\n"), "columns, at most 1,000"},
		"lines of commas":      {strings.NewReader(head + strings.Repeat(",\n", mb)), "no usable row"},
		"one long line of all": {strings.NewReader(head + row + strings.Repeat("9", 2*mb)), "line 3 is long"},
		"rows and rows":        {io.MultiReader(strings.NewReader(head), &endless{row: row}), many},
		"one row again":        {strings.NewReader(head + strings.Repeat(row, 100_000)), many},
		"bad rows after a row": {strings.NewReader(head + row + strings.Repeat("1\n", 100_000)), many},
		"empty lines":          {strings.NewReader(head + row + strings.Repeat("\n", 100_000)), many},
		"cells": {strings.NewReader(strings.TrimSpace(head) + strings.Repeat(",x", 990) + "\n" +
			strings.Repeat(strings.TrimSpace(row)+strings.Repeat(",1", 990)+"\n", 2500)), "more than 2,000,000 cells"},
		"clocks": {strings.NewReader(head + scatteredRows(1001)), "column cpu_khz holds more than 1,000 values"},
		"bytes": {strings.NewReader(head + strings.Repeat(strings.TrimSpace(row)+strings.Repeat(" ", mb/2)+"\n", 65)),
			"larger than 32 MB"},
	} {
		_, err := sweep.Read(c.text, "t.csv", sweep.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// scatteredRows are rows with a CPU clock each.
func scatteredRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "4,%d,420750000,2133000000,80.5,25\n", 1_000_000+i)
	}
	return b.String()
}

// endless gives the same row, with another time each time.
type endless struct {
	row string
	n   int
}

func (e *endless) Read(p []byte) (int, error) {
	e.n++
	return copy(p, strings.Replace(e.row, "80.5", fmt.Sprintf("80.%d", e.n), 1)), nil
}

func TestReadTakesCopiesOfARowOnce(t *testing.T) {
	t.Parallel()
	row := "4,1190400,420750000,2133000000,80.5,25\n"
	table := read(t, head+row+row+strings.Replace(row, "80.5", "80.50001", 1)+row)
	if len(table.Rows) != 2 || table.Copies != 2 || len(table.Problems) != 0 {
		t.Errorf("%d rows, %d copies, problems %v; want 2 and 2", len(table.Rows), table.Copies, table.Problems)
	}
}

func TestReadSeesSwappedColumnsAndDoubtsUnits(t *testing.T) {
	t.Parallel()
	text := func(values string, scale float64) string {
		var b strings.Builder
		b.WriteString(strings.Replace(head, "time_ms,power_w", values, 1))
		for cores := 1; cores <= 10; cores++ {
			n := float64(cores)
			fmt.Fprintf(&b, "%d,1190400,420750000,2133000000,%g,%g\n", cores, 400*scale/n, 10+n)
		}
		return b.String()
	}
	if table := read(t, text("time_ms,power_w", 1)); len(table.Rows) != 10 || table.Doubt != "" {
		t.Errorf("unchanged: %+v", table)
	}
	_, err := sweep.Read(strings.NewReader(text("power_w,time_ms", 1)), "t.csv", sweep.Options{})
	if err == nil || !strings.Contains(err.Error(), "swapped") {
		t.Errorf("swapped: %v", err)
	}
	for scale, want := range map[float64]string{1e-3: "seconds", 1e3: "microseconds"} {
		if table := read(t, text("time_ms,power_w", scale)); !strings.Contains(table.Doubt, want) {
			t.Errorf("times %g: %q, want %s", scale, table.Doubt, want)
		}
	}
}

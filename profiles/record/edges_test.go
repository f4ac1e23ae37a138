package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
)

// A run of one epoch is that epoch: it has no line of its own.
func TestRunOfOneEpochHasNoLineForIt(t *testing.T) {
	t.Parallel()
	for epochs, want := range map[int]int{0: 0, 1: 0, 2: 2, 3: 3} {
		got := 0
		for _, line := range (Run{Status: OK, Character: Character{Epochs: make([]Part, epochs)}}).printed() {
			if slices.Contains(line, partEpoch) {
				got++
			}
		}
		if got != want {
			t.Errorf("%d epochs: %d lines, want %d", epochs, got, want)
		}
	}
}

// Readings count from the beginning of the first clean minibatch to the end of the last, both included; a single line
// that cannot be read is noted.
func TestReadEntriesTakesBothEnds(t *testing.T) {
	t.Parallel()
	dir, mode := t.TempDir(), "4,729600,318750000,665600000"
	write := func(name, text string) {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write(minibatchesName, csvlines.Line(minibatchColumns)+
		"1.000,"+mode+",0,0,500,,,,,true,,\n2.000,"+mode+",0,1,500,,,,,true,,\n")
	samples := csvlines.Line(sampleColumns)
	for _, at := range []string{"0.499", "0.500", "2.000", "2.001"} {
		samples += at + "," + mode + "," + strings.TrimPrefix(at, "0.") + ",true,,\n"
	}
	const other = "8,729600,318750000,665600000"
	samples += "1.000," + mode + ",3,false,not valid,\n1.000," + mode + ",,true,,\n1.000," + other + ",4,true,,\n"
	write(samplesName, samples+"soon,"+mode+",9,true,,\n1.000,"+mode+",x,true,,\n")
	got, notes, err := ReadEntries(dir, 0)
	of := got[tegra.Mode{Cores: 4, CPU: 729600 * tegra.KHz, GPU: 318750000, EMC: 665600000}]
	if err != nil || len(got) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "2 unreadable") ||
		!slices.Equal(of.PowersW, []float64{500, 2}) || len(of.TimesMS) != 2 {
		t.Errorf("%+v, notes %q, %v", of, notes, err)
	}
}

// Each run's epochs have a line, whether the run was measured here or comes from another record.
func TestRecordWritesALineForEachEpoch(t *testing.T) {
	t.Parallel()
	r := must.Get(Create(filepath.Join(t.TempDir(), "c"), testHeader(t)))(t)
	row, like := exampleRows()[0], aCharacter()
	row.Character = &like
	must.NoError(t, errors.Join(r.Append(row), r.AppendRun(Run{Mode: row.Mode, Status: OK, Character: like}),
		r.Close()))
	text, err := os.ReadFile(filepath.Join(r.Dir(), epochsName))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	want := "0.000,2,1651200,624750000,3199000000,2,40,1500,36,1.5,30,2,31.25,1.2,true"
	if err != nil || len(lines) != 1+2*3 || lines[3] != want || lines[6] != want {
		t.Errorf("%v, %d lines, want the last of each run %s:\n%s", err, len(lines), want, text)
	}
}

// A run counts where it has a row of its mode, status, and in an experiment of its setting and repeat.
func TestRunsWithRowsAreAsManyAsTheRows(t *testing.T) {
	t.Parallel()
	mode := func(cores int) tegra.Mode { return tegra.Mode{Cores: cores} }
	of := func(cores int, status Status, setting string, repeat int) (Run, Row) {
		row := Row{Status: status}
		row.Mode = mode(cores)
		if repeat > 0 {
			row.Extra = (&Variant{setting, repeat}).Columns()
		}
		return Run{Mode: mode(cores), Status: status, Setting: setting, Repeat: repeat}, row
	}
	first, firstRow := of(4, OK, "b=8", 1)
	for _, other := range []struct {
		cores   int
		status  Status
		setting string
		repeat  int
	}{{8, OK, "b=8", 1}, {4, Unstable, "b=8", 1}, {4, OK, "b=16", 1}, {4, OK, "b=8", 2}, {4, OK, "b=8", 1}} {
		last, lastRow := of(other.cores, other.status, other.setting, other.repeat)
		runs := []Run{first, last}
		if got := withRows(runs, []Row{firstRow, lastRow}); len(got) != 2 {
			t.Errorf("%+v with its row: %d runs", other, len(got))
		}
		if got := withRows(runs, []Row{firstRow}); len(got) != 1 {
			t.Errorf("%+v without its row: %d runs", other, len(got))
		}
	}
}

// A run with an unreadable line consists of the lines behind it.
func TestParseRunsBeginsAgainAfterAnUnreadableLine(t *testing.T) {
	t.Parallel()
	lines := (Run{Status: OK, Character: aCharacter()}).printed()
	lines[1][8] = "half"
	text := csvlines.Line(runColumns)
	for _, line := range lines {
		text += csvlines.Line(line)
	}
	runs, notes := parseRuns([]byte(text))
	if len(runs) != 1 || len(notes) != 1 {
		t.Fatalf("%d runs, notes %q", len(runs), notes)
	}
	if epochs := runs[0].Character.Epochs; len(epochs) != 1 || epochs[0].Epoch != 2 {
		t.Errorf("%+v, notes %q", runs, notes)
	}
}

// Readers of sweeps skip a row without a time, such as one that was ended for its power, which it keeps.
func TestRowThatIsNotUsableShowsNoTimeAndPower(t *testing.T) {
	t.Parallel()
	for _, status := range statuses {
		f := Row{Measured: tegra.Measured{TimeMS: 5, PowerW: 9}, Status: status}.Fields()
		want := []string{"", ""}
		switch {
		case status.Usable():
			want = []string{"5", "9"}
		case status == Over:
			want = []string{"", "9"}
		}
		if !slices.Equal(f[4:6], want) {
			t.Errorf("%s: %q, want %q", status, f[4:6], want)
		}
	}
	bare := exampleRows()[0]
	bare.Bare = true
	got, want := bare.Fields()[6:], "ok          1.5 60 9.7 1.53216       "
	if strings.Join(got, " ") != want {
		t.Errorf("a row of another program: %q, want %q", strings.Join(got, " "), want)
	}
}

// Columns of other tables that are named as some of a pair's or of serving's are kept unread.
func TestParseRowsKeepsOtherColumns(t *testing.T) {
	t.Parallel()
	others := []string{"policy", "tau", "kind", "unit", "p50_ms", "when"}
	text := csvlines.Line(slices.Concat(Columns, others))
	text += csvlines.Line(slices.Concat(exampleRows()[0].Fields(), []string{"a", "b", "c", "d", "e", "f"}))
	rows, notes := parseRows([]byte(text))
	if len(rows) != 1 || rows[0].Pair != nil || rows[0].Serving != nil || strings.Join(rows[0].Extra, "") != "abcdef" {
		t.Errorf("%+v, notes %q", rows, notes)
	}
}

// Runs whose rows cannot be read are an error: a run without a row would be taken for one with it.
func TestReadRunsNeedsTheRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, os.Mkdir(filepath.Join(dir, modesName), 0o700))
	if _, _, err := ReadRuns(dir); err == nil {
		t.Error("no error where modes.csv is a folder")
	}
}

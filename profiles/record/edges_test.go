package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/tegra"
)

// A minibatch of one sample is a batch size too.
func TestParseRowsTakesABatchOfOne(t *testing.T) {
	t.Parallel()
	text := csvLine(append(slices.Clone(Columns), SizeColumn))
	for _, size := range []string{"1", "0"} {
		text += csvLine(append(exampleRows()[0].Fields(), size))
	}
	rows, notes := parseRows([]byte(text))
	if len(rows) != 1 || rows[0].Batch != 1 || len(notes) != 1 {
		t.Errorf("%d rows, notes %q", len(rows), notes)
	}
}

// A run of one epoch is that epoch: it has no line of its own.
func TestRunOfOneEpochHasNoLineForIt(t *testing.T) {
	t.Parallel()
	for epochs, want := range map[int]int{0: 0, 1: 0, 2: 2, 3: 3} {
		got := 0
		for _, line := range (Run{Status: OK, Character: Character{Epochs: make([]Part, epochs)}}).lines() {
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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(minibatchesName, csvLine(minibatchColumns)+
		"1.000,"+mode+",0,0,500,,,,,true,,\n2.000,"+mode+",0,1,500,,,,,true,,\n")
	samples := csvLine(sampleColumns)
	for _, at := range []string{"0.499", "0.500", "2.000", "2.001"} {
		samples += at + "," + mode + "," + strings.TrimPrefix(at, "0.") + ",true,,\n"
	}
	write(samplesName, samples+"soon,"+mode+",9,true,,\n")
	got, notes, err := ReadEntries(dir, 0)
	of := got[tegra.Mode{Cores: 4, CPU: 729600 * tegra.KHz, GPU: 318750000, EMC: 665600000}]
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "1 unreadable") ||
		!slices.Equal(of.PowersW, []float64{500, 2}) || len(of.TimesMS) != 2 {
		t.Errorf("%+v, notes %q, %v", of, notes, err)
	}
}

// Runs whose rows cannot be read are an error: a run without a row would be taken for one with it.
func TestReadRunsNeedsTheRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, modesName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadRuns(dir); err == nil {
		t.Error("no error where modes.csv is a folder")
	}
}

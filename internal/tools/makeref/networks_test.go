package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn/baseline/nn"
)

// rows are made up: twelve modes of a board that is slower with less GPU.
const rows = `cores,cpu,gpu,mem,observed_time,observed_power
2,268800,114750000,204000000,900,12
4,268800,216750000,204000000,700,13
6,576000,318750000,665600000,500,15
8,576000,420750000,665600000,420,16
10,883200,522750000,665600000,350,18
12,883200,624750000,2133000000,260,21
2,1190400,726750000,2133000000,220,22
4,1190400,828750000,2133000000,200,25
6,1497600,930750000,3199000000,160,29
8,1804800,1032750000,3199000000,140,33
10,2112000,1134750000,3199000000,125,38
12,2201600,1300500000,3199000000,110,45
`

func TestMakerefWritesNetworksAndTheirNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.csv")
	must.NoError(t, os.WriteFile(file, []byte(rows), 0o644))
	var out strings.Builder
	must.NoError(t, run(t.Context(), []string{
		"-sweep", file, "-out", dir, "-minsteps", "-1",
	}, &out))
	for _, suffix := range []string{nn.TimeSuffix, nn.PowerSuffix} {
		data := must.Read(t, filepath.Join(dir, nn.ReferenceName+suffix))
		if err := new(nn.Net).UnmarshalBinary(data); err != nil {
			t.Errorf("%s: %v", suffix, err)
		}
	}
	note := must.Read(t, filepath.Join(dir, nn.ReferenceName+nn.ProvenanceSuffix))
	for _, want := range []string{`"modes": 12`, "bf7d6b73", "makeref -sweep"} {
		if !strings.Contains(string(note), want) {
			t.Errorf("the note lacks %q:\n%s", want, note)
		}
	}
	if !strings.Contains(out.String(), "MAPE over 12 modes") {
		t.Errorf("printed %q", out.String())
	}
}

package record

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
)

func TestRailsInHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"t_s,why,meter_w":                                     "",
		"t_s,why,meter_w,virtual":                             "",
		"t_s,meter_w,VDD_IN_v,VDD_IN_a,VDD_SOC_v,VDD_SOC_a":   "VDD_IN,VDD_SOC",
		"t_s,meter_w,bs,VDD_IN_v,VDD_IN_a,virtual":            "VDD_IN",
		"t_s,meter_w,bs,VDD_IN_v,VDD_SOC_a,virtual":           "", // of two rails
		"t_s,meter_w,5V_v_v,5V_v_a,A_a_v,A_a_a,virtual":       "5V_v,A_a",
		"t_s,meter_w,VDD_IN_v,VDD_IN_a,something,VDD_v,VDD_a": "VDD",
	} {
		if got := strings.Join(railsIn(strings.Split(header, ",")), ","); got != want {
			t.Errorf("%s: rails %q, want %q", header, got, want)
		}
	}
}

// A folder that a jtune without rails began keeps its columns, and its lines stay readable.
func TestRecordGoesOnWithoutRails(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	before := testHeader(t)
	before.Device.Rails = nil
	r, err := Create(dir, before)
	must.NoError(t, err)
	at := tegra.Setting{Mode: exampleRows()[0].Mode}
	must.NoError(t, r.Sample(at, goodSample(time.Second)))
	r.Close()
	again, err := OpenOrCreate(dir, testHeader(t), true)
	must.NoError(t, err)
	more := goodSample(2 * time.Second)
	more.Reading.Rails = []tegra.RailReading{{Name: "VDD_GPU_SOC", Volts: tegra.Some(18.8), Amperes: tegra.Some(1.0)}}
	must.NoError(t, again.Sample(at, more))
	again.Close()
	text := must.Read(t, filepath.Join(dir, samplesName))
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); len(lines) != 3 ||
		!slices.Equal(strings.Split(lines[0], ","), append(slices.Clone(sampleColumns), "virtual")) {
		t.Errorf("samples.csv:\n%s", text)
	}
	bad, err := parseRaw(bytes.NewReader(text), func(*sampleLine, []string, []string) error { return nil })
	if bad != 0 || err != nil {
		t.Errorf("%d lines are unreadable", bad)
	}
}

func TestSizeOfALineWithRails(t *testing.T) {
	t.Parallel()
	columns := slices.Concat(sampleColumns, []string{SizeColumn}, railColumns([]string{"VDD_IN"}))
	text := csvlines.Line(append(slices.Clone(columns), "virtual")) +
		"1.000,2,1651200,624750000,3199000000,20.5,true,,,16,5.0,4.1,true\n"
	read, of16 := 0, 0
	bad, _ := parseRaw(strings.NewReader(text), func(l *sampleLine, columns, fields []string) error {
		read++
		rails, err := furtherValues(columns, fields, railsIn(columns))
		if l.Size == tegra.Some(16) && len(rails) > 0 && rails[0].On == "VDD_IN" {
			of16++
		}
		return err
	})
	if bad != 0 || read != 1 || of16 != 1 {
		t.Errorf("%d lines read, %d of batch size 16, %d unreadable", read, of16, bad)
	}
}

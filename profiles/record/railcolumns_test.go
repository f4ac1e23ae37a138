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

// A line has the values of a rail wherever the rail's columns are.
func TestRailsOfALine(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"why,meter_w": "",
		"meter_w,VDD_IN_v,VDD_IN_a,VDD_SOC_v,VDD_SOC_a": "current VDD_IN,current VDD_SOC,rail_power VDD_IN," +
			"rail_power VDD_SOC",
		"meter_w,bs,VDD_IN_v,VDD_IN_a":                  "current VDD_IN,rail_power VDD_IN",
		"meter_w,bs,VDD_IN_v,VDD_SOC_a":                 "current VDD_SOC", // of two rails
		"5V_v_v,5V_v_a,A_a_v,A_a_a":                     "current 5V_v,current A_a,rail_power 5V_v,rail_power A_a",
		"VDD_IN_v,VDD_IN_a,something,VDD_w,VDD_v,VDD_a": "current VDD_IN,current VDD,rail_power VDD_IN,rail_power VDD",
		"gpu_v": "",
	} {
		columns := append([]string{"t_s"}, strings.Split(header, ",")...)
		codec := csvlines.NewCodec[sampleLine](columns)
		l, _, err := codec.Read(slices.Repeat([]string{"2"}, len(columns)))
		must.NoError(t, err)
		var got []string
		for _, v := range l.further() {
			got = append(got, v.Metric+" "+v.On)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

// A folder that a jtune without rails began keeps its columns, and its lines stay readable.
func TestRecordGoesOnWithoutRails(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	before := testHeader(t)
	before.Device.Rails = nil
	r := must.Get(Create(dir, before))(t)
	at := tegra.Setting{Mode: exampleRows()[0].Mode}
	must.NoError(t, r.Sample(at, goodSample(time.Second)))
	r.Close()
	again := must.Get(OpenOrCreate(dir, testHeader(t), true))(t)
	more := goodSample(2 * time.Second)
	more.Reading.Rails = []tegra.RailReading{{Name: "VDD_GPU_SOC", Volts: tegra.Some(18.8), Amperes: tegra.Some(1.0)}}
	must.NoError(t, again.Sample(at, more))
	again.Close()
	text := must.Read(t, filepath.Join(dir, samplesName))
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); len(lines) != 3 ||
		!slices.Equal(strings.Split(lines[0], ","), append(slices.Clone(sampleColumns), "virtual")) {
		t.Errorf("samples.csv:\n%s", text)
	}
	bad, err := parseRaw(bytes.NewReader(text), func(*sampleLine) error { return nil })
	if bad != 0 || err != nil {
		t.Errorf("%d lines are unreadable", bad)
	}
}

func TestSizeOfALineWithRails(t *testing.T) {
	t.Parallel()
	columns := slices.Concat(sampleColumns, []string{SizeColumn}, RailColumns([]string{"VDD_IN"}))
	text := csvlines.Line(append(slices.Clone(columns), "virtual")) +
		"1.000,2,1651200,624750000,3199000000,20.5,true,,,16,5.0,4.1,true\n"
	read, of16 := 0, 0
	bad, _ := parseRaw(strings.NewReader(text), func(l *sampleLine) error {
		read++
		if rails := l.further(); l.Size == tegra.Some(16) && len(rails) > 0 && rails[0].On == "VDD_IN" {
			of16++
		}
		return nil
	})
	if bad != 0 || read != 1 || of16 != 1 {
		t.Errorf("%d lines read, %d of batch size 16, %d unreadable", read, of16, bad)
	}
}

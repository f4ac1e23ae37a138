package soak

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/internal/text"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry/hold"
)

// courseText writes samples as files.sample does.
func courseText(list []Seen, rails, signals []string) []byte {
	codec := csvlines.NewCodec[line](columnsOf(rails, signals))
	out := csvlines.Line(append(slices.Clone(codec.Columns), "virtual"))
	for _, s := range list {
		l := s.line()
		out += csvlines.Line(append(codec.Print(&l), "false"))
	}
	return []byte(out)
}

func TestCourseKeepsNegativeReadings(t *testing.T) {
	t.Parallel()
	s := Seen{AtS: 1, Wall: time.UnixMilli(1000)}
	s.Reading.TotalW = tegra.Some(-0.25)
	s.Reading.Rails = []tegra.RailReading{{Name: "VDD_IN", Volts: tegra.Some(5.0), Amperes: tegra.Some(-0.05)}}
	list := must.Get(parseCourse(courseText([]Seen{s}, []string{"VDD_IN"}, nil), plan{}))(t)
	must.Equal(t, len(list), 1)
	must.Equal(t, list[0].Reading.TotalW, s.Reading.TotalW)
	must.Equal(t, list[0].Rail("VDD_IN").Amperes, tegra.Some(-0.05))
}

// FuzzCourse reads the samples of a soak, which it goes on from and is judged by.
func FuzzCourse(f *testing.F) {
	f.Add([]byte("t_s,unix_s,power_w,tj_c,cpu_khz,gpu_hz,locked,slow,alarms,events_under-voltage,over_currents," +
		"part,VDD_IN_v,VDD_IN_a,virtual\n" +
		"0.0,1700000000.0,9.5,41.25,729600,318750000,true,CPU core 4=862000000/1728000000,over current;heat," +
		"3,4,0,5.1,1.9,false\n" +
		"1.0,1700000001.0,,,,,,,,,,1,,,false\n2.0,17"))
	f.Add([]byte("t_s,_v,virtual\n-0,-0,x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer reliability.Input(t)()
		list, err := parseCourse(data, plan{TripC: 95})
		if err != nil {
			return
		}
		head, _ := csv.NewReader(bytes.NewReader(data)).Read()
		var rails, signals []string
		for _, name := range head {
			if rail, ok := strings.CutSuffix(name, "_v"); ok && len(rails) < record.MostRails {
				rails = append(rails, text.OneLine(rail))
			}
			if signal, ok := strings.CutPrefix(name, eventsColumn); ok && len(signals) < record.MostRails {
				signals = append(signals, strings.ReplaceAll(text.OneLine(signal), "_", " "))
			}
		}
		written := courseText(list, rails, signals)
		again, err := parseCourse(written, plan{TripC: 95})
		if err != nil || len(again) != len(list) {
			t.Fatalf("%d of %d samples come back, %v:\n%s", len(again), len(list), err, written)
		}
		must.Equal(t, written, courseText(again, rails, signals))
	})
}

// FuzzPlan reads the request of a soak and the board's state before it.
func FuzzPlan(f *testing.F) {
	f.Add("format = 1\nmode = \"4,729600,318750000,665600000\"\nfor_s = 600.0\nlimit_w = 30.0\nrail_a = \"VDD_IN\"\n" +
		"watched = [\"power\"]\ncounted = 3\n[crit_a]\nVDD_IN = 4.5\n")
	f.Add("format = 1\nrest_s = inf\nalarms = [\"\\u0000\"]\nload = \"" + strings.Repeat("x", 200) + "\"\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data string) {
		defer reliability.Input(t)()
		p, err := parsePlan(planName, data)
		if err != nil {
			return
		}
		must.NoError(t, p.write(dir))
		again, err := readPlan(dir)
		if err != nil {
			t.Fatalf("a plan that was read and written: %v", err)
		}
		if reflect.DeepEqual(p, again) {
			return
		}
		must.Equal(t, cmp.Diff(p, again, nothingIsEmpty), "")
	})
}

// FuzzResult reads a soak's verdict.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"verdict":"holds","reason":"holds for 10 min","mode":{"cores":4,"cpu_khz":729600,"gpu_hz":318750000,` +
		`"mem_hz":665600000},"duration_s":600,"steady":{"tj_c":61.5,"lo_c":60,"hi_c":63,"reached":true},` +
		`"peak":{"power_w":20.5,"rail":"VDD_IN"},"throttled":{"at_s":3,"clock":"GPU","from_hz":1,"to_hz":null},` +
		`"events":[{"at_s":1,"what":"fan\nat 100 %"}]}`))
	f.Add([]byte(`{"verdict":"does not hold","events":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer reliability.Input(t)()
		var was, is hold.Result
		if json.Unmarshal(data, &was) != nil || was.Check() != nil {
			return
		}
		text := must.Get(json.Marshal(was))(t)
		if err := json.Unmarshal(text, &is); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if err := is.Check(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		again := must.Get(json.Marshal(is))(t)
		must.Equal(t, text, again)
	})
}

// nothingIsEmpty takes lists and tables without entries for absent ones, as TOML does not tell them apart.
var nothingIsEmpty = cmp.FilterValues(func(a, b any) bool {
	return empty(a) && empty(b)
}, cmp.Ignore())

func empty(v any) bool {
	switch v := v.(type) {
	case []string:
		return len(v) == 0
	case map[string]float64:
		return len(v) == 0
	}
	return false
}

package metric

import (
	"errors"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/internal/usage"
	"jtune/tegra"
)

func TestGoalIsReadAndPrintedAlike(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]Question{
		"30 W":        {Limit: Watts(30)},
		"0.5 W":       {Limit: Watts(0.5)},
		"30 W, 50 ms": {Limit: Within(Power.Max(30).And(Time.Max(50)))},
		"30 W, p99 50 ms, 30/s": {Watts(30),
			arrivals.Spec{RatePerS: 30, LatencyMS: 50, Quantile: 0.99}},
		"p95 12.5 ms, 7.5/s, uniform, wait 20 ms": {Load: arrivals.Spec{RatePerS: 7.5, LatencyMS: 12.5, Quantile: 0.95,
			Arrivals: "uniform", MaxWaitMS: 20}},
		"30 W, 5 A VDD_IN, 4.75 V, 85 °C, least energy, p99 50 ms, 30/s": {
			Goal{Objective: Energy, Limits: Power.Max(30).With(Bound{Current, "VDD_IN", 5}).And(Voltage.Max(4.75)).
				And(Temperature.Max(85))}, arrivals.Spec{RatePerS: 30, LatencyMS: 50, Quantile: 0.99}},
		"5 A, 3 A VDD_GPU": {Limit: Within(Current.Max(5).With(Bound{Current, "VDD_GPU", 3}))},
		"2 J":              {Limit: Within(Energy.Max(2))},
		"10 % slower":      {Limit: Goal{SlowerPct: 10}},
		"knee":             {Limit: Goal{Knee: true}},
		"30 W, least time": {Limit: Goal{Limits: Power.Max(30), Objective: Time}},
		"p99.9 50 ms":      {Load: arrivals.Spec{LatencyMS: 50, Quantile: 0.999}},
	} {
		got, err := Parse(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if want.Load.Any() {
			want.Load.PowerAs = "peak"
		}
		if got != want {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
		if got.String() != line {
			t.Errorf("%s is printed as %s", line, got)
		}
	}
	for line, want := range map[string]string{
		"85 C, 15W": "15 W, 85 °C", "85 ° C": "85 °C", "500 mA vdd_in": "0.5 A vdd_in",
		"12W VDD_GPU": "12 W VDD_GPU",
		"0.08 s":      "80 ms", "90/min": "1.5/s", "least energy": "least energy", "4750 mV": "4.75 V"} {
		if got, err := Parse(line); err != nil || got.String() != want {
			t.Errorf("%q is read as %v, %v, want %s", line, got, err, want)
		}
	}
	loose, err := Parse("  p99   50ms ,30W,,30/S ")
	if err != nil || loose.String() != "30 W, p99 50 ms, 30/s" {
		t.Errorf("without blanks: %v, %v", loose, err)
	}
}

func TestGoalRefusesWhatIsNoLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", " , ", "30", "W", "-3 W", "NaN W", "Inf ms", "p99", "p99 ms", "p0 5 ms",
		"p100 5 ms", "pp 5 ms", "0/s", "5000000/s", "30/h", "uniform", "wait", "wait 5", "wait -1 ms", "\x1b[31m 3 W",
		"15 Q", "2000 W", "200 °C", "15 ms VDD_IN", "5 A a b", "15 W;85 C", "1e999 W", "30 MW", "least current",
		"least", "15 W, 20 W",
		"knee, least energy", "least energy, least power", "5 A \x1b[31m"} {
		if got, err := Parse(line); !usage.Is(err) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q is read as %v, %v", line, got, err)
		}
	}
	if _, err := Parse("30 W, 5 Q, 85 C"); err == nil || !strings.Contains(err.Error(), `"5 Q"`) {
		t.Errorf("the clause that is not understood is not named: %v", err)
	}
}

func TestGoalsOfOneLineDifferInOneLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		bare *Metric
		want string // each goal, then the line again
	}{
		{"20 W, 25 W, 80 ms", nil, "20 W, 80 ms; 25 W, 80 ms; 20 W, 80 ms, 25 W"},
		{"25 30,20 25", Power, "25 W; 30 W; 20 W; 25 W, 30 W, 20 W"},
		{"80 120 ms", Time, "80 ms; 120 ms; 80 ms, 120 ms"},
		{"p99 50 ms, 30/s, 25", Power, "25 W, p99 50 ms, 30/s; 25 W, p99 50 ms, 30/s"},
	} {
		list, err := ParseList(c.line, c.bare)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		var got []string
		for _, l := range list.Limits {
			got = append(got, Question{l, list.Load}.String())
		}
		if got := strings.Join(append(got, list.String()), "; "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
	for _, line := range []string{"20 W, 25 W, 80 ms, 90 ms", "25 x"} {
		if got, err := ParseList(line, Power); err == nil {
			t.Errorf("%s is read as %v", line, got)
		}
	}
}

func TestGoalIsStoredAsALineAndReadFromAnOldTable(t *testing.T) {
	t.Parallel()
	var got struct{ A, B, C Goal }
	text := "A = \"30 W, 5 A VDD_IN, least energy\"\nB = \"\"\n[C]\nPowerW = 20.0\nTimeMS = 80.0\nEnergy = true\n"
	_, err := toml.Decode(text, &got)
	must.NoError(t, err)
	if got.A.String() != "30 W, 5 A VDD_IN, least energy" || got.B != (Goal{}) ||
		got.C.String() != "20 W, 80 ms, least energy" {
		t.Errorf("got %v, %v, %v", got.A, got.B, got.C)
	}
}

func TestLimitsNeedASensor(t *testing.T) {
	t.Parallel()
	fed := tegra.Board{TotalRule: "VDD_IN"}
	power := tegra.Reading{TotalW: tegra.Some(10.0), Rails: []tegra.RailReading{{Name: "VDD_IN",
		PowerW: tegra.Some(10.0)}}}
	current := tegra.Reading{TotalW: tegra.Some(10.0), Rails: []tegra.RailReading{{Name: "VDD_IN",
		Amperes: tegra.Some(2.0), Volts: tegra.Some(5.0)}}}
	for _, c := range []struct {
		line  string
		board tegra.Board
		now   tegra.Reading
		want  string
	}{
		{"5 A", fed, power, "shows no current, but power, time, energy"},
		{"4.75 V", fed, power, "shows no voltage"},
		{"80 °C", fed, power, "shows no temperature"},
		{"20 W, 80 ms", fed, power, ""},
		{"80 ms", fed, tegra.Reading{}, ""},
		{"20 W", fed, tegra.Reading{}, "shows no power"},
		{"5 A VDD_SOC", fed, current, "give one of VDD_IN"},
		{"5 A VDD_IN, 4.75 V", fed, current, ""},
		{"4.75 V", tegra.Board{}, current, "give one of VDD_IN"},
		{"4.75 V VDD_IN", tegra.Board{}, current, ""},
	} {
		q, err := Parse(c.line)
		must.NoError(t, err)
		err = q.Limit.Limits.Shown(c.board, c.now)
		if (err == nil) != (c.want == "") ||
			err != nil && (!errors.Is(err, tegra.ErrUnsupported) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}

func FuzzGoalIsReadAndPrintedAlike(f *testing.F) {
	for _, line := range []string{"30 W, p99 50 ms, 30/s", "p95 12.5 ms, 7.5/s, uniform, wait 20 ms", "1e3 w"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		defer reliability.Input(t)()
		a, err := Parse(line)
		if err != nil {
			return
		}
		again, err := Parse(a.String())
		if err != nil || again.String() != a.String() {
			t.Errorf("%q is %q, which is %v, %v", line, a, again, err)
		}
	})
}

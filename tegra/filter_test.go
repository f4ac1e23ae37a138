package tegra_test

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

func TestFilterCountsTheModesOfTheAGXOrin(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	for expr, want := range map[string]int{
		"":                          18096,
		"cores>=8":                  18096 * 5 / 12,
		"cores >= 8":                18096 * 5 / 12,
		"cores=12":                  18096 / 12,
		"cores!=12":                 18096 * 11 / 12,
		"gpu<900MHz":                18096 * 8 / 13,
		"gpu < 900 MHz, cores == 1": 18096 * 8 / 13 / 12,
		"gpu=1.30GHz":               18096 / 13, // as 1300.5 MHz prints
		"gpu=1.30G":                 18096 / 13, // as modes are written
		"cpu=2.20C mem=3.20M":       18096 / 29 / 4,
		"mem<=2133MHz emc>204MHz":   18096 / 2,
		"CPU>2.2GHz":                18096 / 29,
		"CPU>2.20GHz":               0, // the listed 2201.6 MHz is what 2.20 GHz means
		"gpu<=1.30G":                18096,
		"gpu<900":                   18096 * 8 / 13,       // MHz
		"gpu<0.9":                   18096 * 8 / 13,       // GHz
		"gpu<=1300500000":           18096,                // unit of files
		"cpu=2201600":               18096 / 29,           // unit of files
		"cores=2,4,6":               18096 * 3 / 12,       // any of a list
		"cores != 2, 4 gpu=1.30":    18096 * 10 / 12 / 13, // none of a list
		"gpu=0.62GHz,0.83GHz":       18096 * 2 / 13,       // the nearest listed values
		"gpu=620MHz cores=12":       18096 / 13 / 12,
		"12c/1.65C/0.62G/3.19M":     1,
		"12c/1.65C/0.62G/3.20M,8c/1650MHz/620/3199": 2,
		"12c/1.65C/0.62G/3.20M cores=8":             0,
		"cores>12":                                  0,
		"power<20":                                  0, // unknown for a mode alone
	} {
		f, err := s.ParseFilter(expr)
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got := s.Filter(f).Len(); got != want {
			t.Errorf("%q leaves %d modes, want %d", expr, got, want)
		}
	}
}

func TestFilterOnMeasurements(t *testing.T) {
	t.Parallel()
	m := tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 4}}, TimeMS: 80, PowerW: 25}
	for expr, want := range map[string]bool{
		"time<=80ms": true, "time<80": false, "power<30 W": true, "power>=25.1W": false, "energy=2.0J": true,
		"energy>2": false, "time=80 power=25": true,
	} {
		f, err := orinSpace(t).ParseFilter(expr)
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got := f.Match(m); got != want {
			t.Errorf("%q matches: %v, want %v", expr, got, want)
		}
	}
}

func TestFilterRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{"cores", "cores>", ">=8", "cores>=many", "speed>1", "gpu<fast", "gpu<", "time<NaN",
		"power<inf", "cores=8GHz", "time<5w", "a b c", "gpu<900M", "gpu<2,3",
		"gpu=726MHz,1.30GHz x", "cores=13", "gpu=0.77GHz", "12c/1.65C", "cores<0.5", "cpu<0.0000001", "gpu<900 fast"} {
		if _, err := orinSpace(t).ParseFilter(expr); err == nil {
			t.Errorf("%q is taken for a filter", expr)
		}
	}
}

func TestFilterErrorShowsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{"gpu<Fast": `"Fast"`, "GPU<0": `"0" is not a value for gpu`,
		"cores=13":    "nearest: 12",
		"gpu=0.77GHz": "MHz and 828.75 MHz",
		"Speed>1":     `"Speed>1"`} {
		if _, err := orinSpace(t).ParseFilter(expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %s", expr, err, want)
		}
	}
}

func TestEmptyFilterResultAnswersWithoutPanic(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	f, _ := orinSpace(t).ParseFilter("cores>99")
	none := s.Filter(f)
	if none.Len() != 0 || len(none.Modes()) != 0 || len(none.Sample(5, 1)) != 0 || none.Grid().Len() != 0 {
		t.Error("not empty")
	}
	if _, err := none.Snap(s.Max()); err == nil {
		t.Error("a mode was snapped into an empty space")
	}
	if _, err := none.Parse("12c/2.20C/1.30G/3.20M"); err == nil {
		t.Error("a mode was found in an empty space")
	}
	if none.Contains(s.Max()) {
		t.Error("an empty space contains a mode")
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{"cores>=8 gpu<900MHz", "time<=80,power<20", "emc=3.2 GHz", "cores=", "cpu!=1e9",
		"cores=2,4,6",
		"gpu=0.62GHz,0.83", "12c/1.65C/0.62G/3.19M,8c/900/0.9/3.2M", "=,/"} {
		f.Add(seed)
	}
	s := orinSpace(f)
	m := tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 1, CPU: 1, GPU: 1, EMC: 1}}, TimeMS: 1,
		PowerW: 1}
	f.Fuzz(func(t *testing.T, expr string) {
		defer reliability.Input(t)()
		if filter, err := s.ParseFilter(expr); err == nil {
			filter.Match(m)
		}
	})
}

// A caller supplies the values of inference by key; without them such a term fails.
func TestFilterOfInferenceAsksItsCaller(t *testing.T) {
	t.Parallel()
	space, err := tegra.NewSpace([]int{4}, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz}, []tegra.Freq{tegra.GHz})
	must.NoError(t, err)
	m := tegra.Measured{Setting: tegra.Setting{Mode: space.At(0)}}
	value := func(key string) float64 {
		return map[string]float64{tegra.FilterLatency: 40, tegra.FilterSpeed: 30, tegra.FilterUnit: 0.15}[key]
	}
	for expr, want := range map[string]bool{"latency<50": true, "latency<50ms speed>=30/s": true, "unit<200mJ": true,
		"unit<0.2 J": true, "unit<100mj": false, "latency>40": false, "speed=30 cores=4": true} {
		f, err := space.ParseFilter(expr, tegra.InferenceKeys()...)
		if err != nil || f.MatchAlso(m, value) != want || f.Match(m) {
			t.Errorf("%s: passes %t, without values %t (%v)", expr, f.MatchAlso(m, value), f.Match(m), err)
		}
		if _, err := space.ParseFilter(expr); err == nil {
			t.Errorf("%s is taken for a filter where no inference is listed", expr)
		}
	}
}

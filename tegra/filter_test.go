package tegra_test

import (
	"strings"
	"testing"

	"jtune/tegra"
)

func TestAFilterCountsTheModesOfTheAGXOrin(t *testing.T) {
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
		"cores>12":                  0,
		"power<20":                  0, // not known of a mode by itself
	} {
		f, err := tegra.ParseFilter(expr)
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got := s.Filter(f).Len(); got != want {
			t.Errorf("%q leaves %d modes, want %d", expr, got, want)
		}
	}
}

func TestAFilterOnMeasurements(t *testing.T) {
	t.Parallel()
	m := tegra.Measured{Mode: tegra.Mode{Cores: 4}, TimeMS: 80, PowerW: 25}
	for expr, want := range map[string]bool{
		"time<=80ms": true, "time<80": false, "power<30 W": true, "power>=25.1W": false, "energy=2.0J": true, "energy>2": false, "time=80 power=25": true,
	} {
		f, err := tegra.ParseFilter(expr)
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got := f.Match(m); got != want {
			t.Errorf("%q matches: %v, want %v", expr, got, want)
		}
	}
}

func TestWhatIsNoFilterIsAnError(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{"cores", "cores>", ">=8", "cores>=many", "speed>1", "gpu<fast", "gpu<", "time<NaN", "power<inf", "cores=8GHz", "time<5w", "a b c", "gpu<900", "cpu>2", "gpu<900M"} {
		if _, err := tegra.ParseFilter(expr); err == nil {
			t.Errorf("%q is taken for a filter", expr)
		}
	}
}

func TestAFilterErrorShowsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{"gpu<Fast": `"Fast"`, "GPU<900": `"900" is no value for gpu`, "Speed>1": `"Speed>1"`} {
		if _, err := tegra.ParseFilter(expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %s", expr, err, want)
		}
	}
}

func TestAnEmptyFilterResultAnswersWithoutPanic(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	f, _ := tegra.ParseFilter("cores>99")
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
	for _, seed := range []string{"cores>=8 gpu<900MHz", "time<=80,power<20", "emc=3.2 GHz", "cores=", "cpu!=1e9"} {
		f.Add(seed)
	}
	m := tegra.Measured{Mode: tegra.Mode{Cores: 1, CPU: 1, GPU: 1, EMC: 1}, TimeMS: 1, PowerW: 1}
	f.Fuzz(func(t *testing.T, expr string) {
		if filter, err := tegra.ParseFilter(expr); err == nil {
			filter.Match(m)
		}
	})
}

package page

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

func TestNumWritesADashForWhatIsNotThere(t *testing.T) {
	for name, c := range map[string]struct{ got, want string }{
		"a number":                {Num(tegra.Some(12.34), 1), "12.3"},
		"a number, in W":          {Unit(tegra.Some(12.34), 1, "W"), "12.3 W"},
		"an absent one":           {Unit(tegra.Val[float64]{}, 1, "W"), "–"},
		"one that is not a value": {Num(tegra.Some(math.NaN()), 1), "–"},
		"a clock":                 {GHz(tegra.Some(1300500 * tegra.Freq(1000))), "1.30"},
		"bytes":                   {Gigabytes(tegra.Some(int64(29_500_000_000))), "29.5"},
		"yes":                     {YesNo(tegra.Some(true)), "YES"},
		"unknown":                 {YesNo(tegra.Val[bool]{}), "–"},
	} {
		must.Equal(t, c.got, c.want, name)
	}
}

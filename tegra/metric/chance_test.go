package metric

import (
	"math"
	"math/rand/v2"
	"testing"

	"jtune/tegra"
)

// The chance is calibrated: of modes whose true power lies evenly around a limit, as many
// are over it as their chances sum to. It falls as the limit rises, and as a mode within is read again.
func TestChanceOverIsAsOftenRightAsItSays(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	expected, over := 0.0, 0.0
	const modes = 20_000
	for range modes {
		readings := make([]tegra.Measured, 1+rng.IntN(4))
		truth := 30 * math.Exp(0.02*(rng.Float64()*2-1))
		for i := range readings {
			readings[i] = tegra.Measured{TimeMS: 50, PowerW: truth * math.Exp(Scatter*rng.NormFloat64())}
		}
		l := Watts(30)
		chance := l.ChanceOver(readings)
		if expected += chance; truth > 30 {
			over++
		}
		if higher := Watts(30.1).ChanceOver(readings); higher >= chance {
			t.Fatalf("%g at 30 W, %g at 30.1 W", chance, higher)
		}
		if both := Within(Power.Max(30).And(Time.Max(50.2))).ChanceOver(readings); both < chance {
			t.Fatalf("%g of one limit, %g of two", chance, both)
		}
	}
	if off := (expected - over) / modes; math.Abs(off) > 0.02 {
		t.Errorf("%.0f of %d modes are over, expected %.0f", over, modes, expected)
	}
	one := []tegra.Measured{{TimeMS: 50, PowerW: 29.6}}
	if a, b := Watts(30).ChanceOver(one), Watts(30).ChanceOver(append(one, one[0])); b >= a {
		t.Errorf("%g after one reading, %g after two", a, b)
	}
	if got := LeastEnergy.ChanceOver(one); got != 0 {
		t.Errorf("without a limit: %g", got)
	}
	for _, readings := range [][]tegra.Measured{nil, {{TimeMS: 50, PowerW: math.NaN()}}} {
		if got := Watts(30).ChanceOver(readings); !math.IsNaN(got) {
			t.Errorf("%v: %g", readings, got)
		}
	}
}

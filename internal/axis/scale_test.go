package axis

import (
	"math"
	"testing"
)

func TestScaleTicksAreRoundInsideAndAscending(t *testing.T) {
	for _, c := range []struct {
		name  string
		scale Scale
		n     int
		want  []float64
	}{
		{"power from zero", Scale{0, 60, false}, 3, []float64{0, 20, 40, 60}},
		{"around zero has a plain zero", Scale{-120, 0, false}, 3, []float64{-100, -50, 0}},
		{"fractions", Scale{0, 1, false}, 4, []float64{0, 0.5, 1}},
		{"log over less than a decade", Scale{60, 480, true}, 3, []float64{100, 200, 300}},
		{"log over three decades", Scale{8, 9000, true}, 3, []float64{10, 100, 1000}},
		{"narrow log counts evenly", Scale{90, 110, true}, 4, []float64{90, 95, 100, 105, 110}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.scale.Ticks(c.n)
			if len(got) != len(c.want) {
				t.Fatalf("ticks %v, want %v", got, c.want)
			}
			for i := range got {
				if math.Abs(got[i]-c.want[i]) > 1e-9*math.Abs(c.want[i]) || math.Signbit(got[i]) && got[i] == 0 {
					t.Errorf("ticks %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestScalePartHoldsItsValues(t *testing.T) {
	for _, s := range []Scale{{10, 50, false}, {1, 1000, true}, {-5, 5, false}} {
		part := s.Part(0.25, 0.75)
		for _, at := range []float64{0, 0.3, 0.5, 1} {
			v := part.Value(at)
			if got, ok := s.At(v); !ok || math.Abs(got-(0.25+at/2)) > 1e-9 {
				t.Errorf("%v: %g of the middle half is %g, which lies at %g (%v) of the whole", s, at, v, got, ok)
			}
		}
	}
}

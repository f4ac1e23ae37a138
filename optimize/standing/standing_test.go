package standing_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"jtune/learn"
	"jtune/optimize"
	is "jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// drawing predicts a minibatch of 100 ms and some watts, both with a tenth of deviation
// and a band of 1.96 of them, or of more.
func drawing(watts, deviations float64) learn.Prediction {
	e := math.Exp(0.1 * deviations)
	return learn.Prediction{Measured: tegra.Measured{TimeMS: 100, PowerW: watts}, LnTimeSD: 0.1, LnPowerSD: 0.1,
		TimeLoMS: 100 / e, TimeHiMS: 100 * e, PowerLoW: watts / e, PowerHiW: watts * e}
}

func TestStatesPartAtTheMedianTheMarginAndTheEndOfTheBand(t *testing.T) {
	t.Parallel()
	const normal = 1.959964
	for name, band := range map[string]float64{"a normal band": normal, "a band of few modes": 3.18} {
		at := func(deviations float64) is.Standing {
			return is.Stand(metric.Watts(30), drawing(30*math.Exp(-0.1*deviations), band), 0)
		}
		for _, c := range []struct {
			deviations float64
			want       is.State
			chance     float64
		}{
			{-0.01, is.Over, 0.504}, {0.01, is.Doubtful, 0.496}, {0.99, is.Doubtful, 0.1624}, {1.001, is.Likely, 0.16},
			{band - 0.01, is.Likely, 0.0253}, {band + 0.01, is.Sure, 0.0249},
		} {
			if got := at(c.deviations); got.State != c.want || math.Abs(got.ChanceOver.V-c.chance) > 0.0015 {
				t.Errorf("%s, %g deviations below the limit: %v with a chance of %g, want %v and %g",
					name, c.deviations, got.State, got.ChanceOver.V, c.want, c.chance)
			}
		}
	}
}

func TestStandingIsThatOfTheWorseOfTwoLimits(t *testing.T) {
	t.Parallel()
	p := drawing(20, 1.96)
	power, both := is.Stand(metric.Watts(30), p, 0), is.Stand(
		metric.Within(metric.Power.Max(30).And(metric.Time.Max(99))), p, 0)
	if power.State != is.Sure || both.State != is.Over || !(both.ChanceOver.V > 0.5) {
		t.Errorf("20 W within 30 W is %v; and 100 ms within 99 ms: %v", power, both)
	}
}

// Readings differ by 1 or 2 %: a mean near the limit is no proof, and more readings or a larger risk make it one.
func TestStandingOfReadingsIsTheirChance(t *testing.T) {
	t.Parallel()
	m := optimize.MeasuredPrediction(tegra.Measured{TimeMS: 100, PowerW: 29.6})
	for _, c := range []struct {
		watts, risk float64
		n           int
		want        is.State
		words       string
	}{
		{31, 0, 1, is.Measured, "measured within, one reading"},
		{30, 0, 1, is.Likely, "likely, 87 % sure"},
		{30, 0, 3, is.Measured, "measured within, mean of 3"},
		{30, 0.2, 1, is.Measured, "measured within, one reading"},
		{29.7, 0, 1, is.Doubtful, "doubtful, 62 % sure"},
		{29.5, 0.49, 3, is.Over, "measured over, mean of 3"},
	} {
		l := metric.Watts(c.watts)
		l.Risk = c.risk
		if s := is.Stand(l, m, c.n); s.State != c.want || s.String() != c.words || !s.ChanceOver.OK {
			t.Errorf("29.6 W, %d readings, within %g W at risk %g: %v, %v", c.n, c.watts, c.risk, s, s.ChanceOver)
		}
	}
}

// The temperature of a measured mode is predicted. However often the mode was read, the chance decides.
func TestStandOfAPredictedTemperatureIsItsChance(t *testing.T) {
	t.Parallel()
	for c, want := range map[float64]is.State{40: is.Measured, 51: is.Likely, 59.5: is.Doubtful, 61: is.Over} {
		m := tegra.Measured{TimeMS: 100, PowerW: 10}.With(tegra.Value{Metric: metric.Temperature.Key, V: c, LnSD: 0.12})
		s := is.Stand(metric.Within(metric.Temperature.Max(60)), optimize.MeasuredPrediction(m), 3)
		if s.State != want || s.Ticked() != (want == is.Measured) || strings.Contains(s.String(), "measured") &&
			(want == is.Likely || want == is.Doubtful) {
			t.Errorf("%g °C within 60 °C: %v", c, s)
		}
	}
}

// A wide band of time or of power makes a standing wide.
func TestStandingIsWideByTimeOrPower(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		time, power float64 // ratio of the ends of the band
		want        bool
	}{{1.5, 1.5, false}, {2, 2, false}, {2.1, 1.5, true}, {1.5, 2.1, true}, {3, 3, true}} {
		p := optimize.MeasuredPrediction(tegra.Measured{TimeMS: 100, PowerW: 20})
		p.TimeLoMS, p.TimeHiMS, p.PowerLoW, p.PowerHiW = 50, 50*c.time, 10, 10*c.power
		if got := is.Stand((metric.Goal{}), p, 0).Wide; got != c.want {
			t.Errorf("bands of a factor %g of time and %g of power: wide %v", c.time, c.power, got)
		}
	}
}

func TestStandingWithoutALimitIsMeasuredOrSureAndHasNoChance(t *testing.T) {
	t.Parallel()
	for n, want := range []is.State{is.Sure, is.Measured} {
		if s := is.Stand((metric.LeastEnergy), drawing(20, 1.96), n); s.State != want || s.ChanceOver.OK || s.Ticked() {
			t.Errorf("with %d readings: %+v, want %v, no chance and no tick", n, s, want)
		}
	}
}

func TestStandingTicksOnlyTheMeasuredAndTheSurelyWithin(t *testing.T) {
	t.Parallel()
	l := metric.Watts(30)
	for _, c := range []struct {
		name string
		s    is.Standing
		want bool
	}{
		{"surely within", is.Stand(l, drawing(20, 1.96), 0), true},
		{"likely within", is.Stand(l, drawing(26, 1.96), 0), false},
		{"surely within by a band of more than a factor of two", is.Stand(l, drawing(10, 3.5), 0), false},
		{"measured within", is.Stand(l, drawing(29, 1.96), 1), true},
		{"measured over", is.Stand(l, drawing(31, 1.96), 1), false},
	} {
		if got := c.s.Ticked(); got != c.want {
			t.Errorf("%s (%v): ticked %v, want %v", c.name, c.s, got, c.want)
		}
	}
}

func TestStandingOfAModeWithoutAPredictionIsUnknown(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	none := learn.Prediction{Measured: tegra.Measured{TimeMS: nan, PowerW: nan}}
	timeOnly := learn.Prediction{Measured: tegra.Measured{TimeMS: 100, PowerW: nan}, LnTimeSD: 0.1, TimeHiMS: 122}
	noTime := learn.Prediction{Measured: tegra.Measured{PowerW: 20}, LnPowerSD: 0.1, PowerHiW: 24}
	for _, s := range []is.Standing{is.Stand(metric.Goal{}, none, 0), is.Stand(metric.Millis(200), none, 0),
		is.Stand(metric.Watts(30), timeOnly, 0), is.Stand(metric.Watts(30), noTime, 0)} {
		text, err := json.Marshal(s.State)
		if s.State != is.Unknown || s.ChanceOver.OK || s.Within() || string(text) != "null" || err != nil {
			t.Errorf("%+v in JSON %s (%v)", s, text, err)
		}
	}
}

// A setting that Choose takes with the usual margin is within by its state; one that it passes over is not.
func TestStateAgreesWithChoose(t *testing.T) {
	t.Parallel()
	l := metric.Watts(30)
	for w := 20.0; w < 32; w += 0.01 {
		for _, band := range []float64{1.96, 2.4, 3.18} {
			p := drawing(w, band)
			_, err := optimize.Choose([]learn.Prediction{p}, l)
			if s := is.Stand(l, p, 0); s.Within() != (err == nil) {
				t.Fatalf("%.2f W is %v, and Choose says %v", w, s, err)
			}
		}
	}
}

// The standing of a mode, in words and in a column.
func TestStandingIsSaidInWords(t *testing.T) {
	t.Parallel()
	in := func(pct float64) tegra.Val[float64] { return tegra.Some(1 - pct/100) }
	for _, c := range []struct {
		is.Standing
		says, brief string
		ticked      bool
	}{
		{is.Standing{State: is.Unknown}, "nothing is known of it", "", false},
		{is.Standing{State: is.Measured, N: 1, Limited: true}, "measured within, one reading", "measured", true},
		{is.Standing{State: is.Measured, N: 2, Limited: true}, "measured within, mean of 2", "measured 2×", true},
		{is.Standing{State: is.Over, N: 1, Limited: true}, "measured over, one reading", "over, 1× read", false},
		{is.Standing{State: is.Over, N: 3, Limited: true}, "measured over, mean of 3", "over, 3× read", false},
		{is.Standing{State: is.Measured, N: 2}, "measured, mean of 2", "measured 2×", false},
		{is.Standing{State: is.Sure}, "predicted", "", false},
		{is.Standing{State: is.Sure, Limited: true}, "surely within", "sure", true},
		{is.Standing{State: is.Sure, Limited: true, Wide: true}, "surely within, by a wide band", "sure", false},
		{is.Standing{State: is.Likely, Limited: true, ChanceOver: in(85)}, "likely, 85 % sure", "85 % sure", false},
		{is.Standing{State: is.Doubtful, Limited: true, ChanceOver: in(99.6)}, "doubtful, >99 % sure",
			">99 % sure", false},
		{is.Standing{State: is.Over, Limited: true, ChanceOver: in(12)}, "over, 12 % chance", "12 % chance", false},
		{is.Standing{State: is.Over, Limited: true, ChanceOver: in(0.4)}, "over", "over", false},
		{is.Standing{State: is.Likely, Limited: true}, "likely, chance unknown", "chance unknown", false},
		{is.Standing{State: is.Likely, N: 1, Limited: true, Worked: true}, "likely, latency worked out",
			"likely", false},
	} {
		if c.String() != c.says || c.Brief() != c.brief || c.Ticked() != c.ticked {
			t.Errorf("%+v: %q, %q, ticked %v", c.Standing, c.String(), c.Brief(), c.Ticked())
		}
	}
	order := []is.Standing{{N: 1}, {State: is.Sure}, {State: is.Sure, Wide: true}}
	for i := range order[1:] {
		if order[i].Doubt() >= order[i+1].Doubt() {
			t.Errorf("%+v is not known better than %+v", order[i], order[i+1])
		}
	}
}

package mix

import (
	"math"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// predicted is a setting with this batch time, with deviations of 5 % of time and 3 % of power.
func predicted(m tegra.Mode, batch int, timeMS, powerW float64) learn.Prediction {
	const sdTime, sdPower = 0.05, 0.03
	return learn.Prediction{
		Measured: tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: batch}, TimeMS: timeMS, PowerW: powerW},
		TimeLoMS: timeMS * math.Exp(-2*sdTime), TimeHiMS: timeMS * math.Exp(2*sdTime),
		PowerLoW: powerW * math.Exp(-2*sdPower), PowerHiW: powerW * math.Exp(2*sdPower), LnTimeSD: sdTime,
		LnPowerSD: sdPower}
}

// servedModes are modes that serve one request in 4 to 40 ms, and a batch of 16 in six times as long.
func servedModes() (preds []learn.Prediction) {
	for i := range 12 {
		m, ms := oneMode, 4*math.Pow(10, float64(i)/11)
		m.GPU += tegra.Freq(i)
		preds = append(preds, predicted(m, 1, ms, 40-30*float64(i)/11), predicted(m, 16, 6*ms, 50-35*float64(i)/11))
	}
	return preds
}

// Interpolated values equal a simulation of the setting itself, and a setting counts as within if Choose takes it.
func TestLoadCurveFollowsTheSimulation(t *testing.T) {
	t.Parallel()
	infer := NewPhase(servedModes())
	for name, c := range map[string]struct {
		ask  Ask
		most float64 // relative error of the latency below 90 % busy
	}{
		"random arrivals": {Ask{Load: load(arrivals.Poisson, 40), LatencyMS: 400, Goal: metric.Watts(41)},
			0.005},
		"a maximal wait": {Ask{Load: load(arrivals.Poisson, 60), LatencyMS: 120, MaxWait: 40 * time.Millisecond},
			0.08},
		"even arrivals": {Ask{Load: load(arrivals.Uniform, 60), LatencyMS: 350, Goal: metric.Watts(33)},
			1e-9},
		"a closed loop": {Ask{Goal: metric.Within(metric.Power.Max(38).And(metric.Time.Max(90))), LatencyMS: 60}, 1e-9},
		"mean power": {Ask{Goal: metric.Watts(14), Load: load(arrivals.Uniform, 30), PowerAs: Mean,
			IdleW: 8},
			1e-9},
	} {
		c.ask.Quantile = 0.9 // which few requests tell
		curve, meets, within := c.ask.NewLoadCurve(infer), 0, 0
		for _, p := range servedModes() {
			want, _ := c.ask.Evaluate(p.Setting, infer, Phase{})
			got, ok := curve.Estimate(p.Setting)
			if off := math.Abs(got.LatencyMS/want.LatencyMS - 1); !ok || want.Rho < 0.9 && !(off <= c.most) {
				t.Errorf("%s, busy %.2f: latency %.2f ms, simulated %.2f", name, want.Rho, got.LatencyMS,
					want.LatencyMS)
			}
			if math.IsInf(want.LatencyMS, 1) != math.IsInf(got.LatencyMS, 1) {
				t.Errorf("%s: latency %g, simulated %g", name, got.LatencyMS, want.LatencyMS)
			}
			s := curve.Stand(p.Setting, 0)
			if c.ask.MaxWait == 0 && s.Within() != want.Meets {
				t.Errorf("%s: %v at %.1f ms is %v, but meets the ask: %t (%s)", name, p.Batch, p.TimeMS, s, want.Meets,
					want.Why())
			}
			agreed := s.Agrees(want.Meets)
			if agreed.Within() != want.Meets || s.Within() == want.Meets && agreed != s {
				t.Errorf("%s: %v becomes %v though it meets the ask: %t", name, s, agreed, want.Meets)
			}
			if want.Meets {
				meets++
			}
			if s.Within() {
				within++
			}
		}
		if meets == 0 || meets == len(servedModes()) || math.Abs(float64(meets-within)) > 2 {
			t.Errorf("%s: %d of %d meet the ask, %d count as within", name, meets, len(servedModes()), within)
		}
	}
}

func TestAskTellsLoadsApart(t *testing.T) {
	t.Parallel()
	a := Ask{Load: load(arrivals.Poisson, 60), LatencyMS: 50}
	other := a
	other.LatencyMS, other.Goal.Limits, other.Quantile = 80, metric.Power.Max(20), 0.99
	if c := a.NewLoadCurve(NewPhase(servedModes())); !a.SameLoad(other) || c.With(other).simulated != c.simulated {
		t.Error("other limits of one load are taken for another load")
	}
	for name, change := range map[string]func(*Ask){
		"rate":     func(a *Ask) { a.Load.RatePerS = 61 },
		"arrivals": func(a *Ask) { a.Load.Pattern = arrivals.Uniform },
		"quantile": func(a *Ask) { a.Quantile = 0.95 },
		"wait":     func(a *Ask) { a.MaxWait = time.Millisecond },
		"seed":     func(a *Ask) { a.Seed++ },
		"trace":    func(a *Ask) { a.Load.TraceS = []float64{1, 2} },
	} {
		other := a
		change(&other)
		if a.SameLoad(other) {
			t.Errorf("another %s is the same load", name)
		}
	}
}

// Readings are of one batch after another: they do not measure the latency of requests.
func TestLoadCurveCountsNoLatencyAsMeasured(t *testing.T) {
	t.Parallel()
	at := tegra.Setting{Mode: tegra.Mode{Cores: 4}, Batch: 1}
	p := optimize.MeasuredPrediction(tegra.Measured{Setting: at, TimeMS: 10, PowerW: 12})
	infer := NewPhase([]learn.Prediction{p})
	for _, c := range []struct {
		latency float64
		want    standing.State
		says    string
	}{
		{1000, standing.Likely, "likely, latency worked out"},
		{11, standing.Over, "over, latency worked out"},
		{0, standing.Measured, "measured within, one reading"},
	} {
		a := Ask{Goal: metric.Watts(30), Load: load(arrivals.Poisson, 20), LatencyMS: c.latency}
		s := a.NewLoadCurve(infer).Stand(at, 1)
		if s.State != c.want || s.String() != c.says || s.N != 1 || s.Ticked() != (c.want == standing.Measured) {
			t.Errorf("latency limit %v: %v, %q", c.latency, s.State, s)
		}
	}
}

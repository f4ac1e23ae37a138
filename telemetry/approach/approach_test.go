package approach

import (
	"math"
	"testing"
	"time"
)

func TestFitOfAnExponential(t *testing.T) {
	t.Parallel()
	for _, tau := range []float64{80, 300, 900} {
		var c Curve
		if _, ok := c.Fit(); ok {
			t.Fatal("a fit of nothing")
		}
		at := func(s int) float64 { return 85 - 45*math.Exp(-float64(s)/tau) }
		for s := range int(1.5 * tau) {
			c.Add(time.Duration(s)*time.Second, at(s))
		}
		fit, ok := c.Fit()
		if !ok || math.Abs(fit.EndC-85) > 1.5 || fit.LoC > 85 || fit.HiC < 85 || fit.Reached ||
			math.Abs(fit.Tau.Seconds()/tau-1) > 0.2 {
			t.Errorf("τ %g s: %+v", tau, fit)
		}
		for s := int(1.5 * tau); s < int(6*tau)+600; s++ {
			c.Add(time.Duration(s)*time.Second, at(s))
		}
		if fit, _ := c.Fit(); !fit.Reached || fit.In != 0 || math.Abs(fit.EndC-85) > 0.5 || fit.HiC-fit.LoC > 3 {
			t.Errorf("τ %g s, in the end: %+v", tau, fit)
		}
	}
}

// A day's curve takes no more room than an hour's, and readings that are none are left out.
// The quantiles of one candidate are a normal distribution's, however wide; candidates that hardly weigh do not count.
func TestQuantileIsThatOfTheCandidatesThatWeigh(t *testing.T) {
	t.Parallel()
	wide := []candidate{{end: 50, sd: 10, weight: 1}}
	heavy := []candidate{{end: 50, sd: 10, weight: 44}, {end: 1e15, sd: 1, weight: 1e-5}}
	for share, want := range map[float64]float64{0.05: 50 - 16.4485, 0.5: 50, 0.95: 50 + 16.4485} {
		if got := quantile(wide, 1, share); math.Abs(got-want) > 1e-3 {
			t.Errorf("%g of one: %g, want %g", share, got, want)
		}
		if got := quantile(heavy, 44+1e-5, share); math.Abs(got-want) > 1e-3 {
			t.Errorf("%g of one that counts: %g, want %g", share, got, want)
		}
	}
}

func TestNowIsTheMeanOfTheLastHalfMinute(t *testing.T) {
	t.Parallel()
	c := Curve{bins: []bin{{t: 9, c: 90, n: 4}, {t: 10, c: 10, n: 1}, {t: 40, c: 20, n: 3}}}
	if got := c.now(); got != 17.5 {
		t.Errorf("got %g, want the mean of three readings of 20 and one of 10", got)
	}
	c.bins[2].t = 400
	if got := c.now(); got != 20 {
		t.Errorf("got %g, want the newest after a gap", got)
	}
}

func TestLongCurve(t *testing.T) {
	t.Parallel()
	var c Curve
	for s := range 86400 {
		v := 60 - 20*math.Exp(-float64(s)/300)
		if s%1000 == 7 {
			v = math.NaN()
		}
		c.Add(time.Duration(s)*time.Second, v)
		if s%3600 != 3599 {
			continue
		}
		fit, ok := c.Fit()
		if len(c.bins) > mostBins || !ok || !fit.Reached || !(math.Abs(fit.EndC-60) <= 0.5) ||
			!(fit.LoC <= fit.EndC && fit.EndC <= fit.HiC && fit.HiC-fit.LoC < 5) {
			t.Errorf("after %d s: %d bins, %+v", s, len(c.bins), fit)
		}
	}
}

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

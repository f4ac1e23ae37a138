package telemetry

import (
	"testing"
	"time"

	"jtune/tegra"
)

// hours feeds a run of a sample a second and a minibatch of 100 ms.
func hours(h float64, watts, ms func(t time.Duration) float64) *Drop {
	var d Drop
	for t := time.Duration(0); t < time.Duration(h*float64(time.Hour)); t += time.Second {
		d.Power(t, watts(t))
		d.Minibatch(t, ms(t))
	}
	return &d
}

func TestDropFindsALastingDropAtTheSamePace(t *testing.T) {
	t.Parallel()
	at := func(drop time.Duration, before, after float64) func(time.Duration) float64 {
		return func(t time.Duration) float64 {
			v := before
			if t >= drop {
				v = after
			}
			return v * (1 + 0.02*float64(t/time.Second%3-1)) // some noise
		}
	}
	never := 100 * time.Hour
	d := hours(17, at(16*time.Hour, 31, 18), at(never, 100, 0)).Found()
	if !d.OK || d.V.At < 16*time.Hour-time.Minute || d.V.At > 16*time.Hour+2*time.Minute || d.V.FromW < 30 ||
		d.V.FromW > 32 ||
		d.V.ToW > 18.5 {
		t.Errorf("got %+v, want a drop from 31 to 18 W after 16 h", d)
	}
	if d := hours(2, at(time.Hour, 31, 0.85*31), at(never, 100, 0)).Found(); !d.OK {
		t.Error("a drop by 15 %, as virtual boards show it on request, is not found")
	}
	for name, d := range map[string]*Drop{
		"steady power": hours(2, at(never, 31, 0), at(never, 100, 0)),
		"a rise":       hours(2, at(time.Hour, 18, 31), at(never, 100, 0)),
		"a dip of two minutes": hours(2, func(t time.Duration) float64 {
			if t >= time.Hour && t < time.Hour+2*time.Minute {
				return 18
			}
			return 31
		}, at(never, 100, 0)),
	} {
		if got := d.Found(); got.OK {
			t.Errorf("%s: found %+v", name, got.V)
		}
	}
}

// Each threshold, from both sides.
func TestDropHoldsItsThresholds(t *testing.T) {
	t.Parallel()
	// run has a sample and a minibatch each second: 31 W and 100 ms before the drop, then watts and ms. From the drop
	// on minibatches are reported at an interval, and take as long as before; never: none is, at any time.
	const never = time.Duration(0)
	run := func(before, after int, watts, ms float64, every time.Duration) tegra.Val[PowerDrop] {
		drop := time.Duration(before) * time.Minute
		var d Drop
		for at := time.Duration(0); at <= drop+time.Duration(after)*time.Minute; at += time.Second {
			w, each := 31.0, 100.0
			if at >= drop {
				w, each = watts, ms
			}
			d.Power(at, w)
			if every != never && (at < drop || at%every == 0) {
				d.Minibatch(at, each)
			}
		}
		return d.Found()
	}
	for _, c := range []struct {
		name          string
		before, after int
		watts, ms     float64
		every         time.Duration
		found         bool
	}{
		{"ten minutes before, six after", 10, 6, 18, 100, time.Second, true},
		{"nine minutes before", 9, 6, 18, 100, time.Second, false},
		{"five minutes after, the first between", 11, 5, 18, 100, time.Second, true},
		{"four minutes after", 11, 4, 18, 100, time.Second, false},
		{"by 11 %", 20, 8, 0.89 * 31, 100, time.Second, true},
		{"by 9 %", 20, 8, 0.91 * 31, 100, time.Second, false},
		{"minibatches 9 % slower", 20, 8, 18, 109, time.Second, true},
		{"minibatches 11 % slower", 20, 8, 18, 111, time.Second, false},
		{"minibatches 11 % faster", 20, 8, 18, 90, time.Second, false},
		{"fewer minibatches, as long", 20, 8, 18, 100, 3 * time.Second, true},
		{"no minibatches", 20, 8, 18, 100, never, false},
	} {
		if got := run(c.before, c.after, c.watts, c.ms, c.every); got.OK != c.found {
			t.Errorf("%s: found %v, want %v", c.name, got, c.found)
		}
	}
}

package profiles

import (
	"testing"
	"time"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

// settleWith tells power that rises for so long, sampled at an interval, and returns what
// came of it by the end of 60 s.
func settleWith(every, rise time.Duration, good bool) *Settle {
	s := NewSettle(workload.Workload{})
	s.Begin(0)
	for at := every / 2; at < time.Minute && !s.Enough(); at += every {
		w := 40.0
		if at < rise {
			w = 20 + 20*at.Seconds()/rise.Seconds()
		}
		if every < time.Second && int(at/every)%2 == 0 {
			w += 2 // single readings scatter
		}
		s.Sample(telemetry.Sample{T: at, Valid: good, Reading: tegra.Reading{TotalW: tegra.Some(w)}})
		s.Until(at)
	}
	return s
}

func TestSettleFindsWhenPowerIsSteady(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
		s := settleWith(every, 4*time.Second, true)
		if s.Verdict() != telemetry.Settled || s.At() < 4*time.Second || s.At() > 13*time.Second || !s.Enough() {
			t.Errorf("sampled every %s: %s at %s, enough %v", every, s.Verdict(), s.At(), s.Enough())
		}
	}
	if s := settleWith(time.Second, time.Hour, true); s.Verdict() != telemetry.Settled {
		t.Errorf("a slow rise is steady within its window: %s", s.Verdict())
	}
	if s := settleWith(time.Second, 0, false); s.Verdict() != telemetry.Unstable || s.Enough() {
		t.Errorf("power that does not count: %s", s.Verdict())
	}
}

func TestSettleIsHotWhenMoreThanATenthOfTheSamplesIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hot  func(i int) bool
		want bool
	}{
		{func(i int) bool { return false }, false},
		{func(i int) bool { return i == 5 }, false},
		{func(i int) bool { return i < 4 }, true},
		{func(i int) bool { return i == 29 }, true}, // it is now
	} {
		s := NewSettle(workload.Workload{})
		s.Begin(0)
		for i := range 30 {
			r := tegra.Reading{TotalW: tegra.Some(20.0), Heat: tegra.Some(c.hot(i))}
			s.Sample(telemetry.Sample{T: time.Duration(i+1) * time.Second, Valid: true, Reading: r})
		}
		s.Until(time.Minute)
		if got := s.Hot(); (got != "") != c.want {
			t.Errorf("got %q, want hot %v", got, c.want)
		}
	}
}

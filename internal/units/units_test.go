package units

import (
	"math"
	"testing"
	"time"

	"jtune/internal/tools/reliability"
)

func TestNumbersAreReadWithAndWithoutTheirUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		unit Unit
		want float64
	}{
		{"30", Watt, 30}, {"30W", Watt, 30}, {"30 W", Watt, 30}, {" 15.5 W ", Watt, 15.5}, {"500mW", Watt, 0.5},
		{"80ms", Millisecond, 80}, {"0.08s", Millisecond, 80}, {"0.08 s", Millisecond, 80},
		{"1min", Millisecond, 60000},
		{"80", Millisecond, 80}, {"2 kJ", Joule, 2000}, {"20%", Percent, 20}, {"35 °C", Celsius, 35},
		{"35C", Celsius, 35},
		{"30/s", PerSecond, 30}, {"90/min", PerSecond, 1.5}, {"1e2", Watt, 100}, {"-3", Celsius, -3},
	} {
		got, err := Parse(c.text, c.unit)
		if err != nil || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q in %s: got %v, %v; want %v", c.text, c.unit, got, err, c.want)
		}
	}
	for _, text := range []string{"", "W", "thirty", "30 ms", "30MW", "30 W W", "1.2.3"} {
		if v, err := Parse(text, Watt); err == nil {
			t.Errorf("%q is read as %v W", text, v)
		}
	}
}

func TestTimesAreReadWithAndWithoutTheirUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"30": 30 * time.Second, "0": 0, "30s": 30 * time.Second, "80ms": 80 * time.Millisecond,
		"0.5 s": 500 * time.Millisecond, "15min": 15 * time.Minute, "15 min": 15 * time.Minute,
		"1h30m": 90 * time.Minute, "1h30min": 90 * time.Minute, "2d": 48 * time.Hour, "2 days": 48 * time.Hour,
		"1d12h": 36 * time.Hour, "1 hour": time.Hour, "-3s": -3 * time.Second, "90sec": 90 * time.Second,
	} {
		if got, err := Duration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon", "30 W", "ms", "1.2.3", "1e9d", "99999999999h"} {
		if d, err := Duration(text); err == nil {
			t.Errorf("%q is read as %v", text, d)
		}
	}
}

func TestSpansOfTimeHaveAUnitThatFits(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 s":      Span(0),
		"350 ms":   Span(350 * time.Millisecond),
		"42 s":     SpanOf(42),
		"119 s":    Span(119 * time.Second),
		"12 min":   Span(722 * time.Second),
		"3.5 h":    Span(210 * time.Minute),
		"4.4 days": Span(105*time.Hour + 57*time.Minute + 4*time.Second),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, text := range []string{"30", "1h30min", "2d", "99999d", "d", "1d1d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		_, _ = Duration(text)
		_, _ = Parse(text, Millisecond)
	})
}

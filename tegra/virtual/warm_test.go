package virtual

import (
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
)

// warmed is a board's temperatures and throttling during a job in its top mode.
type warmed struct {
	mostW, mostC float64
	throttled    time.Duration // first time; 0: never
}

func warmUp(t *testing.T, name, job string, lasts time.Duration, f Faults) (out warmed) {
	t.Helper()
	b := fast(t, Options{Name: name, Faults: f})
	d := open(t, b)
	if b.files.Has(emcDir) { // else its governors are at the top while a job runs
		set(t, b, tegra.Mode{Cores: b.lists.cores, CPU: top(b.lists.cpu), GPU: top(b.lists.gpu), EMC: top(b.lists.emc)})
	}
	start(t, b, job)
	begun := b.Clock().Now()
	for at := time.Duration(0); at < lasts; at = b.Clock().Now() - begun {
		sleep(t, b, 5*time.Second)
		r := must.Get(d.Read())(t)
		if r.Throttled.V && out.throttled == 0 {
			out.throttled = at
		}
		out.mostW = max(out.mostW, r.TotalW.V)
		for _, z := range r.Temps {
			out.mostC = max(out.mostC, z.C)
		}
	}
	return out
}

func top(list []tegra.Freq) tegra.Freq { return list[len(list)-1] }

// Every board sustains its top mode in air of 25 °C; with its fan blocked in warm air it throttles late, not at once.
func TestBoardsInWarmAirWithABlockedFan(t *testing.T) {
	for _, name := range Names() {
		job := "resnet18"
		if name == "nano" {
			job = "lenet5" // fits its memory
		}
		if w := warmUp(t, name, job, 45*time.Minute, Faults{}); w.throttled > 0 || w.mostC > 94 {
			t.Errorf("%s: %.1f W, %.1f °C, throttled after %v", name, w.mostW, w.mostC, w.throttled)
		} else {
			t.Logf("%s: %.1f W, %.1f °C", name, w.mostW, w.mostC)
		}
		air, least := 40.0, 2*time.Minute
		if name == "orin-nx" { // its heat sink, fitted with the fan on, is too small without it
			air, least = 25, 30*time.Second
		}
		w := warmUp(t, name, job, 45*time.Minute, Faults{FanStuck: true, AmbientC: air})
		t.Logf("%s with its fan blocked, at %.0f °C: throttled after %v", name, air, w.throttled)
		if w.throttled < least || w.throttled > 40*time.Minute {
			t.Errorf("%s with its fan blocked: %.1f °C, throttled after %v", name, w.mostC, w.throttled)
		}
	}
}

// The board with the highest power in its top mode: in air of 25 °C, in a warm box, and in a hot one.
func TestAGXOrinInABox(t *testing.T) {
	for air, limits := range map[float64]struct {
		throttles bool
		mostC     float64
	}{25: {false, 75}, 45: {false, 92}, 75: {true, 101}} {
		w := warmUp(t, AGXOrin, "resnet18", time.Hour, Faults{AmbientC: air})
		if w.mostW > 60 || w.mostC > limits.mostC || (w.throttled > 0) != limits.throttles {
			t.Errorf("in air of %.0f °C: %.1f W, %.1f °C, throttled after %v", air, w.mostW, w.mostC, w.throttled)
		}
	}
}

func TestFaultsByName(t *testing.T) {
	if f, err := Named([]string{"fan"}); err != nil || !f.FanStuck {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Named([]string{"pump"}); err == nil {
		t.Error("a fault that no board has")
	}
}

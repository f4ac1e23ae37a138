package physics

import (
	"math"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// Modes of an AGX Orin: its highest, and the lowest of the 4,368 and of the 441 in which it was measured.
var (
	maxn   = tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500000, EMC: 3199000000}
	low    = tegra.Mode{Cores: 2, CPU: 268800 * tegra.KHz, GPU: 114750000, EMC: 204000000}
	low441 = tegra.Mode{Cores: 4, CPU: 422400 * tegra.KHz, GPU: 114750000, EMC: 665600000}
)

// Bars for the fit against measured sweeps, all rows: what `calibrate` prints
// plus a little slack.
func TestPhysicsFitsTheMeasuredSweeps(t *testing.T) {
	for _, c := range []struct {
		workload, file     string
		timeBar, powerBarP float64
	}{
		{"resnet18", sweeptest.ResNet, 4, 3},
		{"mobilenet", sweeptest.MobileNet, 4, 2.5},
		{"lstm", sweeptest.LSTM, 3, 2.5},
	} {
		t.Run(c.workload, func(t *testing.T) {
			rows := sweeptest.Load(t, c.file)
			w := at(t, c.workload)
			var timeErr, powerErr float64
			for _, r := range rows {
				s := w.Steady(On("agx-orin"), At(r.Mode))
				timeErr += math.Abs(s.TimeMS/r.TimeMS - 1)
				powerErr += math.Abs(s.Power.Total()/r.PowerW - 1)
			}
			timeErr, powerErr = 100*timeErr/float64(len(rows)), 100*powerErr/float64(len(rows))
			if timeErr > c.timeBar || powerErr > c.powerBarP {
				t.Errorf("MAPE over %d modes: time %.2f %%, power %.2f %%; want at most %g and %g", len(rows),
					timeErr, powerErr, c.timeBar, c.powerBarP)
			}
		})
	}
}

// An Orin Nano's time follows from data sheets alone: half the CUDA cores, half the bus.
func TestFitOfTheOrinNanoFollowsFromDataSheets(t *testing.T) {
	w := at(t, "resnet18")
	var sum, n float64
	for _, r := range sweeptest.Load(t, sweeptest.OrinNano) {
		if r.Mode.Cores >= 4 {
			sum += math.Abs(w.Steady(On("orin-nano"), At(r.Mode)).TimeMS/r.TimeMS - 1)
			n++
		}
	}
	if mape := 100 * sum / n; mape > 6 {
		t.Errorf("MAPE of time over %g modes of 4 and 6 cores is %.2f %%, want at most 6", n, mape)
	} else {
		t.Logf("MAPE of time over %g modes of 4 and 6 cores: %.2f %%", n, mape)
	}
}

func TestFitHasAsManyMinibatchesAnEpochAsPublished(t *testing.T) {
	want := map[string]int{
		"mobilenet": 1443,
		"resnet18":  3125,
		"yolov8n":   1563,
		"bert":      4375,
		"lstm":      2250,
		"lenet5":    3750,
		"vgg11":     3125,
	}
	for name, n := range want {
		if got := at(t, name).Minibatches(16); got != n {
			t.Errorf("%s: %d minibatches per epoch, want %d", name, got, n)
		}
	}
}

func TestIdleBoardDrawsLessThanAnyWorkload(t *testing.T) {
	for _, m := range []tegra.Mode{maxn, low, low441} {
		gated, idle := On("agx-orin").Idle(At(m), true).Total(), On("agx-orin").Idle(At(m), false).Total()
		if gated < 5 || gated > 12 || gated >= idle {
			t.Errorf("idle draw in %s is %.1f W, %.1f with the GPU gated off", m, idle, gated)
		}
		for _, w := range Workloads() {
			if busy := w.Steady(On("agx-orin"), At(m)).Power.Total(); busy <= idle {
				t.Errorf("%s in %s draws %.2f W, an idle board %.2f", w.Name, m, busy, idle)
			}
		}
	}
}

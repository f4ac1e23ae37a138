package physics

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// The roofline of a minibatch alone, arithmetic by the GPU's clock and traffic by the memory's, follows the latencies
// of four TensorRT engines on a TX2 at 52 pairs of clocks each. The four constants of an engine were fitted to them, so
// this tests the form.
func TestRooflineFollowsTheEnginesOfATX2(t *testing.T) {
	t.Parallel()
	f := must.Get(os.Open(sweeptest.Shared(t, "data/sweeps/jetson-dvfs-tx2/tx2_gpu_emc_latency_derived.csv")))(t)
	defer f.Close()
	rows := must.Get(csv.NewReader(f).ReadAll())(t)
	engines := map[string]Workload{
		"inception_v4": {Kernel: 77.8, Traffic: 60.4, Roofline: 2.70, Fixed: 2.35},
		"resnet":       {Kernel: 21.2, Traffic: 20.9, Roofline: 3.08, Fixed: 0.81},
		"tiny-yolov3":  {Kernel: 13.7, Traffic: 17.4, Roofline: 3.17, Fixed: 0.60},
		"vgg19":        {Kernel: 65.0, Traffic: 100.3, Roofline: 3.85, Fixed: 3.74},
	}
	unit := Chip{GPUScale: 1, MemScale: 1, CPUSpeed: 1, TopCPU: 1, Sharing: 1} // the constants are a TX2's own
	off, count := map[string]float64{}, map[string]int{}
	number := func(text string) float64 {
		v := must.Get(strconv.ParseFloat(text, 64))(t)
		return v
	}
	for _, row := range rows[1:] {
		w, known := engines[row[0]]
		if !known {
			t.Fatalf("engine %s has no constants", row[0])
		}
		at := Conditions{Cores: 6, CPU: 2.0352, GPU: number(row[1]) / 1e9, EMC: number(row[2]) / 1e9}
		off[row[0]] += math.Abs(w.Steady(unit, at).ExecuteMS/number(row[3]) - 1)
		count[row[0]]++
	}
	for name := range engines {
		if mape := 100 * off[name] / float64(count[name]); count[name] != 52 || mape > 1 {
			t.Errorf("%s: MAPE %.2f %% over %d pairs of clocks, want at most 1 over 52", name, mape, count[name])
		} else {
			t.Logf("%s: MAPE %.2f %%", name, mape)
		}
	}
}

package optimize_test

import (
	"context"
	"fmt"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// reading is a measured mode with this GPU clock.
func reading(gpu tegra.Freq, timeMS, powerW float64) tegra.Measured {
	mode := tegra.Mode{Cores: 4, CPU: 2 * tegra.GHz, GPU: gpu, EMC: 3200 * tegra.MHz}
	return tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: timeMS, PowerW: powerW}
}

// Choose picks the fastest mode within a power limit, measured or predicted.
func ExampleChoose() {
	var known []learn.Prediction
	for _, m := range []tegra.Measured{reading(300*tegra.MHz, 300, 12), reading(600*tegra.MHz, 150, 16),
		reading(1200*tegra.MHz, 80, 28)} {
		known = append(known, optimize.MeasuredPrediction(m))
	}
	i, err := optimize.Choose(known, metric.Watts(20))
	fmt.Println(known[i].Mode.GPU, known[i].TimeMS, err)
	_, err = optimize.Choose(known, metric.Watts(5))
	fmt.Println(err)
	// Output:
	// 600 MHz 150 <nil>
	// no power mode meets the limit (fastest, power ≤ 5 W): nearest is 4c/2.00C/0.30G/3.20M with 300.0 ms and 12.0 W
}

// Tune measures modes through a function until none promises enough, then measures
// its answer a second time.
func ExampleTune() {
	var gpu []tegra.Freq
	for mhz := 200; mhz <= 1300; mhz += 100 {
		gpu = append(gpu, tegra.Freq(mhz)*tegra.MHz)
	}
	emc := []tegra.Freq{3200 * tegra.MHz}
	space, err := tegra.NewSpace([]int{2, 4, 8}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz}, gpu, emc)
	if err != nil {
		fmt.Println(err)
		return
	}
	measure := func(_ context.Context, s tegra.Setting) (tegra.Measured, error) {
		ghz := s.Mode.GPU.GHz()
		return tegra.Measured{Setting: s, TimeMS: 90 / ghz, PowerW: 10 + 12*ghz + float64(s.Mode.Cores)/4}, nil
	}
	limit := metric.Watts(20)
	result, err := optimize.Tune(context.Background(), measure, optimize.TuneOptions{Limits: []metric.Goal{limit},
		Space: space})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Ended, result.Answers[0].Verified, result.Answers[0].Measured.PowerW <= limit.Of(metric.Power),
		len(result.Probes) < 20)
	fmt.Println(result.Answers[0].Mode.GPU)
	// Output:
	// done true true true
	// 700 MHz
}

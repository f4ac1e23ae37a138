package baseline_test

import (
	"context"
	"fmt"

	"jtune/learn/baseline"
	"jtune/tegra"
)

// A linear fit is exact for linear data: power here, not time.
func ExampleFitPair() {
	mode := func(mhz int) tegra.Mode {
		return tegra.Mode{Cores: 4, CPU: tegra.GHz, GPU: tegra.Freq(mhz) * tegra.MHz, EMC: 3200 * tegra.MHz}
	}
	var samples []tegra.Measured
	for _, mhz := range []int{300, 600, 900, 1200} {
		m := mode(mhz)
		samples = append(samples, tegra.Measured{
			Setting: tegra.Setting{Mode: m},
			TimeMS:  60 / m.GPU.GHz(),
			PowerW:  10 + 20*m.GPU.GHz(),
		})
	}
	fit, ok := baseline.Of("linear")
	if !ok {
		panic("no such method")
	}
	pair, err := baseline.FitPair(context.Background(), samples, 1, fit)
	if err != nil {
		panic(err)
	}
	at := []tegra.Mode{mode(750)}
	fmt.Printf("power %.1f W of 25\n", pair.Power.At(at)[0])
	fmt.Printf("time %.0f ms of 80\n", pair.Time.At(at)[0])
	// Output:
	// power 25.0 W of 25
	// time 104 ms of 80
}

package outlook_test

import (
	"context"
	"fmt"

	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// An outlook answers a limit from a model's predictions, replaced by measurements if there are any.
func ExampleOutlook() {
	clocks := []tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz, 900 * tegra.MHz, 1200 * tegra.MHz}
	space, err := tegra.NewSpace([]int{4}, []tegra.Freq{tegra.GHz}, clocks, []tegra.Freq{3200 * tegra.MHz})
	if err != nil {
		panic(err)
	}
	var samples []tegra.Measured
	for _, m := range space.Modes() {
		ghz := m.GPU.GHz()
		samples = append(samples, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 20 + 60/ghz,
			PowerW: 8 + 15*ghz*ghz})
	}
	model, err := learn.Fit(context.Background(), samples, learn.Options{Space: space})
	if err != nil {
		panic(err)
	}
	limit := metric.Watts(22)
	o := outlook.New("resnet18", model, space)
	answer := o.Answer(limit)
	fmt.Println(space.Format(o.Known[answer].Mode), o.Standing(answer, limit))

	again := o.Known[answer].Measured
	again.PowerW = 24.45 // measured once more, and more than before
	o = o.With(again)
	fmt.Printf("%.2f W, %v\n", o.Known[answer].PowerW, o.Standing(answer, limit))
	fmt.Println(space.Format(o.Known[o.Answer(limit)].Mode))
	// Output:
	// 4c/1.00C/0.90G/3.20M measured within, one reading
	// 22.30 W, measured over, mean of 2
	// 4c/1.00C/0.60G/3.20M
}

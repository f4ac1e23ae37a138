package learn_test

import (
	"context"
	"fmt"

	"jtune/learn"
	"jtune/tegra"
)

// exampleSpace is a board of 80 modes.
func exampleSpace() *tegra.Space {
	space, err := tegra.NewSpace([]int{2, 4, 6, 8},
		[]tegra.Freq{400 * tegra.MHz, 800 * tegra.MHz, 1200 * tegra.MHz, 1600 * tegra.MHz, 2000 * tegra.MHz},
		[]tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz, 900 * tegra.MHz, 1200 * tegra.MHz},
		[]tegra.Freq{3200 * tegra.MHz})
	if err != nil {
		panic(err)
	}
	return space
}

// exampleRow is the reading of a workload that waits for the GPU.
func exampleRow(m tegra.Mode) tegra.Measured {
	return tegra.Measured{
		Setting: tegra.Setting{Mode: m},
		TimeMS:  90 / m.GPU.GHz(),
		PowerW:  10 + 8*m.GPU.GHz() + float64(m.Cores)*m.CPU.GHz()/4,
	}
}

// Fit learns time and power from measured modes, here 20 of 80.
func ExampleFit() {
	space := exampleSpace()
	var samples []tegra.Measured
	for _, m := range space.Sample(20, 1) {
		samples = append(samples, exampleRow(m))
	}
	model, err := learn.Fit(context.Background(), samples, learn.Options{Space: space})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s of %d modes, cross-validated (%s) below 5 %%: %v\n",
		model.Method, len(model.Samples), model.CV.How, model.CV.TimeMAPEPct < 5 && model.CV.PowerMAPEPct < 5)
	// Output: gp of 20 modes, cross-validated (leave-one-out) below 5 %: true
}

// Predict takes any modes; a prediction has medians and 95 % bands.
func ExampleModel_Predict() {
	space := exampleSpace()
	var samples []tegra.Measured
	for _, m := range space.Sample(20, 1) {
		samples = append(samples, exampleRow(m))
	}
	model, err := learn.Fit(context.Background(), samples, learn.Options{Space: space, SkipCV: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	top := space.Max()
	p, truth := model.Predict([]tegra.Mode{top})[0], exampleRow(top)
	fmt.Printf("%s: about %.0f ms and %.0f W\n", space.Format(p.Mode), p.TimeMS, p.PowerW)
	fmt.Println("the time is in its band:", p.TimeLoMS < truth.TimeMS && truth.TimeMS < p.TimeHiMS)
	// Output:
	// 8c/2.00C/1.20G/3.20M: about 75 ms and 24 W
	// the time is in its band: true
}

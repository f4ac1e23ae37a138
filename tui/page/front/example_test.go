package front_test

import (
	"fmt"

	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/front"
	"jtune/tui/page/pagetest"
)

// The page shows an outlook with the cursor on its answer under the limit, and can apply a mode.
func ExamplePage() {
	gpu := []tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz, 900 * tegra.MHz, 1200 * tegra.MHz}
	space, err := tegra.NewSpace([]int{4}, []tegra.Freq{tegra.GHz}, gpu, []tegra.Freq{3200 * tegra.MHz})
	if err != nil {
		panic(err)
	}
	state := page.State{Device: page.Device{Space: space}, Keys: page.DefaultKeys(),
		Goal: metric.Question{Limit: metric.Watts(22)}}
	p := front.New(page.ReaderOf(&state))
	state.Outlook = outlook.By(pagetest.Predictor{}, "resnet18", &learn.Model{}, nil, space)
	p.Update(page.OutlookShown{})
	p.Render(80, 22)
	fmt.Println(p.Copied())
	does, _ := p.Key(pagetest.Key("a"))
	fmt.Printf("%T: %v\n", does, does.(page.Apply).Mode)
	// Output:
	// 4c/1.00C/0.60G/3.20M
	// page.Apply: 4c/1.00C/0.60G/3.20M
}

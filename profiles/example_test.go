package profiles_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"jtune/profiles"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

func ExampleCampaign() {
	noise := 0.0
	board, err := virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1), Noise: &noise})
	if err != nil {
		log.Fatal(err)
	}
	device, err := board.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	list, err := workload.Load("")
	if err != nil {
		log.Fatal(err)
	}
	w, err := workload.Find(list, "resnet18")
	if err != nil {
		log.Fatal(err)
	}
	applier, err := guard.InProcess(board.FS(), board.Clock())
	if err != nil {
		log.Fatal(err)
	}
	defer applier.Close()
	c := profiles.Campaign{
		Bench: &profiles.Bench{
			Device:     device,
			Applier:    applier,
			Sampler:    telemetry.NewSampler(device, board.Clock()),
			Clock:      board.Clock(),
			Workload:   w,
			NewHarness: w.NewHarness(workload.HarnessOptions{Virtual: board, Clock: board.Clock()}),
		},
		Plan: profiles.ListPlan([]profiles.Step{{Setting: tegra.Setting{Mode: device.Space().Max()}}}),
	}
	sum, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	// More minibatches than the usual 40: until three power samples have come.
	for _, row := range sum.Rows {
		fmt.Printf("%s: %s, %d minibatches\n", row.Mode, row.Status, row.Minibatches)
	}
	// Output: 12c/2.20C/1.30G/3.20M: ok, 49 minibatches
}

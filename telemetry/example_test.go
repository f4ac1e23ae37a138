package telemetry_test

import (
	"context"
	"fmt"
	"math"
	"time"

	"jtune/tegra/virtual"
	"jtune/telemetry"
)

func ExampleEnergy() {
	var e telemetry.Energy
	e.Begin(0)
	e.Add(1*time.Second, 20)
	e.Add(3*time.Second, 30) // this sample came late: it covers two seconds
	fmt.Printf("%.0f J in %v, %.1f W on average\n", e.Joules(), e.Span(), e.MeanW())
	// Output: 80 J in 3s, 26.7 W on average
}

func ExampleSteady() {
	var s telemetry.Steady
	s.Begin(0)
	for i, watts := range []float64{12, 24, 30, 30.5, 30.2} {
		t := time.Duration(i+1) * time.Second
		fmt.Println(t, s.Add(t, watts))
	}
	// Output:
	// 1s settling
	// 2s settling
	// 3s settling
	// 4s settling
	// 5s settled
}

// Two subscribers share one polling loop of a virtual board.
func ExampleSampler() {
	board, err := virtual.New(virtual.Options{Name: "agx-orin", Speed: math.Inf(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := board.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close()
	sampler := telemetry.NewSampler(device, board.Clock())
	seconds, valid, minutes := 0, 0, 0
	stop := sampler.Subscribe(time.Second, func(s telemetry.Sample) {
		seconds++
		if s.Valid {
			valid++
		}
	})
	defer stop()
	defer sampler.Subscribe(time.Minute, func(telemetry.Sample) { minutes++ })()
	if err := board.Clock().Sleep(context.Background(), 5*time.Minute); err != nil {
		fmt.Println(err)
	}
	fmt.Println(seconds, "samples,", valid, "of them valid;", minutes, "for the slow subscriber")
	// Output: 300 samples, 300 of them valid; 5 for the slow subscriber
}

package exporter_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"jtune/tegra/virtual"
	"jtune/telemetry"
	"jtune/telemetry/exporter"
)

// One answer of a virtual board. On a real one no series is marked as a simulation.
func ExampleExporter() {
	board, err := virtual.New(virtual.Options{Name: "nano", Speed: math.Inf(1)})
	if err != nil {
		panic(err)
	}
	device, err := board.Open()
	if err != nil {
		panic(err)
	}
	defer device.Close()
	e := exporter.New(exporter.Source{Device: device, Sampler: telemetry.NewSampler(device, board.Clock())})
	var answer bytes.Buffer
	if err := e.Write(&answer); err != nil {
		panic(err)
	}
	for line := range strings.Lines(answer.String()) {
		if strings.HasPrefix(line, "jetson_board_info") || strings.HasPrefix(line, "# TYPE jetson_module") {
			fmt.Print(line)
		}
	}
	// Output:
	// jetson_board_info{model="NVIDIA Jetson Nano Developer Kit",module="",l4t="32.7.1",virtual="true"} 1
	// # TYPE jetson_module_power_watts gauge
}

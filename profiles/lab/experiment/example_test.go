package experiment_test

import (
	"fmt"

	"jtune/profiles/lab/experiment"
	"jtune/profiles/workload"
	"jtune/tegra/virtual"
)

// The settings of the experiment about loader processes.
func ExampleExperiment_Plan() {
	board, err := virtual.New(virtual.Options{Name: virtual.AGXOrin})
	if err != nil {
		panic(err)
	}
	device, err := board.Open()
	if err != nil {
		panic(err)
	}
	defer device.Close()
	e, err := experiment.Find("workers")
	if err != nil {
		panic(err)
	}
	list, err := workload.Load("")
	if err != nil {
		panic(err)
	}
	w, err := workload.Find(list, "resnet18")
	if err != nil {
		panic(err)
	}
	plan := e.Plan(experiment.Request{Workload: w, Space: device.Space(), Mode: device.Space().Max(), Simulated: true})
	fmt.Println(e.Title)
	for _, s := range plan.Settings {
		fmt.Println(s.Name)
	}
	// Output:
	// 0, 1, 2, 4 or 8 loader processes
	// workers 0
	// workers 1
	// workers 2
	// workers 4
	// workers 8
}

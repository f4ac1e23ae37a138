package tegratest_test

import (
	"fmt"
	"os"

	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// A board's files, one of them changed, opened as a device.
func ExampleTree() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	tree := tegratest.New("orin-nano-36")
	tree.Set("/sys/class/thermal/thermal_zone0/temp", "81500")
	if err := tree.WriteTo(root); err != nil {
		panic(err)
	}
	device, err := tegra.Open(tegra.DiskFS(root), tegra.RealClock())
	if err != nil {
		panic(err)
	}
	defer device.Close()
	reading, err := device.Read()
	if err != nil {
		panic(err)
	}
	fmt.Println(device.Board().Name, reading.Temps[0].Name, reading.Temps[0].C)
	// Output:
	// Orin Nano Super cpu-thermal 81.5
}

package rivals_test

import (
	"fmt"
	"os"

	"jtune/tegra"
	"jtune/tegra/rivals"
	"jtune/tegra/tegratest"
)

// A board on which jetson_clocks runs at this moment.
func ExampleFind() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	tree := tegratest.NewAGXOrin35()
	tree.Set("/proc/812/comm", "jetson_clocks")
	tree.Set("/proc/812/cmdline", "/bin/bash\x00/usr/bin/jetson_clocks")
	if err := tree.WriteTo(root); err != nil {
		panic(err)
	}
	for _, r := range rivals.Find(tegra.DiskFS(root), tegra.Reading{}, nil, os.Getpid()) {
		if r.Active() {
			fmt.Printf("%s %s is %s and changes %s\n", r.Kind, r.Name, r.State, r.Touches)
		}
	}
	// Output:
	// process jetson_clocks is running and changes CPU, GPU and memory clocks
}

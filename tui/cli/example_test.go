package cli_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"jtune/tui/cli"
)

// Run works with any streams; data goes to standard output, and the exit code shows how the command ended.
func ExampleRun() {
	run := func(args ...string) {
		code := cli.Run(context.Background(), args, strings.NewReader(""), os.Stdout, os.Stdout)
		fmt.Println("exit code", code)
	}
	run("modes", "--device", "virtual:agx-orin", "--filter", "gpu<=200MHz cores=12 cpu>=2.2GHz")
	run("modes", "--device", "virtual:agx-orin", "--filter", "gpu<=fast")
	// Output:
	// 12c/2.20C/0.11G/0.20M
	// 12c/2.20C/0.11G/0.67M
	// 12c/2.20C/0.11G/2.13M
	// 12c/2.20C/0.11G/3.20M
	// jtune: 4 modes  (VIRTUAL: a simulation, not a measurement)
	// exit code 0
	// jtune: --filter: filter term "gpu<=fast": "fast" is not a value for gpu: not a positive number
	// exit code 2
}

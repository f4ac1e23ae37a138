// Command jtune finds the best power mode of an NVIDIA Jetson for a DNN
// training job: it measures a few modes, predicts all of them, and applies the
// one you choose.
package main

import (
	"os"

	"jtune/tui/cli"
)

func main() { os.Exit(cli.Main()) }

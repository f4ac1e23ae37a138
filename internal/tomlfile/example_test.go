package tomlfile_test

import (
	"fmt"

	"github.com/BurntSushi/toml"

	"jtune/internal/tomlfile"
)

const workloads = `[workload.mine]
command = "python3 train.py"
batch = 16
`

// The decoder knows the position of a syntax error.
func ExampleError() {
	var into map[string]any
	_, err := toml.Decode("batch = sixteen\n", &into)
	fmt.Println(tomlfile.Error("workloads.toml", err))
	// Output: workloads.toml: line 1: batch: write text in quotes, and numbers, true and false without
}

// A value that parses may still be invalid: Line finds the line for that error.
func ExampleLine() {
	line := tomlfile.Line(workloads, toml.Key{"workload", "mine", "batch"})
	fmt.Printf("workloads.toml: line %d: batch is larger than the data set\n", line)
	// Output: workloads.toml: line 3: batch is larger than the data set
}

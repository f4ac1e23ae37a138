package safefile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"jtune/internal/safefile"
)

// A reader sees the old file or the new one, never a mixture.
func ExampleReplace() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	models := filepath.Join(dir, "models")
	if err := os.MkdirAll(models, 0o755); err != nil {
		panic(err)
	}
	file := filepath.Join(models, "resnet18.json")
	for _, text := range []string{"version 1", "version 2"} {
		if err := safefile.Replace(file, []byte(text)); err != nil {
			panic(err)
		}
	}
	data, err := os.ReadFile(file)
	fmt.Println(string(data), err)
	left, err := os.ReadDir(models)
	fmt.Println(len(left), "file,", err)
	// Output:
	// version 2 <nil>
	// 1 file, <nil>
}

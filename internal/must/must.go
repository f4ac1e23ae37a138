// Package must ends a test at the first thing that fails.
package must

import (
	"os"
	"testing"
)

// NoError ends the test on an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Read returns the content of a file.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	NoError(t, err)
	return content
}

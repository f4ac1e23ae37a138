// Package must ends a test at the first thing that fails.
package must

import "testing"

// NoError ends the test on an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

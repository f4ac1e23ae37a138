package pagetest_test

import (
	"fmt"

	"jtune/tui/page/pagetest"
)

// Tests name keys as in the key table.
func ExampleKey() {
	for _, name := range []string{"a", "ctrl+s", "enter", "space"} {
		fmt.Println(pagetest.Key(name))
	}
	// Output:
	// a
	// ctrl+s
	// enter
	// space
}

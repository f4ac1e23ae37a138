package pagetest_test

import (
	"fmt"

	"jtune/tui/page/pagetest"
)

// Tests name keys as the table of keys does.
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

package tui_test

import (
	"fmt"

	"jtune/tui"
)

// The user's keys are checked before the screens start, and listed with the built-in ones.
func ExampleKeyLines() {
	wish := map[string][]string{"quit": {"ctrl+q"}}
	if action, err := tui.CheckKeys(wish); err != nil {
		fmt.Println(action, err)
	}
	for _, line := range tui.KeyLines(wish) {
		if line.Action == "quit" {
			fmt.Println(line.Keys, line.Where, line.Does)
		}
	}
	action, err := tui.CheckKeys(map[string][]string{"quits": {"ctrl+q"}})
	fmt.Println(action, err)
	// Output:
	// [ctrl+q ctrl+c] [everywhere] quit; what was not kept is restored
	// quits no such action; the nearest is quit; jtune config keys lists them
}

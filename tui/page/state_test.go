package page_test

import (
	"fmt"

	"jtune/tui/page"
	"jtune/tui/session/task"
)

func ExampleReader() {
	var state page.State // only the shell writes it
	read := page.ReaderOf(&state)
	fmt.Printf("%q\n", read.MayWrite())
	state.Tasks.Own = &page.Task{Spec: task.Spec{Kind: task.Verifying}}
	fmt.Printf("%q\n", read.MayWrite())
	state.Device.ReadOnly = true
	fmt.Printf("%q\n", read.MayWrite())
	// Output:
	// ""
	// "busy verifying"
	// "read-only"
}

package caller_test

import (
	"fmt"
	"os"

	"jtune/internal/caller"
)

// A program starts with Drop: its files then belong to the user, with and without sudo. AsRoot reads what only root can
// read.
func ExampleDrop() {
	if err := caller.Drop(); err != nil {
		panic(err)
	}
	err := caller.AsRoot(func() error {
		_, err := os.Stat("/proc/self")
		return err
	})
	fmt.Println(err)
	// Output:
	// <nil>
}

package caller_test

import (
	"fmt"
	"os"

	"jtune/internal/caller"
)

// A program begins with Drop: from there on its files belong to the user, with sudo and without. What only root may
// read takes AsRoot.
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

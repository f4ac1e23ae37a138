package caller_test

import (
	"fmt"
	"os/exec"

	"jtune/internal/caller"
)

// A job of a user's runs with the user's rights, whether or not jtune itself
// was started with sudo.
func ExampleAccount_Use() {
	account, err := caller.Find()
	if err != nil {
		panic(err)
	}
	job := exec.Command("echo", "training")
	account.Use(job)
	out, err := job.Output()
	fmt.Print(string(out))
	fmt.Println(err)
	// Output:
	// training
	// <nil>
}

package cpubudget_test

import (
	"fmt"
	"runtime"

	"jtune/internal/cpubudget"
)

// main creates the budget; code with a long computation requests all cores and then returns them.
func ExampleBudget() {
	budget := cpubudget.New()
	defer budget.End()
	fit := func() {
		defer budget.Compute()()
		fmt.Println("all cores while computing:", runtime.GOMAXPROCS(0) > runtime.NumCPU()/2)
	}
	fmt.Println("threads:", runtime.GOMAXPROCS(0))
	fit()
	fmt.Println("threads:", runtime.GOMAXPROCS(0))
	// Output:
	// threads: 1
	// all cores while computing: true
	// threads: 1
}

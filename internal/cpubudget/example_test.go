package cpubudget_test

import (
	"fmt"
	"runtime"

	"jtune/internal/cpubudget"
)

// main makes the budget; code that computes something long asks for all cores and returns them afterwards.
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

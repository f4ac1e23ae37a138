// Package testhome keeps tests away from the settings, records and jobs of the user who runs them.
package testhome

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/adrg/xdg"
)

// Set gives the test program and its child processes empty folders for configuration, data and state, and marks their
// jobs as the test's. It exits if that fails; call remove at the end.
func Set() (remove func()) {
	debug.SetGCPercent(rareGC)
	home, err := os.MkdirTemp("", "jtune-test-home")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, variable := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		os.Setenv(variable, home)
	}
	xdg.Reload()
	os.Setenv("JTUNE_TEST_MARK", "_OF_TESTS")
	return func() { _ = os.RemoveAll(home) }
}

// rareGC is the heap growth in percent that triggers garbage collection in tests: at the default of 100 it takes about
// a tenth of the CPU time of fits.
const rareGC = 400

// Together lets n parallel tests run at once, unless -parallel says how many: for packages whose tests wait for
// processes more than they compute. Call it from TestMain.
func Together(n int) {
	asked := false
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if asked {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
}

// Run runs a package's tests with Set: TestMain is os.Exit(testhome.Run(m.Run)).
func Run(tests func() int) (code int) {
	remove := Set()
	defer remove()
	return tests()
}

package guard

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// roundLimit is how long one round of a guard process may take; beyond it the package's tests do not start. A round
// takes about 0.05 s; the tests themselves wait for patience, so that a busy machine does not fail them.
const roundLimit = 15 * time.Second

// checkRound returns an error if a guard process cannot start, set a mode, and release the board. Nearly every test
// needs this: with a guard that does not answer, each would wait until go test's own limit of ten minutes. It checks
// nothing if only some tests run.
func checkRound() error {
	flag.Parse()
	for _, name := range []string{"test.run", "test.list", "test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != f.DefValue {
			return nil
		}
	}
	root, err := os.MkdirTemp("", "jtune-guard-round")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	if err := tegratest.NewAGXOrin35().WriteTo(root); err != nil {
		return err
	}
	step, pid, ended := make(chan string, 3), make(chan int, 1), make(chan error, 1)
	go func() { ended <- guardRound(root, step, pid) }()
	limit := time.After(roundLimit)
	for last := "start"; ; {
		select {
		case last = <-step:
		case err := <-ended:
			return err
		case <-limit:
			select {
			case p := <-pid:
				_ = signalTo(p, syscall.SIGKILL) // its watchdog follows
			default:
			}
			return fmt.Errorf("a guard process did not %s within %v: fix that first", last, roundLimit)
		}
	}
}

// guardRound sends the process ID of the guard, and each step before it begins.
func guardRound(root string, step chan<- string, pid chan<- int) error {
	ctx := context.Background()
	c, err := Start(ctx, StartOptions{Sysroot: root, Command: os.Args[:1],
		LogFile: filepath.Join(root, "run/jtune/guard.log")})
	if err != nil {
		return fmt.Errorf("a guard process does not start: %w", err)
	}
	pid <- c.PID()
	step <- "answer a request to set a mode"
	a, err := c.Apply(ctx, tegra.Request{Mode: mid})
	if err == nil && a.Actual != tegra.Some(mid) {
		err = fmt.Errorf("the mode in force is %v", a.Actual)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("a guard process does not set %v: %w", mid, err), c.Close())
	}
	step <- "end when its pipe closed"
	if err := c.Close(); err != nil {
		return fmt.Errorf("a guard process does not restore at its end: %w", err)
	}
	step <- "let go of the board when it ended"
	st, err := stateStore(tegra.DiskFS(root), false)
	for err == nil && st.locked() {
		time.Sleep(2 * time.Millisecond)
	}
	return err
}

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"jtune/tui"
	"jtune/tui/session"
)

// fastTour is the divisor of the tour's pauses with --fast.
const fastTour = 10

// demoFlags are the flags that the demo accepts.
var demoFlags = map[string]bool{"fast": true, "no-color": true, "glyphs": true, "config": true, "help": true}

// newDemo makes `jtune lab demo`.
func newDemo(a *app) *cobra.Command {
	var c struct{ Fast bool }
	return a.command("demo", nil, func(context.Context) error {
		if err := mayTour(a); err != nil {
			return err
		}
		home, err := os.MkdirTemp("", "jtune-demo")
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		defer os.RemoveAll(home)
		o := &a.options
		o.Device, o.Seed, o.Workload = "virtual:"+session.DefaultVirtual, 1, "resnet18"
		o.DataDir, o.StateDir = filepath.Join(home, "data"), filepath.Join(home, "state")
		if a.tour = 1; c.Fast {
			a.tour = fastTour
		}
		return a.open(a.cmd)
	}, &c)
}

// mayTour requires a terminal that is large enough, and rejects other flags.
func mayTour(a *app) (err error) {
	if !isTerminal(a.in) || !isTerminal(a.out) {
		return usagef("demo: needs a terminal for its input and output: run it in one, without pipes")
	}
	a.cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !demoFlags[f.Name] {
			err = usagef("demo: --%s has no effect on the tour, which plays on virtual:%s: leave it out", f.Name,
				session.DefaultVirtual)
		}
	})
	if err != nil {
		return err
	}
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err == nil && (size.Col < tui.TourW || size.Row < tui.TourH) {
		return usagef("demo: needs a terminal of %d×%d at least, this one has %d×%d: enlarge it", tui.TourW, tui.TourH,
			size.Col, size.Row)
	}
	return nil
}

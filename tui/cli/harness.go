package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"jtune/profiles/harness/torch"
)

// newHarness makes `jtune workloads harness`.
func newHarness(a *app) *cobra.Command {
	var c struct{ Write string }
	return a.command("workloads harness", nil, func(context.Context) error {
		switch {
		case !a.given("write"):
			a.asFile = true
			_, err := a.out.Write(torch.Helper())
			return err
		case c.Write == "":
			return usagef("harness: --write needs a folder")
		}
		paths, err := torch.Write(c.Write)
		for _, p := range paths {
			fmt.Fprintln(a.out, p)
		}
		if err != nil {
			return fmt.Errorf("%w: choose another folder with --write", err)
		}
		return nil
	}, &c)
}

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/profiles/harness/torch"
)

// harnessCmd is `jtune workloads harness`.
type harnessCmd struct {
	*app
	folder string
}

func newHarness(a *app) *cobra.Command {
	return command(&harnessCmd{app: a}, "workloads harness", nil)
}

func (c *harnessCmd) flags(f *pflag.FlagSet) {
	bind(f, "workloads harness", places{"write": &c.folder})
}

func (c *harnessCmd) run(context.Context) error {
	if !c.given("write") {
		c.asFile = true
		_, err := c.out.Write(torch.Helper())
		return err
	}
	if c.folder == "" {
		return usagef("harness: --write needs a folder")
	}
	paths, err := torch.Write(c.folder)
	for _, p := range paths {
		fmt.Fprintln(c.out, p)
	}
	if err != nil {
		return fmt.Errorf("%w: choose another folder with --write", err)
	}
	return nil
}

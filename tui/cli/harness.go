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
	return command(&harnessCmd{app: a}, &cobra.Command{
		Use:   "harness [--write DIR]",
		Short: "Print jtune.py, the helper for a training script of your own",
		Long: "Prints jtune.py, which reports the minibatches of your own training script to jtune: import it and " +
			"put the step into \"with jtune.minibatch(epoch, batch):\". --write DIR writes it into DIR, with the " +
			"built-in PyTorch jobs, to read or change them: python3 DIR/train.py --help",
		Example: "  jtune workloads harness > jtune.py",
	})
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

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"jtune/profiles/harness/torch"
)

func (a *app) harness() *cobra.Command {
	folder := ""
	cmd := &cobra.Command{
		Use:   "harness [--write DIR]",
		Short: "Print jtune.py, the helper for a training script of your own",
		Long: "Prints jtune.py, which reports the minibatches of your own training script to jtune: import it and " +
			"put\n" +
			"the step into \"with jtune.minibatch(epoch, batch):\". --write DIR writes it into DIR, with the " +
			"built-in\n" +
			"PyTorch jobs, to read or change them: python3 DIR/train.py --help",
		Example: "  jtune harness > jtune.py",
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("write") {
				_, err := a.out.Write(torch.Helper())
				return err
			}
			if folder == "" {
				return usagef("harness: --write needs a folder")
			}
			paths, err := torch.Write(folder)
			for _, p := range paths {
				fmt.Fprintln(a.out, p)
			}
			if err != nil {
				return fmt.Errorf("%w: choose another folder with --write", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "write", "", "write all scripts into `DIR`, which is made if it does not exist")
	return cmd
}

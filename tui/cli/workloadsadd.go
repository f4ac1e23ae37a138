package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// workloadsAddCmd is `jtune workloads add`.
type workloadsAddCmd struct {
	*app
	own commandFlags
}

func newWorkloadsAdd(a *app) *cobra.Command {
	c := &workloadsAddCmd{app: a}
	return command(c, &cobra.Command{
		Use:   "add NAME -- COMMAND [ARG…]",
		Short: "Write a command of your own into the configuration as a workload",
		Long: "Writes the table [workload.NAME] into the configuration file, so that run, tune, profile and the " +
			"screens know the command by its name. Comments and other tables of the file stay unchanged; a " +
			"workload of that name is replaced. Nothing is run: jtune run --save NAME -- COMMAND also finds out how " +
			"to read its steps.",
		Example: "  jtune workloads add detector --dataset-size 12000 -- python3 train.py\n" +
			"  jtune workloads add camera --kind infer --unit frame --pattern ultralytics-predict -- ./camera.sh",
		Args: c.own.args(one, func(cmd *cobra.Command, args []string) error {
			return usagef("workloads add needs the command too, such as: jtune workloads add NAME -- python3 train.py")
		}),
	})
}

func (c *workloadsAddCmd) flags(f *pflag.FlagSet) {
	c.own.add(f)
	c.jsonFlag(f, asDocument)
}

func (c *workloadsAddCmd) check() error {
	if c.args[0] == "" {
		return usagef("workloads add: the name is empty")
	}
	return checkSave(c.args[0])
}

func (c *workloadsAddCmd) run(context.Context) error {
	name := c.args[0]
	return c.onDevice(func(s *session.Session) error {
		w, err := c.own.Workload(s)
		if err != nil {
			return err
		}
		path, err := c.options.SaveWorkload(name, workloads.SaveText(name, w))
		return did(c.app, err, report.Object{{"name", name}, {"path", path}}, "saved as %s in %s; jtune run %s runs it",
			name, path, name)
	})
}

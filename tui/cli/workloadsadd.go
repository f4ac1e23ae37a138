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
	return command(c, "workloads add", c.own.args(one, func(cmd *cobra.Command, args []string) error {
		return usagef("workloads add needs the command too, such as: jtune workloads add NAME -- python3 train.py")
	}))
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

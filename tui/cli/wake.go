package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/tui/session/control"
)

// wakeCmd is `jtune fleet wake`.
type wakeCmd struct {
	*app
	to string
}

func newWake(a *app) *cobra.Command {
	return command(&wakeCmd{app: a, to: control.WakeAddress}, "fleet wake", cobra.ExactArgs(1))
}

func (c *wakeCmd) flags(f *pflag.FlagSet) {
	bind(f, "fleet wake", places{"to": &c.to})
	c.jsonFlag(f, asDocument)
}

func (c *wakeCmd) run(ctx context.Context) error {
	return did(c.app, control.Wake(ctx, c.args[0], c.to), report.Object{{"mac", c.args[0]}, {"to", c.to}},
		"sent to %s through %s", c.args[0], c.to)
}

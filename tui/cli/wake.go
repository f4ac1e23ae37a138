package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/tui/session/control"
)

// newWake makes `jtune fleet wake`.
func newWake(a *app) *cobra.Command {
	c := struct{ To string }{control.WakeAddress}
	return a.command("fleet wake", cobra.ExactArgs(1), func(ctx context.Context) error {
		return did(a, control.Wake(ctx, a.args[0], c.To), report.Object{{"mac", a.args[0]}, {"to", c.To}},
			"sent to %s through %s", a.args[0], c.To)
	}, &c)
}

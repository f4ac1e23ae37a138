package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// action is a command: a struct with the values of its flags around app, whose flags and check do nothing.
type action interface {
	base() *app
	flags(f *pflag.FlagSet)
	check() error // of values; rules check which flags exclude or need each other
	run(ctx context.Context) error
}

// command makes a cobra command of an action with the texts of the table; check is for its arguments, nil: none.
func command(x action, of string, check cobra.PositionalArgs) *cobra.Command {
	c := described(of, check)
	x.flags(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		a := x.base()
		a.cmd, a.args = c, args
		if err := x.check(); err != nil {
			return err
		}
		return x.run(c.Context())
	}
	return c
}

// group makes a command that only has subcommands. Run alone it returns an error that lists their forms, or prints its
// help if there are no forms.
func group(of, forms string, commands ...*cobra.Command) *cobra.Command {
	c := described(of, nil)
	c.Annotations = map[string]string{groupOnly: ""}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if forms == "" {
			return c.Help()
		}
		return usagef("%s needs a format: %s", c.Name(), forms)
	}
	c.AddCommand(commands...)
	return c
}

func (a *app) base() *app   { return a }
func (a *app) check() error { return nil }

// groupOnly marks a command that only has subcommands.
const groupOnly = "group"

func isGroup(c *cobra.Command) bool {
	_, is := c.Annotations[groupOnly]
	return is
}

// given reports whether a flag of the command was given.
func (a *app) given(flag string) bool { return a.cmd.Flags().Changed(flag) }

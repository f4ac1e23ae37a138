package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/fields"
)

// checked is a part of a command with values that are checked before it runs; rules check which flags exclude or need
// each other.
type checked interface{ check() error }

// command makes a cobra command with the texts and the fields of the table. A field's value goes to the first of the
// parts that has a place for it. args checks the arguments; nil: there are none.
func (a *app) command(of string, args cobra.PositionalArgs, run func(context.Context) error,
	parts ...any) *cobra.Command {
	c := described(of, args)
	bind(c.Flags(), of, append(parts, places{"json": &a.asJSON, "csv": &a.asCSV})...)
	c.RunE = func(c *cobra.Command, args []string) error {
		a.cmd, a.args = c, args
		for _, part := range parts {
			if part, ok := part.(checked); ok {
				if err := part.check(); err != nil {
					return err
				}
			}
		}
		return run(c.Context())
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

// groupOnly marks a command that only has subcommands.
const groupOnly = "group"

func isGroup(c *cobra.Command) bool {
	_, is := c.Annotations[groupOnly]
	return is
}

// given reports whether a flag of the command was given.
func (a *app) given(flag string) bool { return a.cmd.Flags().Changed(flag) }

// places are where the values of fields go, by the fields' names: pointers, or values that parse themselves.
type places map[string]any

// shared is what several commands ask for: the fields of a part of the table, and where their values go.
type shared struct {
	of    string
	parts []any
}

// the makes such a part of a command.
func the(of string, parts ...any) shared { return shared{of, parts} }

// bind adds the flags of a command or part of the table, and those that it shares with others. A field that the command
// has already is left out.
func bind(f *pflag.FlagSet, of string, parts ...any) {
	for _, x := range requests().parts[of].fields {
		if f.Lookup(x.Name) == nil {
			addFlag(f, x, placeOf(x.Name, parts))
		}
	}
	for _, part := range parts {
		if part, ok := part.(shared); ok {
			bind(f, part.of, part.parts...)
		}
	}
}

// placeOf returns the place of a field: the one that is named, or the first member of a struct that has its name.
func placeOf(name string, parts []any) (found any) {
	for _, part := range slices.Backward(parts) {
		switch part := part.(type) {
		case shared, places:
		default:
			found = cmp.Or(fields.Place(name, part), found)
		}
	}
	for _, part := range parts {
		if named, ok := part.(places); ok {
			found = cmp.Or(named[name], found)
		}
	}
	return found
}

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/tui"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/widget"
)

// keysText is the help text about key bindings.
const keysText = "Prints the keys of the full-screen tuner, your own bindings included, and checks them. " +
	"Bindings belong in the configuration file under [keys]: an action of this list and one or more keys, such as " +
	"apply = [\"a\", \"ctrl+o\"]. A key is a character, ctrl+ and a letter, or a word of this list. " +
	"Two actions may share a key only if they are never active at the same time. ctrl+c always quits."

func newKeys(a *app) *cobra.Command {
	c := a.command("config keys", nil, func(context.Context) error {
		bindings, err := keyBindings(a.options)
		if err != nil {
			return err
		}
		type k = tui.KeyLine
		return printTable(a, report.Table[k]{
			{Key: "action", Title: "ACTION", Of: func(x k) any { return x.Action }},
			{Key: "keys", Title: "KEYS", Of: func(x k) any { return x.Keys }},
			{Key: "where", Title: "WHERE", Of: func(x k) any { return x.Where }},
			{Key: "does", Title: "DOES", Of: func(x k) any { return x.Does }},
		}, tui.KeyLines(bindings))
	})
	c.Long = keysText
	return c
}

// keyBindings reads the user's key bindings.
func keyBindings(o session.Options) (map[string][]string, error) {
	path, err := o.ConfigFile()
	if err != nil {
		return nil, err
	}
	return config.ReadKeys(path, tui.CheckKeys)
}

// theme reads the user's choice of colours.
func theme(o session.Options) (t widget.Theme, err error) {
	path, err := o.ConfigFile()
	if err != nil {
		return t, err
	}
	err = config.ReadTheme(path, func(table map[string]string) (key string, err error) {
		t, key, err = widget.ParseTheme(table)
		return key, err
	})
	return t, err
}

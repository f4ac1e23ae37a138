package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tui"
)

func newMan(a *app) *cobra.Command {
	return a.command("man", nil, func(context.Context) error {
		a.asFile = true
		writeMan(a.out, a.cmd.Root())
		return nil
	})
}

// writeMan prints the command tree as a manual page in troff.
func writeMan(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH JTUNE 1\n.SH NAME\njtune \\- %s\n.SH SYNOPSIS\n.B jtune\n[flags] [command]\n.SH DESCRIPTION\n"+
		"%s\n", troff(root.Short), troff(root.Long))
	fmt.Fprint(w, ".SH GLOBAL FLAGS\n")
	writeFlags(w, root.PersistentFlags())
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		writeCommand(w, c)
	}
	fmt.Fprint(w, ".SS completion SHELL\nPrint a completion script for bash, zsh, fish or powershell.\n")
	fmt.Fprint(w, ".SH KEYS\nOf the full\\-screen tuner, by the names under which [keys] in the configuration file "+
		"binds others.\n")
	for _, k := range tui.KeyLines(nil) {
		fmt.Fprintf(w, ".TP\n.B %s\n%s: %s (%s)\n", troff(k.Action), troff(strings.Join(k.Keys, ", ")), troff(k.Does),
			strings.Join(k.Where, ", "))
	}
	for _, t := range topics {
		if t.part().long == nil {
			continue // its flags are listed above
		}
		title := strings.ToUpper(strings.ReplaceAll(t.name, "-", " "))
		if t.name == "exit-codes" {
			title = "EXIT STATUS" // the usual heading of manual pages
		}
		fmt.Fprintf(w, ".SH %s\n.nf\n%s\n.fi\n", title, troff(t.body(root)))
	}
	fmt.Fprint(w, ".SH FILES\n$XDG_CONFIG_HOME/jtune/config.toml, $XDG_DATA_HOME/jtune, $XDG_STATE_HOME/jtune\n")
}

func writeCommand(w io.Writer, c *cobra.Command) {
	for _, sub := range c.Commands() {
		writeCommand(w, sub)
	}
	if isGroup(c) {
		return
	}
	use := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") + strings.TrimPrefix(c.Use, c.Name())
	text := c.Short + "."
	if c.Long != "" {
		text = c.Long
	}
	fmt.Fprintf(w, ".SS %s\n%s\n", troff(use), troff(text))
	writeFlags(w, c.LocalNonPersistentFlags())
}

func writeFlags(w io.Writer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		text := "--" + f.Name
		if name != "" {
			text += " " + name
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", troff(text), troff(usage))
	})
}

// troff escapes text for a manual page.
func troff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

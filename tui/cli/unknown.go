package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
)

// knownCommand is a usage error when the first word that is not a flag is no
// command, whatever flags stand around it.
func knownCommand(root *cobra.Command, args []string) error {
	name, ok := firstWord(root, args)
	if !ok || strings.HasPrefix(name, "__complete") { // shells ask by hidden commands
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return nil
		}
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return usagef("unknown command %q: the nearest is %s; jtune help lists them", text.Clip(name),
		text.Nearest(name, names))
}

// firstWord is the first argument that is neither a flag nor a flag's value.
func firstWord(root *cobra.Command, args []string) (string, bool) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return "", false
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			return word, true
		}
		flag, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		f := root.PersistentFlags().Lookup(flag)
		if f == nil {
			return "", false // a flag of a command before its name: the next word may be its value
		}
		if f.NoOptDefVal == "" && !hasValue {
			i++
		}
	}
	return "", false
}

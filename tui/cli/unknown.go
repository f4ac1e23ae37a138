package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
)

// knownCommand returns a usage error if the first word that is not a flag is no command.
func knownCommand(root *cobra.Command, args []string) error {
	at, ok := firstWord(root, args, false)
	if !ok || strings.HasPrefix(args[at], "__complete") { // shells call hidden commands
		return nil
	}
	name := args[at]
	former := moved(root)
	names := slices.Collect(maps.Keys(former))
	for _, c := range root.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return nil
		}
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	nearest := text.Nearest(name, names)
	if nearest = cmp.Or(former[nearest], nearest); nearest != "" {
		nearest = "; the nearest is " + nearest
	}
	return usagef("unknown command %q%s; jtune help lists the commands", text.Clip(name), nearest)
}

// unknownBelow returns a usage error for a word that is no command of a group.
func unknownBelow(group *cobra.Command, name string) error {
	var names []string
	for _, c := range group.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return usagef("%sunknown command %q%s; %s has %s", commandName(group), text.Clip(name), text.Suggest(name, names),
		group.CommandPath(), strings.Join(names, ", "))
}

// firstWord returns the index of the first argument that is neither a flag nor a flag's value. Behind a command, flags
// of its own may precede it, which are taken to have no value.
func firstWord(root *cobra.Command, args []string, behind bool) (int, bool) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return 0, false
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			return i, true
		}
		flag, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		f := root.PersistentFlags().Lookup(flag)
		switch {
		case f == nil && !behind:
			return 0, false // a command's flag before the command: the next word may be its value
		case f != nil && f.NoOptDefVal == "" && !hasValue:
			i++
		}
	}
	return 0, false
}

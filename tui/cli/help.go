package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
)

// shells are those that completion scripts are made for.
const shells = "bash, zsh, fish or powershell"

// ownHelp makes the library's help and completion commands refuse names that
// do not exist, as all other commands do. It comes after root's output is set,
// which they look up when they are made.
func ownHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Use, c.Short = "help [COMMAND|TOPIC]", "Explain a command or a topic"
			c.Long = "Prints the help of a command, or one of these topics: " + topicNames() + "."
			c.Run, c.RunE = nil, helpOn
		case "completion":
			c.Args, c.RunE = cobra.ArbitraryArgs, unknownShell
			for _, shell := range c.Commands() {
				shell.Args = takes(cobra.NoArgs)
			}
		}
	}
}

// helpOn prints the help of the command that the arguments name.
func helpOn(cmd *cobra.Command, args []string) error {
	if t, ok := topicOf(args); ok {
		return t.print(cmd)
	}
	args, _ = present(cmd.Root(), args)
	on, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return usagef("help: no command or topic %q%s; jtune help lists them", strings.Join(args, " "),
			text.Suggest(args[0], topicList()))
	}
	on.InitDefaultHelpFlag()
	return on.Help()
}

func unknownShell(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("completion for which shell? %s", shells)
	}
	return usagef("completion: %q is not a known shell: want %s", strings.Join(args, " "), shells)
}

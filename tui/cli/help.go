package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/text"
)

// shells are the shells with completion scripts.
const shells = "bash, zsh, fish or powershell"

// shellSetUp says how a shell loads its completion script: once, and in every new session.
var shellSetUp = map[string]string{
	"bash": "  source <(jtune completion bash)\n" +
		"  jtune completion bash | sudo tee /etc/bash_completion.d/jtune >/dev/null",
	"zsh": "  source <(jtune completion zsh)\n" +
		"  jtune completion zsh > \"${fpath[1]}/_jtune\"",
	"fish": "  jtune completion fish | source\n" +
		"  jtune completion fish > ~/.config/fish/completions/jtune.fish",
	"powershell": "  jtune completion powershell | Out-String | Invoke-Expression\n" +
		"  jtune completion powershell >> $PROFILE",
}

// completionPages sets the help pages of completion, which replace cobra's.
func completionPages(c *cobra.Command) {
	c.Short = "Print a script that lets your shell complete commands and names"
	c.Long = wrapped("With the script, the tab key completes commands, flags and their values, and the names of " +
		"workloads, models, campaigns, presets and boards. The Debian package installs it for bash, zsh and fish.")
	c.Example = "  source <(jtune completion bash)"
	c.Args, c.RunE = cobra.ArbitraryArgs, unknownShell
	for _, shell := range c.Commands() {
		shell.Args = takes(cobra.NoArgs)
		shell.Short = "Print the script for " + shell.Name()
		shell.Long = wrapped("Prints the completion script for " + shell.Name() + ". The first line loads it into " +
			"this session, the second into every new one.")
		shell.Example = shellSetUp[shell.Name()]
		if f := shell.Flags().Lookup("no-descriptions"); f != nil {
			f.Usage = "complete names without their descriptions"
		}
	}
}

// ownHelp makes cobra's help and completion commands reject unknown names like all other commands. Call it after
// setting root's output, which these commands read when they are created.
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
			completionPages(c)
		}
	}
}

// helpOn prints the help of the command or topic in the arguments.
func helpOn(cmd *cobra.Command, args []string) error {
	if t, ok := topicOf(args); ok {
		return t.print(cmd)
	}
	args, _ = present(cmd.Root(), args)
	on, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return usagef("help: no command or topic %q%s; jtune help lists them", strings.Join(args, " "),
			nearestPage(cmd.Root(), strings.Join(args, "-")))
	}
	on.InitDefaultHelpFlag()
	return on.Help()
}

// nearestPage returns the command or topic that a word may mean: one with this prefix, otherwise the nearest name.
func nearestPage(root *cobra.Command, word string) string {
	pages := helpPageNames(root)
	for _, name := range pages {
		if len(word) > 1 && strings.HasPrefix(name, word) {
			return "; the nearest is " + name
		}
	}
	return text.Suggest(word, pages)
}

// helpPageNames lists the topics and commands with a help page.
func helpPageNames(root *cobra.Command) []string {
	names := topicList()
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

func unknownShell(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("completion for which shell? %s", shells)
	}
	return usagef("completion: %q is not a known shell: want %s", strings.Join(args, " "), shells)
}

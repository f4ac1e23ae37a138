package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagSections groups the flags of commands with many. Flags without a section come last.
var flagSections = []struct{ title, flags string }{
	{"Input", "model models samples train infer predict workload truth reference methods sizes seeds samples-of " +
		"others estimates measured observed with strict"},
	{"What to reach", "power-limit time-limit energy-limit energy throughput max-slowdown knee limit margin " +
		"max-error coverage baseline mode latency-cost policy tau budgets"},
	{"How to measure", "batch minibatches epochs inferences modes sample grid list filter shard resume redo-failed " +
		"probes strategy rotation depth fresh interval base repeat wait mode-timeout retries dvfs fan " +
		"keep-fan force workers weights remote data half env no-gc no-instrument settle length soak go-on for " +
		"until-steady meter governor full idle instances"},
	{"Load", "rate arrivals outstanding latency quantile max-wait power-as idle-power requests"},
	{"A command of your own", "dir pattern kind unit counts dataset-size save runs exit-code attach log trust-command"},
	{"Output", "json csv out svg md plot no-record include-epoch-zero"},
}

// fewFlags is the maximum number of flags without sections.
const fewFlags = 9

// sized lists the commands that use the global flag --batch.
var sized = strings.Fields("run tune soak profile pair choose front predict plot fit explain experiment energy " +
	"evaluate merge import repeat")

// flagHelp prints the help of a command for a plain terminal's width; cobra does not wrap its lines. It does not use a
// template: with text/template the linker keeps every exported method, which makes the program a fifth larger.
func flagHelp(c *cobra.Command) error {
	var b strings.Builder
	section := func(title, lines string) {
		if lines != "" {
			fmt.Fprintf(&b, "\n\n%s:\n%s", title, lines)
		}
	}
	b.WriteString("Usage:")
	if c.Runnable() && !isGroup(c) {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " [command]")
	}
	if len(c.Aliases) > 0 {
		section("Aliases", "  "+c.NameAndAliases())
	}
	section("Examples", c.Example)
	for _, g := range groups {
		section(g.Title, commandLines(c, g.ID))
	}
	section("Available Commands", commandLines(c, ""))
	for _, s := range sectioned(c) {
		section(s.title, strings.TrimRight(s.flags.FlagUsagesWrapped(helpWidth), " \n"))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nMore about a command: %s [command] --help", c.CommandPath())
	}
	if c.HasParent() {
		b.WriteString("\n\nFlags of every command: jtune help flags; of virtual boards: jtune help virtual.")
	} else {
		b.WriteString("\nTopics of jtune help: " + topicNames())
	}
	_, err := fmt.Fprintln(c.OutOrStderr(), b.String())
	return err
}

// commandLines lists the commands of a group below c, one per line; "" selects those without a group.
func commandLines(c *cobra.Command, group string) string {
	var lines []string
	for _, sub := range c.Commands() {
		if sub.GroupID == group && sub.IsAvailableCommand() && sub.Name() != "help" {
			lines = append(lines, fmt.Sprintf("  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short))
		}
	}
	return strings.Join(lines, "\n")
}

// flagSection is a part of a command's flags.
type flagSection struct {
	title string
	flags *pflag.FlagSet
}

// sectioned returns the flags of a command in their sections.
func sectioned(c *cobra.Command) (list []flagSection) {
	own := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	if !c.HasParent() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if c.PersistentFlags().Lookup(f.Name) == nil {
				own.AddFlag(f)
			}
		})
		return []flagSection{{"Flags", own}}
	}
	own.AddFlagSet(c.LocalFlags())
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { // flags of its parent, such as --json
		global := c.Root().PersistentFlags().Lookup(f.Name) != nil
		if !global || f.Name == "batch" && slices.Contains(sized, c.Name()) {
			own.AddFlag(f)
		}
	})
	n := 0
	own.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	if n <= fewFlags {
		return []flagSection{{"Flags", own}}
	}
	rest := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	rest.AddFlagSet(own)
	for _, s := range flagSections {
		part := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
		for name := range strings.FieldsSeq(s.flags) {
			if f := own.Lookup(name); f != nil {
				part.AddFlag(f)
			}
		}
		list = append(list, flagSection{s.title, part})
		rest = without(rest, part)
	}
	return append(list, flagSection{"Other flags", rest})
}

// without returns the flags of all that are not in some.
func without(all, some *pflag.FlagSet) *pflag.FlagSet {
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.VisitAll(func(f *pflag.Flag) {
		if some.Lookup(f.Name) == nil {
			rest.AddFlag(f)
		}
	})
	return rest
}

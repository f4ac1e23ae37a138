package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/text"
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

// firstFlags are shown by --help, the first ten that a command has; --help-all shows all in their sections.
const firstFlags = "models model samples truth train infer json limit power-limit time-limit energy mode modes " +
	"sample filter for until-steady fresh batch soak latency rate policy pattern method x y of over with svg " +
	"minibatches epochs save attach no-device out resume repeat round sort kind population methods sizes"

// fewFlags is the maximum number of flags that --help shows in full.
const fewFlags = 10

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
	own := shownFlags(c)
	few := visible(own) <= fewFlags+1 // with --help
	all, _ := c.Flags().GetBool("help-all")
	examples := strings.Split(c.Example, "\n")
	if !few && !all {
		examples = examples[:min(2, len(examples))]
	}
	section("Examples", strings.Join(examples, "\n"))
	for _, g := range groups {
		if g.Title != "" {
			section(g.Title, commandLines(c, g.ID))
		}
	}
	section("Available Commands", commandLines(c, ""))
	if c.Name() == "list" {
		section("What it lists", commandLines(c.Root(), c.Name()))
	}
	switch {
	case few:
		section("Flags", usages(own))
	case !all:
		section("First flags (all: --help-all)", firstLines(own))
	default:
		for _, s := range sectioned(own) {
			section(s.title, usages(s.flags))
		}
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

// usages returns the help lines of flags. One that is only given or not has no value behind its name.
func usages(flags *pflag.FlagSet) string {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		line := *f
		if f.Value.Type() == "bool" {
			line.Value = onOff{f.Value}
		}
		shown.AddFlag(&line)
	})
	return strings.TrimRight(shown.FlagUsagesWrapped(helpWidth), " \n")
}

// onOff is the value of a flag that takes none.
type onOff struct{ pflag.Value }

func (onOff) Type() string { return "boolfunc" }

// shownFlags returns the flags of a command without those of every command.
func shownFlags(c *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	if !c.HasParent() {
		return without(c.Flags(), c.PersistentFlags())
	}
	own.AddFlagSet(c.LocalFlags())
	if batch := c.InheritedFlags().Lookup("batch"); slices.Contains(sized, c.Name()) {
		own.AddFlag(batch)
	}
	return own
}

// visible returns the number of flags that help shows.
func visible(flags *pflag.FlagSet) (n int) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	return n
}

// firstLines lists the first flags, each in one line.
func firstLines(own *pflag.FlagSet) string {
	var rows [][2]string
	widest := 0
	for name := range strings.FieldsSeq(firstFlags) {
		f := own.Lookup(name)
		if f == nil || f.Hidden || len(rows) == fewFlags {
			continue
		}
		value, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			value = ""
		}
		form := strings.TrimSpace("--" + name + " " + value)
		widest = max(widest, len(form))
		rows = append(rows, [2]string{form, usage})
	}
	var lines []string
	for _, r := range rows {
		says, _, _ := strings.Cut(r[1], "; ")
		first, _, more := strings.Cut(text.Fold(says, "", helpWidth-widest-5), "\n")
		if more {
			first += "…"
		}
		lines = append(lines, fmt.Sprintf("  %-*s  %s", widest, r[0], first))
	}
	return strings.Join(lines, "\n")
}

// sectioned returns flags in their sections.
func sectioned(own *pflag.FlagSet) (list []flagSection) {
	rest := own
	for _, s := range flagSections {
		part := pflag.NewFlagSet("", pflag.ContinueOnError)
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

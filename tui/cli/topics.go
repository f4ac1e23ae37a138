package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// topic is a page of `jtune help` that is not about a command: a part of the table, with global flags.
type topic struct {
	name  string
	flags func(name string) bool // selects the global flags to list; nil: none
}

// virtualFlags are the global flags that apply only to virtual boards.
var virtualFlags = strings.Fields("speed seed medium instance quirks fault ambient")

func ofVirtual(flag string) bool { return slices.Contains(virtualFlags, flag) }

// topics lists all pages in order.
var topics = []topic{{name: "modes"}, {name: "units"}, {name: "limits"}, {name: "exit-codes"}, {name: "data"},
	{"flags", func(flag string) bool { return !ofVirtual(flag) }}, {"virtual", ofVirtual}}

// part returns the texts of a topic.
func (t topic) part() *part { return requests().parts[topicPart+strings.ReplaceAll(t.name, "-", " ")] }

// topicPart begins the name of a topic's part.
const topicPart = "topic "

func topicNames() string { return strings.Join(topicList(), ", ") }

func topicList() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// topicOf returns the topic that words name, such as exit codes.
func topicOf(words []string) (topic, bool) {
	name := strings.Join(words, "-")
	for _, t := range topics {
		if t.name == name {
			return t, true
		}
	}
	return topic{}, false
}

// body returns the text of a topic and its flags.
func (t topic) body(root *cobra.Command) string {
	var parts []string
	for _, paragraph := range t.part().long {
		if !strings.Contains(paragraph, "\n") { // tables keep their lines
			paragraph = wrapped(paragraph)
		}
		parts = append(parts, paragraph)
	}
	if t.flags != nil {
		list := pflag.NewFlagSet(t.name, pflag.ContinueOnError)
		root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
			if t.flags(f.Name) {
				list.AddFlag(f)
			}
		})
		parts = append(parts, usages(list))
	}
	return strings.Join(parts, "\n\n")
}

// print prints a topic.
func (t topic) print(c *cobra.Command) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n\n%s\n", t.part().short, t.body(c.Root()))
	return err
}

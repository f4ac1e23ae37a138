package cli

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/fields"
)

// flagRule states which flags of a command exclude or need each other. A word is a flag, a flag with a value
// (policy=free), or in capitals an argument (MODE), optionally with the value of the first argument (KIND=front);
// COMMAND is the one behind --. A command's check reports flags that need another value.
type flagRule struct{ words, is, others, why string } // why is appended to the error

// Relations between a rule's words and its others.
const (
	needs    = "needs"    // each of words needs one of others
	excludes = "excludes" // words exclude others
	oneOf    = "one of"   // exactly one of words
	missing  = "missing"  // at least one of words
)

// ownCommand is the word of a command behind --.
const ownCommand = "COMMAND"

// readRule reads a rule of the table.
func readRule(line string) (r flagRule) {
	r.words, r.why, _ = strings.Cut(line, ": ")
	for _, is := range []string{oneOf, missing} {
		if words, ok := strings.CutPrefix(r.words, is+" "); ok {
			r.words, r.is = words, is
		}
	}
	for _, is := range []string{needs, excludes} {
		if words, others, ok := strings.Cut(r.words, " "+is+" "); ok {
			r.words, r.is, r.others = words, is, others
		}
	}
	return r
}

// keptRules returns an error for the first broken rule.
func keptRules(c *cobra.Command, args []string) error {
	line, parts := ruled{c, args}, requests().parts
	kept := slices.DeleteFunc(slices.Clone(parts["shared"].rules), func(r flagRule) bool {
		return !line.hasAll(r.words + " " + r.others)
	})
	if own := parts[shortName(c)]; own != nil {
		kept = append(kept, own.rules...)
	}
	for _, r := range kept {
		if err := line.check(r); err != nil {
			return err
		}
	}
	if f := line.namedDash(); f != nil {
		kind, _ := pflag.UnquoteUsage(f)
		return usagef("%s--%s -: - stands for standard input or output, which is not taken here; give a %s",
			commandName(c), f.Name, kind)
	}
	return line.within()
}

// namedDash returns a flag that was given "-" for a file or folder, though its help does not say that it takes it.
func (l ruled) namedDash() (found *pflag.Flag) {
	l.Flags().Visit(func(f *pflag.Flag) {
		kind, help := pflag.UnquoteUsage(f)
		if f.Value.String() == "-" && (kind == "FILE" || kind == "DIR") && !strings.Contains(help, "- for standard") {
			found = f
		}
	})
	return found
}

// within returns an error if a flag that was given is out of its bounds.
func (l ruled) within() (err error) {
	l.Flags().Visit(func(f *pflag.Flag) {
		if limits := f.Annotations[bounds]; len(limits) > 0 && err == nil {
			x, values := fields.Field{Least: limits[0], Most: limits[1]}, []string{f.Value.String()}
			if list, several := f.Value.(pflag.SliceValue); several {
				values = list.GetSlice()
			}
			for _, value := range values {
				if want := x.Wrong(value); want != "" {
					err = usagef("%s--%s %s: %s", commandName(l.Command), f.Name, value, want)
				}
			}
		}
	})
	return err
}

// ruled is a command line to check.
type ruled struct {
	*cobra.Command
	args []string
}

// hasAll reports whether the command has all of these flags.
func (l ruled) hasAll(words string) bool {
	return !slices.ContainsFunc(strings.Fields(words), func(word string) bool {
		return l.flag(word) == nil && word != ownCommand
	})
}

// flag returns the flag of a word; nil for arguments, and if the command does not have it.
func (l ruled) flag(word string) *pflag.Flag {
	name, _, _ := strings.Cut(word, "=")
	return l.Flags().Lookup(name)
}

// check returns an error if the rule is broken.
func (l ruled) check(r flagRule) error {
	given, others := l.given(r.words), l.given(r.others)
	says := ""
	switch {
	case r.is == needs && given != nil && others == nil:
		says = l.name(given[0]) + " needs " + l.forms(r.others, " or ") + " too"
	case r.is == excludes && given != nil && others != nil:
		says = l.name(given[0]) + " and " + l.name(others[0]) + " exclude each other"
	case r.is == oneOf && len(given) != 1:
		says = "give exactly one of " + l.forms(r.words, " and ")
	case r.is == missing && given == nil:
		says = l.forms(r.words, " or ") + " is missing"
	default:
		return nil
	}
	if r.why != "" {
		says += ": " + r.why
	}
	return usagef("%s%s", commandName(l.Command), says)
}

// given returns the words that the command line contains.
func (l ruled) given(words string) (list []string) {
	for word := range strings.FieldsSeq(words) {
		name, want, valued := strings.Cut(word, "=")
		f, holds := l.flag(word), false
		switch {
		case word == ownCommand:
			holds = l.ArgsLenAtDash() >= 0
		case f == nil:
			holds = unicode.IsUpper(rune(name[0])) && len(l.args) > 0 && (!valued || l.args[0] == want)
		case valued:
			holds = f.Value.String() == want
		case f.Value.Type() == "string" || f.Value.Type() == wordType:
			holds = f.Changed && f.Value.String() != ""
		default:
			holds = f.Changed && f.Value.String() != "false"
		}
		if holds {
			list = append(list, word)
		}
	}
	return list
}

// name formats a word as on a command line.
func (l ruled) name(word string) string {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case word == ownCommand:
		return "-- " + word
	case l.flag(word) != nil:
	case value != "":
		return l.Name() + " " + value
	default:
		return name
	}
	return strings.TrimSpace("--" + name + " " + value)
}

// forms formats words as the user should type them: a flag with a placeholder for its value.
func (l ruled) forms(words, between string) string {
	var out []string
	last := ""
	for word := range strings.FieldsSeq(words) {
		form := l.name(word)
		if name, value, _ := strings.Cut(word, "="); name == last {
			form = value // another value of the same flag
		} else {
			last = name
		}
		if f := l.flag(word); f != nil && !strings.Contains(word, "=") && strings.Contains(f.Usage, "`") {
			value, _ := pflag.UnquoteUsage(f)
			form += " " + value
		}
		out = append(out, form)
	}
	return strings.Join(out, between)
}

package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/must"
)

func TestExamplesOfEveryCommandAreTakenByIt(t *testing.T) {
	t.Parallel()
	root := new(app).root()
	each(root, func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		for line := range strings.SplitSeq(strings.TrimSpace(c.Example), "\n") {
			line, _, _ = strings.Cut(line, " | man")
			if _, after, ok := strings.Cut(line, "| jtune"); ok {
				line = "jtune" + after
			}
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "sudo "))
			if len(words) == 0 || words[0] != "jtune" {
				t.Errorf("%s: %q is no example", c.CommandPath(), line)
			} else if err := taken(root, words[1:]); err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
			}
		}
	})
}

// The help of every command fits a plain terminal; --help-all has each of its flags, and only the help topics list
// those of all commands.
func TestHelpFitsAPlainTerminal(t *testing.T) {
	t.Parallel()
	root := new(app).root()
	each(root, func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		words := strings.Fields(c.CommandPath())[1:]
		first := jtune(t, append(words, "--help")...).done(t).out
		all := jtune(t, append(words, "--help-all")...).done(t).out
		for line := range strings.Lines(first + all) {
			// A synopsis is not wrapped, so that it can be copied.
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > helpWidth && !strings.HasPrefix(line, "  jtune ") {
				t.Errorf("%s: a line of %d columns: %s", c.CommandPath(), n, line)
			}
		}
		must.Lack(t, first+all, "true|false")
		if first == "" || c != root && !isGroup(c) && len(first) > len(all) {
			t.Errorf("%s has no help, or --help is longer than --help-all", c.CommandPath())
		}
		if c == root {
			return
		}
		for _, flag := range []string{"--sysroot", "--quirks", "--log-file"} {
			must.Lack(t, all, "      "+flag)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !isGroup(c) && !strings.Contains(all, "--"+f.Name) {
				t.Errorf("%s --help-all has no --%s", c.CommandPath(), f.Name)
			}
		})
	})
	flags, virtual := jtune(t, "help", "flags").done(t).out, jtune(t, "help", "virtual").done(t).out
	for name, out := range map[string]string{"--sysroot": flags, "--data-dir": flags, "--quirks": virtual,
		"--speed": virtual} {
		if !strings.Contains(out, name+" ") && !strings.Contains(out, name+"[=") {
			t.Errorf("%s is not listed:\n%s", name, out)
		}
	}
}

func TestParagraphsAreBrokenAtSpaces(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("x", 30)
	for _, c := range []struct{ name, in, want string }{
		{"a short one stays", "one two\n\nthree", "one two\n\nthree"},
		{"breaks of the source go", "one\ntwo", "one two"},
		{"a long one is broken", word + " " + word + " " + word, word + " " + word + "\n" + word},
		{"a list keeps its lines", "it:\n\n  one    a word\n  three  " + word + " " + word,
			"it:\n\n  one    a word\n  three  " + word + " " + word},
		{"a long one of a list stays in its column", "  one  " + word + " " + word + " " + word,
			"  one  " + word + " " + word + "\n       " + word},
		{"nothing", "", ""},
	} {
		must.Equal(t, wrapped(c.in), c.want, c.name)
	}
}

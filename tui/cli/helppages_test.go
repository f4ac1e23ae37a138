package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestExamplesOfEveryCommandAreTakenByIt(t *testing.T) {
	t.Parallel()
	root := new(app).root()
	each(root, func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		lines := strings.Split(strings.TrimSpace(c.Example), "\n")
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " | man")
			if _, after, ok := strings.Cut(line, "| jtune"); ok {
				line = "jtune" + after
			}
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "sudo "))
			if len(words) == 0 || words[0] != "jtune" {
				t.Errorf("%s: %q is no example", c.CommandPath(), line)
				continue
			}
			on, rest, err := findCommand(words[1:])
			if err != nil {
				t.Errorf("%s: %q: %v", c.CommandPath(), line, err)
				continue
			}
			for _, w := range rest {
				if w == "--" { // of a command on another board
					break
				}
				name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
				if strings.HasPrefix(w, "--") && on.Flag(name) == nil {
					t.Errorf("%s: %q: there is no flag %s", c.CommandPath(), line, w)
				}
			}
		}
	})
}

func TestHelpFitsAPlainTerminal(t *testing.T) {
	t.Parallel()
	each(new(app).root(), func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		words := strings.Fields(c.CommandPath())[1:]
		text := jtune(t, append(words, "--help")...).done(t).out + jtune(t, append(words, "--help-all")...).done(t).out
		for line := range strings.Lines(text) {
			// A synopsis is not wrapped, so that it can be copied.
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > helpWidth && !strings.HasPrefix(line, "  jtune ") {
				t.Errorf("%s: a line of %d columns: %s", c.CommandPath(), n, line)
			}
		}
		if strings.Contains(text, "true|false") {
			t.Errorf("%s: a flag that is only given or not has a value", c.CommandPath())
		}
		if text == "" {
			t.Errorf("%s has no help", c.CommandPath())
		}
	})
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
		if got := wrapped(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
)

func TestInputEditsWhereItsCursorStands(t *testing.T) {
	in := NewInput("gpu<90", "", 8)
	for _, c := range []struct{ key, want string }{
		{"left", "gpu<90"},
		{"1", "gpu<910"},
		{"home", "gpu<910"},
		{"!", "!gpu<910"},
		{"x", "!gpu<910"}, // it is full
		{"backspace", "gpu<910"},
		{"end", "gpu<910_"},
		{"backspace", "gpu<91_"},
	} {
		in.Update(keyPress(c.key))
		must.Equal(t, ansi.Strip(in.Render("_")), c.want, c.key)
	}
	in.SetValue("")
	in.Update(tea.PasteMsg{Content: "a\nb\x1b[31mc and more"})
	must.Equal(t, in.Value(), "a b[31mc")
}

func TestInputTakesItsOwnCharactersAndEditsOnlyWhatIsThere(t *testing.T) {
	in := NewInput("", "0123456789.", 6)
	for _, k := range []string{"left", "backspace", "x", "home"} {
		if in.Takes(keyPress(k)) {
			t.Errorf("an empty input takes %s", k)
		}
	}
	in.Update(tea.PasteMsg{Content: " 30.5\n"})
	if in.Value() != "30.5" || !in.Takes(keyPress("left")) || in.Takes(keyPress("x")) || in.Takes(keyPress("enter")) {
		t.Errorf("%q: it should take cursor keys, and no letter", in.Value())
	}
	if in.Update(tea.PasteMsg{Content: "x"}); in.Value() != "30.5x" {
		t.Errorf("%q: a pasted text should be taken unchanged", in.Value())
	}
}

// Deleting a word, or spaces, at the end of the text once crashed the program.
func TestInputDeletesTheLastWord(t *testing.T) {
	altD := tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt}
	for _, c := range []struct {
		text string
		left int
		want string
	}{{"ab  ", 1, "ab "}, {"ab  ", 2, "ab"}, {"ab", 1, "a"}, {"30 W", 2, "30"}, {"30 W 9", 4, "30 9"},
		{"世", 1, ""}, {"", 0, ""}} {
		in := NewInput(c.text, "", 20)
		for range c.left {
			in.Update(keyPress("left"))
		}
		if in.Update(altD); in.Value() != c.want {
			t.Errorf("%q, %d from its end: %q, want %q", c.text, c.left, in.Value(), c.want)
		}
	}
}

func TestInputHasNothingThatNoScreenShows(t *testing.T) {
	t.Parallel()
	in := NewInput("", "", 40)
	in.Update(tea.PasteMsg{Content: " train\u202e.py\x1b[31m --x\u2066 1\n"})
	in.Update(tea.KeyPressMsg{Code: '\u200f', Text: "\u200f"})
	must.Equal(t, in.Value(), "train.py[31m --x 1")
}

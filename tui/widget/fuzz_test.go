package widget

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	plain "jtune/internal/text"
	"jtune/internal/tools/reliability"
)

func FuzzTheme(f *testing.F) {
	for _, seed := range [][2]string{{"name", "light"}, {"good", "#005f00"}, {"good", "22"},
		{"bad", "256"}, {"x", "#"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		defer reliability.Input(t)()
		if _, wrong, err := ParseTheme(map[string]string{key: value}); err != nil && wrong != key {
			t.Errorf("%q = %q: the error is about %q", key, value, wrong)
		}
	})
}

// inputKeys returns all keys that edit a text field, and some that type in it.
func inputKeys() []tea.KeyPressMsg {
	m := NewInput("", "", 1).text.KeyMap
	var names []string
	for _, b := range []interface{ Keys() []string }{m.CharacterForward, m.CharacterBackward, m.WordForward,
		m.WordBackward, m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor,
		m.DeleteCharacterBackward, m.DeleteCharacterForward, m.LineStart, m.LineEnd, m.Paste, m.AcceptSuggestion,
		m.NextSuggestion, m.PrevSuggestion} {
		names = append(names, b.Keys()...)
	}
	var keys []tea.KeyPressMsg
	for _, name := range []string{"a", "7", "space", "é", "世"} {
		keys = append(keys, KeyPress(name))
	}
	for _, name := range names {
		mods := strings.Split(name, "+")
		last := mods[len(mods)-1]
		k := KeyPress(last)
		k.Text = ""
		for _, m := range mods[:len(mods)-1] {
			k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt}[m]
		}
		if k.String() != name {
			panic(k.String() + " is not " + name)
		}
		keys = append(keys, k)
	}
	return keys
}

// FuzzInput presses a key for each byte in a text field.
func FuzzInput(f *testing.F) {
	keys := inputKeys()
	at := func(name string) byte {
		return byte(slices.IndexFunc(keys, func(k tea.KeyPressMsg) bool { return k.String() == name }))
	}
	blank, left := at("space"), at("left")
	for _, text := range []string{"", "a", "ab  ", "  ", "30 W, p99 50 ms", "\x1b[31m\x00", "\xff\u202e世"} {
		for i := range keys {
			f.Add(text, []byte{blank, blank, left, byte(i), left, left, byte(i), byte(i)})
		}
	}
	f.Fuzz(func(t *testing.T, text string, pressed []byte) {
		defer reliability.Input(t)()
		if len(pressed) > 4096 {
			return
		}
		in := NewInput("", "", MostFilter)
		in.Update(tea.PasteMsg{Content: text})
		for _, b := range pressed {
			k := keys[int(b)%len(keys)]
			_ = in.Takes(k)
			in.Update(k)
			if n := utf8.RuneCountInString(in.Value()); n > MostFilter {
				t.Fatalf("%d characters, at most %d", n, MostFilter)
			}
			if plain.Plain(in.Value()) != in.Value() {
				t.Fatalf("%q has what no screen shows", in.Value())
			}
			_ = in.Render("_")
		}
	})
}

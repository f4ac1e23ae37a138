package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/tui/widget"
)

// modal lists the places where global keys do not work.
var modal = []string{"form", "typed", "search", "question", "help"}

// meets reports whether two actions can be active at the same time, and returns a place where both are.
func (a action) meets(b action) (where string, yes bool) {
	for _, w := range a.where {
		if slices.Contains(b.where, w) {
			return w, true
		}
	}
	for _, pair := range [][2]action{{a, b}, {b, a}} {
		if !slices.Contains(pair[0].where, "everywhere") {
			continue
		}
		for _, w := range pair[1].where {
			if !slices.Contains(modal, w) {
				return w, true
			}
		}
	}
	return "", false
}

// retired maps actions of earlier versions to a hint on what replaces them.
var retired = map[string]string{
	"reverse": "is no action any more: sort and the same column again sorts the other way round",
}

// KeysWith returns the table with the user's keys, given by action name, in place of the built-in ones. An error comes
// with the name of the action at fault: an unknown action, a key that no terminal sends, or a key of two actions that
// are active at once.
func KeysWith(wish map[string][]string) (t *Keys, fault string, err error) {
	t = DefaultKeys()
	list := t.actions()
	for name := range wish {
		if instead := retired[name]; instead != "" {
			return t, name, errors.New(instead)
		}
		if !slices.ContainsFunc(list, func(a action) bool { return a.name == name }) {
			var names []string
			for _, a := range list {
				names = append(names, a.name)
			}
			return t, name, fmt.Errorf("no such action%s; jtune config keys lists them",
				text.Suggest(name, names))
		}
	}
	for _, a := range list {
		typed, changed := wish[a.name]
		switch {
		case !changed:
			continue
		case a.name == "page":
			return t, a.name, fmt.Errorf("cannot be changed: the digits open the pages")
		}
		for _, k := range typed {
			if err := a.takes(k); err != nil {
				return t, a.name, err
			}
		}
		if a.name == "quit" && !slices.Contains(typed, "ctrl+c") {
			typed = append(slices.Clone(typed), "ctrl+c")
		}
		a.bind(typed, a.Help().Desc)
	}
	t.giveWay(wish)
	fault, err = t.clash(wish)
	return t, fault, err
}

// added are the actions that earlier versions did not have: a configuration of such a version may use their keys.
var added = []string{"suspend", "start_best", "more"}

// giveWay takes the keys from added actions that the user gave to others.
func (t *Keys) giveWay(wish map[string][]string) {
	list := t.actions()
	for _, a := range list {
		if _, own := wish[a.name]; own || !slices.Contains(added, a.name) {
			continue
		}

		a.bind(slices.DeleteFunc(slices.Clone(a.Keys()), func(k string) bool {
			return slices.ContainsFunc(list, func(b action) bool {
				_, meet := a.meets(b)
				return meet && slices.Contains(wish[b.name], k)
			})
		}), a.Help().Desc)
	}
}

// clash finds a key shared by two actions that are active at once, except where the built-in table shares it too.
func (t *Keys) clash(wish map[string][]string) (fault string, err error) {
	list, before := t.actions(), DefaultKeys().actions()
	for i, a := range list {
		for j, b := range list[:i] {
			where, meet := a.meets(b)
			if !meet || common(before[i], before[j]) != "" {
				continue
			}
			if k := common(a, b); k != "" {
				one, other := a, b
				if _, mine := wish[one.name]; !mine {
					one, other = b, a
				}
				return one.name, fmt.Errorf("key %q is %s already (%s); give another, or bind %s elsewhere too",
					k, other.name, where, other.name)
			}
		}
	}
	return "", nil
}

// common returns a key that both bindings have, or "".
func common(a, b action) string {
	for _, k := range a.Keys() {
		if slices.Contains(b.Keys(), k) {
			return k
		}
	}
	return ""
}

// keyNames are the keys other than characters; keySigns are the symbols that the screen shows for some.
var (
	keyNames = strings.Fields("backspace delete down end enter esc home insert left pgdown pgup right " +
		"shift+tab space tab up")
	keySigns = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
)

// takes returns why an action cannot have a key, or nil.
func (a action) takes(k string) error {
	r, size := utf8.DecodeRuneInString(k)
	letter := size > 0 && size == len(k) && unicode.IsGraphic(r) && r != ' '
	word := slices.Contains(keyNames, k)
	rest, control := strings.CutPrefix(k, "ctrl+")
	control = control && len(rest) == 1 && rest[0] >= 'a' && rest[0] <= 'z'
	switch {
	case !letter && !word && !control:
		return fmt.Errorf("%q is not a key; give a character, ctrl+ and a letter, or one of %s",
			k, strings.Join(keyNames, " "))
	case letter && r >= '0' && r <= '9':
		return fmt.Errorf("%q: digits open the pages and are typed into limits", k)
	case letter && slices.Contains(a.where, "typed"):
		return fmt.Errorf("%q is typed into filters: give a key that writes nothing", k)
	case k == "backspace", k == "space" && slices.Contains(a.where, "typed"):
		return fmt.Errorf("%q is needed where text is typed", k)
	}
	return nil
}

// On lists the actions that work only on one page.
func (t *Keys) On(page Name) (out []widget.Action) {
	for _, a := range t.actions() {
		if slices.Contains(a.where, string(page)) {
			out = append(out, *a.Action)
		}
	}
	return out
}

// PageKey returns the action that opens page number digit.
func (t *Keys) PageKey(digit int) widget.Action {
	a := t.Page
	a.ID += strconv.Itoa(digit)
	a.SetKeys(strconv.Itoa(digit))
	a.SetHelp(strconv.Itoa(digit), "")
	return a
}

// Letter is the meaning of a letter on the pages.
type Letter struct {
	Letter string
	Words  []string // its labels in the last line
	Where  []string // pages, or "everywhere"
}

// Letters lists the meaning of each letter on all pages, in alphabetical order.
func (t *Keys) Letters() []Letter {
	var out []Letter
	for _, a := range t.actions() {
		where := slices.DeleteFunc(slices.Clone(a.where), func(w string) bool {
			return slices.Contains(modal, w) && w != "search"
		})
		for _, k := range a.Keys() {
			if r, n := utf8.DecodeRuneInString(k); len(where) == 0 || n != len(k) || !unicode.IsLetter(r) {
				continue
			}
			at := slices.IndexFunc(out, func(l Letter) bool { return l.Letter == k })
			if at < 0 {
				at, out = len(out), append(out, Letter{Letter: k})
			}
			out[at].Words = append(out[at].Words, a.Help().Desc)
			out[at].Where = append(out[at].Where, where...)
		}
	}
	sorted.By(out, func(a, b Letter) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Letter), strings.ToLower(b.Letter)),
			strings.Compare(b.Letter, a.Letter))
	})
	return out
}

// KeyLine is one action of the screens, for the manual.
type KeyLine struct {
	Action string   `json:"action"` // its key under [keys] in the configuration file
	Keys   []string `json:"keys"`
	Where  []string `json:"where"` // where it works; "everywhere" means all pages
	Does   string   `json:"does"`
}

// Lines lists the actions of the table for the manual.
func (t *Keys) Lines() []KeyLine {
	var out []KeyLine
	for _, a := range t.actions() {
		var typed []string
		for _, k := range a.Keys() {
			if k == " " {
				continue // some terminals send this for space
			}
			typed = append(typed, k)
		}
		out = append(out, KeyLine{Action: a.name, Keys: typed, Where: a.where, Does: a.Explained()})
	}
	return out
}

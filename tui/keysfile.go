package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"github.com/BurntSushi/toml"

	"jtune/profiles"
)

// action is one row of the key table.
type action struct {
	name    string // in the configuration file: "next_page"
	where   []string
	fixed   string // why it cannot be bound otherwise; ""
	binding *key.Binding
}

// actions lists the rows of a table, in its order.
func (t *keyTable) actions() []action {
	v := reflect.ValueOf(t).Elem()
	var out []action
	for i := range v.NumField() {
		f := v.Type().Field(i)
		out = append(out, action{snake(f.Name), strings.Fields(f.Tag.Get("on")), f.Tag.Get("fixed"), v.Field(i).Addr().Interface().(*key.Binding)})
	}
	return out
}

// snake writes NextPage as next_page.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// modal are the places that hear their own keys alone, not those of
// everywhere.
var modal = []string{"form", "compose", "typed", "question", "help"}

// meets tells whether two actions can be heard at the same time, and gives a
// place where they are.
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

// KeyBindings are the user's own keys: the empty value changes nothing.
type KeyBindings map[string][]string

// ReadKeys reads the table [keys] of a configuration file:
//
//	[keys]
//	apply = ["a", "ctrl+o"]   # or one: apply = "a"
//
// The names of the actions are those that WriteKeys prints. An unknown action,
// a key that no terminal sends, and a key that two actions would hear at once
// are errors that name file and line. No file: "" or one that does not exist.
func ReadKeys(file string) (KeyBindings, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	var doc struct {
		Keys map[string]any `toml:"keys"`
	}
	meta, err := toml.Decode(string(text), &doc)
	if err != nil {
		return nil, profiles.TOMLError(file, err)
	}
	if meta.IsDefined("keys") && meta.Type("keys") != "Hash" {
		return nil, fmt.Errorf("%s: line %d: keys is no table; begin it with a line [keys]", file, profiles.LineOfKey(string(text), toml.Key{"keys"}))
	}
	wish := KeyBindings{}
	for name, value := range doc.Keys {
		if wish[name], err = keyList(value); err != nil {
			return nil, keysError(file, string(text), name, err)
		}
	}
	t := defaultKeys()
	if name, err := t.rebind(wish); err != nil {
		return nil, keysError(file, string(text), name, err)
	}
	return wish, nil
}

func keysError(file, text, name string, err error) error {
	return fmt.Errorf("%s: line %d: [keys] %s: %w", file, profiles.LineOfKey(text, toml.Key{"keys", name}), name, err)
}

// keyList takes one key or several.
func keyList(value any) ([]string, error) {
	const want = `want a key or several, such as "a" or ["a", "ctrl+o"]`
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case []any:
		var out []string
		for _, one := range v {
			text, ok := one.(string)
			if !ok {
				return nil, errors.New(want)
			}
			out = append(out, text)
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, errors.New(want)
}

// rebind puts the user's keys in place of the built-in ones; the error comes
// with the action at fault.
func (t *keyTable) rebind(wish KeyBindings) (fault string, err error) {
	list := t.actions()
	for name := range wish {
		if !slices.ContainsFunc(list, func(a action) bool { return a.name == name }) {
			return name, fmt.Errorf("no such action; jtune keys lists them")
		}
	}
	for _, a := range list {
		typed, changed := wish[a.name]
		switch {
		case !changed:
			continue
		case a.fixed != "":
			return a.name, fmt.Errorf("cannot be changed: %s", a.fixed)
		}
		for _, k := range typed {
			if err := a.takes(k); err != nil {
				return a.name, err
			}
		}
		desc := a.binding.Help().Desc
		if slices.Contains(typed, "space") {
			typed = append(slices.Clone(typed), " ") // as some terminals send it
		}
		if a.name == "quit" && !slices.Contains(typed, "ctrl+c") {
			typed = append(slices.Clone(typed), "ctrl+c")
		}
		*a.binding = bind(keyLabel(typed[0]), desc, typed...)
	}
	return t.clash(wish)
}

// clash finds a key that two actions would hear at once. Those that share one
// in the built-in table never do.
func (t *keyTable) clash(wish KeyBindings) (fault string, err error) {
	built := defaultKeys()
	list, before := t.actions(), built.actions()
	for i, a := range list {
		for j, b := range list[:i] {
			where, meet := a.meets(b)
			if !meet || common(*before[i].binding, *before[j].binding) != "" {
				continue
			}
			if k := common(*a.binding, *b.binding); k != "" {
				one, other := a, b
				if _, mine := wish[one.name]; !mine {
					one, other = b, a
				}
				return one.name, fmt.Errorf("key %q is %s already (%s); give another, or bind %s elsewhere too", k, other.name, where, other.name)
			}
		}
	}
	return "", nil
}

// common is a key that both bindings hold, or "".
func common(a, b key.Binding) string {
	for _, k := range a.Keys() {
		if slices.Contains(b.Keys(), k) {
			return k
		}
	}
	return ""
}

// keyNames are the keys that are not a letter, by what they are called on the
// screen.
var keyNames = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgup": "pgup", "pgdown": "pgdn", "home": "home", "end": "end",
	"enter": "enter", "esc": "esc", "tab": "tab", "shift+tab": "shift+tab", "space": "space", "backspace": "backspace", "delete": "delete", "insert": "insert"}

func keyLabel(k string) string {
	if label, ok := keyNames[k]; ok {
		return label
	}
	return k
}

// takes tells why an action cannot have a key, or nil.
func (a action) takes(k string) error {
	r, size := utf8.DecodeRuneInString(k)
	letter := size > 0 && size == len(k) && unicode.IsGraphic(r) && r != ' '
	_, word := keyNames[k]
	rest, control := strings.CutPrefix(k, "ctrl+")
	control = control && len(rest) == 1 && rest[0] >= 'a' && rest[0] <= 'z'
	switch {
	case !letter && !word && !control:
		return fmt.Errorf("%q is no key; give a character, ctrl+ and a letter, or one of %s", k, strings.Join(sortedNames(), " "))
	case letter && r >= '0' && r <= '9':
		return fmt.Errorf("%q: digits open the pages and are typed into limits", k)
	case letter && slices.Contains(a.where, "typed"):
		return fmt.Errorf("%q is typed into filters: give a key that writes nothing", k)
	case k == "backspace", k == "space" && slices.Contains(a.where, "typed"):
		return fmt.Errorf("%q is needed where text is typed", k)
	}
	return nil
}

func sortedNames() []string {
	var out []string
	for name := range keyNames {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// KeyLine is one action of the screens, for the manual.
type KeyLine struct {
	Action string   // its name under [keys] in the configuration file
	Keys   []string // bound to it
	Where  []string // where it is heard; "everywhere" is all pages
	Does   string
}

// KeyLines lists the actions with the user's bindings in force, as ReadKeys
// gave them.
func KeyLines(wish KeyBindings) []KeyLine {
	t := defaultKeys()
	_, _ = t.rebind(wish) // ReadKeys has checked them
	var out []KeyLine
	for _, a := range t.actions() {
		var typed []string
		for _, k := range a.binding.Keys() {
			if k == " " {
				continue // the same as space, as some terminals send it
			}
			typed = append(typed, k)
		}
		desc := a.binding.Help().Desc
		if more := meaning[desc]; more != "" {
			desc = more
		}
		out = append(out, KeyLine{a.name, typed, a.where, desc})
	}
	return out
}

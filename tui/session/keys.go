package session

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/BurntSushi/toml"

	"jtune/internal/safefile"
	"jtune/internal/tomlfile"
)

// ReadKeys reads the table [keys] of a configuration file:
//
//	[keys]
//	apply = ["a", "ctrl+o"]   # or one: apply = "a"
//
// The names of the actions are those that "jtune keys" prints; check returns the
// action that is wrong, and why. Errors name file and line. No file: "" or one
// that does not exist.
func ReadKeys(file string, check func(map[string][]string) (action string, err error)) (map[string][]string, error) {
	table, text, err := screenTable(file, "keys")
	if table == nil {
		return nil, err
	}
	wish := map[string][]string{}
	for name, value := range table {
		if wish[name], err = keyList(value); err != nil {
			return nil, inTable(file, text, "keys", name, err)
		}
	}
	if name, err := check(wish); err != nil {
		return nil, inTable(file, text, "keys", name, err)
	}
	return wish, nil
}

// ReadTheme reads the table [theme] of a configuration file:
//
//	[theme]
//	name = "light"
//	good = "#005f00"   # or a number of the 256 colours: good = 22
//
// check returns the key that is wrong, and why. Errors name file and line. No file: ""
// or one that does not exist.
func ReadTheme(file string, check func(map[string]string) (key string, err error)) error {
	table, text, err := screenTable(file, "theme")
	if table == nil {
		return err
	}
	wish := map[string]string{}
	for key, value := range table {
		switch value := value.(type) {
		case string:
			wish[key] = value
		case int64:
			wish[key] = strconv.FormatInt(value, 10)
		default:
			err := errors.New(`want a text or a number, such as name = "light" or good = 22`)
			return inTable(file, text, "theme", key, err)
		}
	}
	if key, err := check(wish); err != nil {
		return inTable(file, text, "theme", key, err)
	}
	return nil
}

// screenTable reads a table of a configuration file that is for the screens; nil where
// there is none.
func screenTable(file, name string) (table map[string]any, text string, err error) {
	if file == "" {
		return nil, "", nil
	}
	data, err := safefile.Read(file, tomlfile.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("configuration: %w", err)
	}
	var doc map[string]any
	meta, err := tomlfile.Decode(file, string(data), &doc)
	if err != nil {
		return nil, "", err
	}
	if meta.IsDefined(name) && meta.Type(name) != "Hash" {
		line := tomlfile.Line(string(data), toml.Key{name})
		return nil, "", fmt.Errorf("%s: line %d: %s is not a table; begin it with a line [%s]", file, line, name, name)
	}
	table, _ = doc[name].(map[string]any)
	return table, string(data), nil
}

func inTable(file, text, table, name string, err error) error {
	return fmt.Errorf("%s: line %d: [%s] %s: %w", file, tomlfile.Line(text, toml.Key{table, name}), table, name, err)
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

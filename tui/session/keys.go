package session

import (
	"errors"
	"fmt"
	"io/fs"

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
	if file == "" {
		return nil, nil
	}
	text, err := safefile.Read(file, tomlfile.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	var doc struct {
		Keys map[string]any `toml:"keys"`
	}
	meta, err := tomlfile.Decode(file, string(text), &doc)
	if err != nil {
		return nil, err
	}
	if meta.IsDefined("keys") && meta.Type("keys") != "Hash" {
		line := tomlfile.Line(string(text), toml.Key{"keys"})
		return nil, fmt.Errorf("%s: line %d: keys is not a table; begin it with a line [keys]", file, line)
	}
	wish := map[string][]string{}
	for name, value := range doc.Keys {
		if wish[name], err = keyList(value); err != nil {
			return nil, keysError(file, string(text), name, err)
		}
	}
	if name, err := check(wish); err != nil {
		return nil, keysError(file, string(text), name, err)
	}
	return wish, nil
}

func keysError(file, text, name string, err error) error {
	return fmt.Errorf("%s: line %d: [keys] %s: %w", file, tomlfile.Line(text, toml.Key{"keys", name}), name, err)
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

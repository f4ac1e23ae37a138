package config

import (
	"errors"
	"fmt"
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
// The action names are those printed by "jtune config keys"; check returns the invalid action and the reason. Errors
// name file and line. file may be "" or missing.
func ReadKeys(file string, check func(map[string][]string) (action string, err error)) (map[string][]string, error) {
	text, err := configText(file)
	if err != nil {
		return nil, err
	}
	wish, faults := readTable(file, text, "keys", keyList, check)
	return wish, first(faults)
}

// ReadTheme reads the table [theme] of a configuration file:
//
//	[theme]
//	name = "light"
//	good = "#005f00"   # or a number of the 256 colours: good = 22
//
// check returns the invalid key and the reason. Errors name file and line. file may be "" or missing.
func ReadTheme(file string, check func(map[string]string) (key string, err error)) error {
	text, err := configText(file)
	if err != nil {
		return err
	}
	_, faults := readTable(file, text, "theme", colour, check)
	return first(faults)
}

func first(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	return faults[0]
}

// configText returns the text of a configuration file; "" if there is none.
func configText(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := safefile.ReadIfThere(file, tomlfile.MaxSize)
	if err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	return string(data), nil
}

// readTable reads a table of a configuration file for the screens; nil if it is missing. Keys with faults are omitted.
func readTable[T any](
	file, text, name string,
	value func(any) (T, error),
	check func(map[string]T) (key string, err error),
) (wish map[string]T, faults []error) {
	var doc map[string]any
	meta, err := tomlfile.Decode(file, text, &doc)
	if err != nil {
		return nil, []error{err}
	}
	if !meta.IsDefined(name) {
		return nil, nil
	}
	table, ok := doc[name].(map[string]any)
	if !ok {
		err := fmt.Errorf("%s is not a table; begin it with a line [%s]", name, name)
		return nil, []error{tomlfile.At(file, text, toml.Key{name}, err)}
	}
	fault := func(key string, err error) {
		err = fmt.Errorf("[%s] %s: %w", name, key, err)
		faults = append(faults, tomlfile.At(file, text, toml.Key{name, key}, err))
	}
	wish = map[string]T{}
	for key, given := range table {
		if v, err := value(given); err != nil {
			fault(key, err)
		} else {
			wish[key] = v
		}
	}
	for {
		key, err := check(wish)
		if err == nil {
			return wish, faults
		}
		fault(key, err)
		if _, given := wish[key]; !given {
			return wish, faults
		}
		delete(wish, key)
	}
}

// colour accepts a text or a number.
func colour(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case int64:
		return strconv.FormatInt(value, 10), nil
	}
	return "", errors.New(`want a text or a number, such as name = "light" or good = 22`)
}

// keyList accepts one key or several.
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

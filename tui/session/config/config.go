package config

import (
	"cmp"
	"errors"
	"reflect"
	"slices"

	"github.com/BurntSushi/toml"

	"jtune/internal/sorted"
	"jtune/internal/tomlfile"
	"jtune/profiles/workload"
)

// ConfigKey is a key of the configuration file.
type ConfigKey = workload.Key

// ScreenTables describes the screens' tables of the configuration file.
type ScreenTables struct {
	Keys       []ConfigKey // [keys] and [theme], with their defaults
	CheckKeys  func(map[string][]string) (action string, err error)
	CheckTheme func(map[string]string) (key string, err error)
}

// CheckConfig lists all faults in the text of a configuration file, by line. Each fault is one line that names file and
// line.
func CheckConfig(file, text string, screens ScreenTables) []error {
	var doc map[string]any
	if _, err := tomlfile.Decode(file, text, &doc); err != nil {
		return []error{err}
	}
	faults := workload.Faults(file, text)
	_, keys := readTable(file, text, "keys", keyList, screens.CheckKeys)
	_, theme := readTable(file, text, "theme", colour, screens.CheckTheme)
	_, own := readOwn(file, text)
	faults = slices.Concat(faults, keys, theme, own)
	sorted.Stable(faults, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	return faults
}

// lineOf returns the line of a fault; 0 if only its text has one.
func lineOf(err error) int {
	if f, ok := errors.AsType[*tomlfile.Fault](err); ok {
		return f.Line
	}
	return 0
}

// ConfigKeys lists every key of the configuration file with its value: [torch], the keys of a workload, the workloads
// in the file, [notify], and the screens' tables. file may be "" or missing. A file with a fault is an error.
func ConfigKeys(file string, screens ScreenTables) ([]ConfigKey, error) {
	text, err := configText(file)
	if err != nil {
		return nil, err
	}
	if err := first(CheckConfig(file, text, screens)); err != nil {
		return nil, err
	}
	list, err := workload.Keys(file)
	if err != nil {
		return nil, err
	}
	own, _ := readOwn(file, text) // faults were checked above
	mine, err := own.configKeys(file, text)
	if err != nil {
		return nil, err
	}
	list = append(list, mine...)
	var doc map[string]any
	if _, err := tomlfile.Decode(file, text, &doc); err != nil {
		return nil, err
	}
	for _, k := range screens.Keys {
		k.Value = k.Default
		table, _ := doc[k.Path[0]].(map[string]any)
		if v, given := table[k.Path[1]]; given {
			k.Value, k.Line = v, tomlfile.Line(text, k.Path)
		}
		list = append(list, k)
	}
	return list, nil
}

// ConfigSchema returns a JSON schema of the configuration file, for editors.
func ConfigSchema(screens ScreenTables) (map[string]any, error) {
	list, err := ConfigKeys("", screens)
	if err != nil {
		return nil, err
	}
	root := object()
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Configuration of jtune"
	for _, k := range list {
		addTo(root, k.Path, k.Default)
	}
	return root, nil
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

// addTo adds a key to the schema of an object. A table with any name has one schema for all names.
func addTo(schema map[string]any, path toml.Key, value any) {
	name := path[0]
	inner, found := schema["properties"].(map[string]any)[name].(map[string]any)
	if name == workload.AnyName {
		inner, found = schema["additionalProperties"].(map[string]any)
	}
	switch {
	case found:
	case len(path) > 1:
		inner = object()
	default:
		inner = typeSchema(value)
	}
	if name == workload.AnyName {
		schema["additionalProperties"] = inner
	} else {
		schema["properties"].(map[string]any)[name] = inner
	}
	if len(path) > 1 {
		addTo(inner, path[1:], value)
	}
}

// typeSchema returns the schema of a key with this default; nil means a colour: a text or a number.
func typeSchema(value any) map[string]any {
	text := map[string]any{"type": "string"}
	many := map[string]any{"type": "array", "items": text}
	out := map[string]any{}
	switch value.(type) {
	case nil:
		return map[string]any{"type": []string{"string", "integer"}}
	case OneOrMore:
		out["anyOf"] = []any{text, many}
	case []string:
		out = many
	case map[string]string:
		return map[string]any{"type": "object", "additionalProperties": text}
	case []int:
		return map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}
	case int:
		out["type"] = "integer"
	case float64:
		out["type"] = "number"
	case bool:
		out["type"] = "boolean"
	default:
		out["type"] = "string"
	}
	if v := reflect.ValueOf(value); !v.IsZero() {
		out["default"] = value
	}
	return out
}

// OneOrMore is the value of a key that takes one or several texts.
type OneOrMore []string

package workload

import (
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/profiles/harness"
	"jtune/profiles/harness/engine"
	"jtune/profiles/harness/torch"
)

// AnyName is the placeholder for the name of a workload in the path of a key.
const AnyName = "NAME"

// Key is a key of the configuration file.
type Key struct {
	Path    toml.Key
	Value   any // nil: none
	Default any
	Line    int // of the file that gives the value; 0: it is the default
}

// elsewhere are tables of the configuration file that others read.
var elsewhere = []string{"keys", "theme", "notify", "meter", "board"}

// notKeys are fields of a workload that no file gives.
var notKeys = []string{"name", "own", "attached", "-"}

// Keys lists [torch], the keys that a workload may have, as [workload.NAME], and those of each workload that the user's
// file names. Load reads the keys that this lists: both use the tags of Workload. No file: "" or one that does not
// exist. A file with a fault is an error.
func Keys(userFile string) ([]Key, error) {
	base, err := Load("")
	if err != nil {
		return nil, err
	}
	source := ""
	if userFile != "" {
		data, err := safefile.ReadIfThere(userFile, tomlfile.MaxSize)
		if err != nil {
			return nil, err
		}
		source = string(data)
	}
	f := read(userFile, source, base)
	if len(f.faults) > 0 {
		return nil, f.faults[0]
	}
	out := f.keys(toml.Key{"torch"}, f.torch, torch.Job{})
	out = append(out, f.keys(toml.Key{"workload", AnyName}, unset(), unset())...)
	for _, name := range f.order() {
		was := unset()
		if i := slices.IndexFunc(base, func(w Workload) bool { return w.Name == name }); i >= 0 {
			was = base[i]
		} else {
			was.Title = name
		}
		out = append(out, f.keys(toml.Key{"workload", name}, f.list[f.find(name)], was)...)
	}
	return out, nil
}

// Faults lists everything that Load finds wrong in the text of a configuration file, each with file and line.
func Faults(file, source string) []error {
	base, err := Load("")
	if err != nil {
		return []error{err}
	}
	return read(file, source, base).faults
}

// keys lists the fields of a table with the line that gives each. A workload's job takes what it
// leaves open from [torch].
func (f *workfile) keys(table toml.Key, now, before any) (out []Key) {
	was := Fields(table, before)
	for i, k := range Fields(table, now) {
		if k.Path[0] == "torch" && !slices.Contains(jobDefaults(), k.Path[1]) {
			continue
		}
		k.Default = implied(was[i])
		shared := k.Path[len(k.Path)-2:] // torch.data of workload.NAME.torch.data
		switch given := f.meta.IsDefined(k.Path...); {
		case given:
			k.Line = tomlfile.Line(f.text, k.Path)
		case shared[0] == "torch" && !reflect.DeepEqual(k.Value, was[i].Value):
			k.Line = tomlfile.Line(f.text, shared)
		}
		k.Value = implied(k)
		out = append(out, k)
	}
	return out
}

// Fields walks the tagged fields of a struct, those of inner ones as dotted keys.
func Fields(table toml.Key, of any) (out []Key) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("toml"), ",")
		path := append(slices.Clone(table), name)
		switch {
		case slices.Contains(notKeys, name):
		case v.Field(i).Kind() == reflect.Struct:
			out = append(out, Fields(path, v.Field(i).Interface())...)
		default:
			out = append(out, Key{Path: path, Value: v.Field(i).Interface()})
		}
	}
	return out
}

// implied is the value that takes effect where a key's is zero.
func implied(k Key) any {
	if !reflect.ValueOf(k.Value).IsZero() {
		return k.Value
	}
	switch k.Path[len(k.Path)-1] {
	case "silence_s":
		return int(harness.DefaultSilence.Seconds())
	case "engine":
		return engine.Default
	case "python":
		return torch.DefaultPython
	case "kind":
		return Train
	case "prompt_tokens":
		return defaultPrompt
	case "output_tokens":
		return defaultOutput
	case "concurrency":
		return 1
	}
	return k.Value
}

// jobDefaults are the keys of [torch]: those that a workload's job takes over.
func jobDefaults() (names []string) {
	given := torch.Job{Net: "x", Set: "x", Data: "x", Python: "x", Cache: "x", Infer: true, Beside: true}
	all := torch.Job{}.Over(given)
	for _, k := range Fields(nil, all) {
		if !reflect.ValueOf(k.Value).IsZero() {
			names = append(names, k.Path[0])
		}
	}
	return names
}

// unknown adds a fault for each unknown key, with the nearest known one.
func (f *workfile) unknown(of func(toml.Key) bool) {
	var told []toml.Key
	for _, k := range f.unread {
		if len(f.faults) >= tomlfile.MostFaults {
			return
		}
		inner := func(o toml.Key) bool { return len(o) <= len(k) && slices.Equal(o, k[:len(o)]) }
		if !of(k) || slices.ContainsFunc(told, inner) {
			continue
		}
		told = append(told, k)
		known := beside(k)
		last := k[len(k)-1]
		f.faultAt(k, "unknown key %s%s", text.Clip(k.String()), text.SuggestOf(last, known))
	}
}

// idle adds a fault for each key of [torch] that a workload's job does not take from there.
func (f *workfile) idle() {
	known := jobDefaults()
	for _, k := range Fields(toml.Key{"torch"}, f.torch) {
		if f.meta.IsDefined(k.Path...) && !slices.Contains(known, k.Path[1]) {
			f.faultAt(k.Path, "%s has no effect; it belongs in [workload.%s.torch]", k.Path, AnyName)
		}
	}
}

// beside lists the names that may replace a key's last one.
func beside(k toml.Key) (names []string) {
	lead := slices.Clone(k[:len(k)-1])
	if len(lead) == 0 {
		names = []string{"[torch]", "[workload." + AnyName + "]"}
		for _, table := range elsewhere {
			names = append(names, "["+table+"]")
		}
		return names
	}
	if lead[0] == "torch" {
		return jobDefaults()
	}
	if len(lead) > 1 {
		lead[1] = AnyName
	}
	for _, a := range Fields(toml.Key{"workload", AnyName}, Workload{}) {
		n := len(lead)
		if len(a.Path) > n && slices.Equal(a.Path[:n], lead) && !slices.Contains(names, a.Path[n]) {
			names = append(names, a.Path[n])
		}
	}
	return names
}

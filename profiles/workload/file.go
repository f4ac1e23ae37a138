package workload

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

//go:embed workloads.toml
var builtIn string

// Defaults of a workload from the user's file: the papers' training settings (the 2022 study,
// docs/method.md).
const (
	defaultBatch    = 16
	defaultWorkers  = 4
	defaultPrefetch = 2
	defaultEpochs   = 1
)

// Load lists the built-in workloads, then those of the user's file: a
// TOML file of tables such as
//
//	[workload.mynet]
//	command = ["python3", "train.py"]
//	samples = 12000
//
// or, for a built-in job on another data set (see torch.Job),
//
//	[torch]
//	data = "/data"
//
//	[workload.resnet-gld]
//	torch = { net = "resnet18", set = "gld23k" }
//
// An entry with a built-in name changes the keys it gives and leaves the
// rest; any other entry is added. Unknown keys and bad values are errors that
// name file and line. No file: "" or one that does not exist.
func Load(userFile string) ([]Workload, error) {
	list, err := parse("built-in workloads", builtIn, nil)
	if err != nil {
		return nil, err
	}
	if userFile == "" {
		return list, nil
	}
	text, err := safefile.Read(userFile, tomlfile.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	return parse(userFile, string(text), list)
}

// mostWorkloads is how many workloads a file may hold.
const mostWorkloads = 1000

// workfile is a workloads file being read, with what an error needs to name a
// line.
type workfile struct {
	name string
	text string
	meta toml.MetaData
}

// parse reads a workloads file on top of base; base nil means that
// the entries are the built-in ones.
func parse(name, text string, base []Workload) ([]Workload, error) {
	f := workfile{name: name, text: text}
	var doc struct {
		Workload map[string]toml.Primitive `toml:"workload"`
		Torch    torch.Job                 `toml:"torch"`
	}
	var err error
	if f.meta, err = tomlfile.Decode(f.name, text, &doc); err != nil {
		return nil, err
	}
	if n := len(doc.Workload); n > mostWorkloads {
		return nil, fmt.Errorf("%s: %d workloads, at most %d", f.name, n, mostWorkloads)
	}
	if bad, why := doc.Torch.Fault(); why != "" {
		return nil, f.errorAt(toml.Key{"torch", bad}, "%s", why)
	}
	list := slices.Clone(base)
	for _, key := range f.order() {
		w, err := f.entry(list, key, doc.Workload[key], base != nil)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(o Workload) bool { return o.Name == w.Name }); i >= 0 {
			list[i] = w
		} else {
			list = append(list, w)
		}
	}
	ofTheScreens := func(k toml.Key) bool { return k[0] == "keys" || k[0] == "theme" } // who read these themselves
	if unknown := slices.DeleteFunc(f.meta.Undecoded(), ofTheScreens); len(unknown) > 0 {
		return nil, f.unknown(unknown[0])
	}
	for i := range list {
		if list[i].Torch.Net != "" {
			list[i].Torch = list[i].Torch.Over(doc.Torch)
		}
	}
	return list, f.uniqueAliases(list)
}

// order lists the names of the entries in the order of the file.
func (f workfile) order() []string {
	var names []string
	for _, k := range f.meta.Keys() {
		if len(k) >= 2 && k[0] == "workload" && !slices.Contains(names, k[1]) {
			names = append(names, k[1])
		}
	}
	return names
}

func (f workfile) entry(list []Workload, name string, p toml.Primitive, own bool) (Workload, error) {
	key := toml.Key{"workload", name}
	w := Workload{Batch: defaultBatch, Workers: defaultWorkers, Prefetch: defaultPrefetch, Epochs: defaultEpochs}
	if i := slices.IndexFunc(list, func(o Workload) bool { return o.Name == name }); i >= 0 {
		w = list[i]
	}
	if err := f.meta.PrimitiveDecode(p, &w); err != nil {
		return w, tomlfile.Error(f.name, err)
	}
	for _, taken := range []string{"name", "own"} {
		if f.meta.IsDefined(append(slices.Clone(key), taken)...) {
			return w, f.errorAt(append(key, taken), "unknown key %s.%s; the table's name is the workload's", key, taken)
		}
	}
	for _, k := range f.meta.Undecoded() { // misspelt, it would be missed below
		if len(k) > 2 && k[0] == "workload" && k[1] == name {
			return w, f.unknown(k)
		}
	}
	w.Name, w.Own = name, own
	if w.Title == "" {
		w.Title = name
	}
	if bad, why := w.fault(); why != "" {
		return w, f.errorAt(append(key, strings.Split(bad, ".")...), "workload %s: %s", text.Clip(name), why)
	}
	return w, nil
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// fault returns the first key with a bad value, and what is wrong with it.
func (w Workload) fault() (key, why string) {
	outside := func(v, lo, hi int) string { return fmt.Sprintf("%d is outside %d to %d", v, lo, hi) }
	switch {
	case !namePattern.MatchString(w.Name):
		return "", "a name is small letters, digits and . _ - , 64 at most"
	case w.Samples < 0 || w.Samples > 1e12:
		return "samples", "samples " + outside(w.Samples, 0, 1e12)
	case w.Batch < 1 || w.Batch > 1<<20:
		return "batch", "batch " + outside(w.Batch, 1, 1<<20)
	case w.Workers < 0 || w.Workers > 1024:
		return "workers", "workers " + outside(w.Workers, 0, 1024)
	case w.Prefetch < 0 || w.Prefetch > 1024:
		return "prefetch", "prefetch " + outside(w.Prefetch, 0, 1024)
	case w.Epochs < 1 || w.Epochs > 1e6:
		return "epochs", "epochs " + outside(w.Epochs, 1, 1e6)
	case w.SilenceS < 0 || w.SilenceS > 86400:
		return "silence_s", "silence_s " + outside(w.SilenceS, 0, 86400)
	case len(w.Command) > 0 && strings.TrimSpace(w.Command[0]) == "":
		return "command", "command begins with an empty word"
	case w.Pattern != "" && len(w.Command) == 0:
		return "pattern", "pattern reads the lines of a command; give command = [\"program\", \"argument\"]"
	case w.Container.Image == "" && (w.Container.Runtime != "" || len(w.Container.Flags)+len(w.Container.Mounts) > 0):
		return "container", "container without image"
	case w.Own && len(w.Command) == 0 && w.Model == "" && w.Torch.Net == "":
		return "", "has no command; give command = [\"program\", \"argument\"]"
	}
	if bad, why := w.Torch.Fault(); why != "" {
		return "torch." + bad, why
	}
	if w.Pattern != "" {
		if err := harness.CheckPattern(w.Pattern); err != nil {
			return "pattern", err.Error()
		}
	}
	for _, a := range w.Aliases {
		if !namePattern.MatchString(a) {
			return "aliases", fmt.Sprintf("alias %q: an alias is small letters, digits and . _ -", text.Clip(a))
		}
	}
	for k := range w.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			return "env", fmt.Sprintf("env name %q cannot be set", text.Clip(k))
		}
	}
	return "", ""
}

func (f workfile) uniqueAliases(list []Workload) error {
	owner := map[string]string{}
	for _, w := range list {
		for _, a := range w.Aliases {
			if o, taken := owner[a]; taken {
				return f.errorAt(
					toml.Key{"workload", w.Name, "aliases"},
					"alias %s of workload %s already belongs to %s",
					a,
					w.Name,
					o,
				)
			}
			owner[a] = w.Name
		}
	}
	return nil
}

func (f workfile) unknown(key toml.Key) error {
	if key[0] != "workload" {
		return f.errorAt(key, "unknown key %s; the file has [torch], [workload.NAME] and [keys]", key)
	}
	return f.errorAt(
		key,
		"unknown key %s; a workload has title task model dataset aliases samples batch workers prefetch epochs "+
			"command dir env silence_s pattern container torch",
		key,
	)
}

func (f workfile) errorAt(key toml.Key, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s", f.name, tomlfile.Line(f.text, key), fmt.Sprintf(format, args...))
}

package workload

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

//go:embed workloads.toml
var builtIn string

// parsedBuiltIn parses the built-in workloads once. The list is shared: deepCopy it before use.
var parsedBuiltIn = sync.OnceValues(func() ([]Workload, error) { return parse("built-in workloads", builtIn, nil) })

// deepCopy copies workloads with their lists and tables, in which reading a file would write.
func deepCopy(list []Workload) []Workload {
	list = slices.Clone(list)
	for i := range list {
		w := &list[i]
		w.Aliases, w.Command, w.Batches = slices.Clone(w.Aliases), slices.Clone(w.Command), slices.Clone(w.Batches)
		w.Container.Flags, w.Container.Mounts = slices.Clone(w.Container.Flags), slices.Clone(w.Container.Mounts)
		w.NotJobs, w.Env = slices.Clone(w.NotJobs), maps.Clone(w.Env)
	}
	return list
}

// Defaults of a workload from the user's file: the papers' training settings (the 2022 study,
// docs/method.md).
const (
	defaultBatch    = 16
	defaultWorkers  = 4
	defaultPrefetch = 2
	defaultEpochs   = 1
)

// Largest settings of a loader.
const MostWorkers, MostPrefetch = 1024, 1024

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
// rest; any other entry is added, before the built-in ones. Unknown keys and bad values are errors that
// name file and line. No file: "" or one that does not exist.
func Load(userFile string) ([]Workload, error) {
	built, err := parsedBuiltIn()
	if err != nil {
		return nil, err
	}
	list := deepCopy(built)
	if userFile == "" {
		return list, nil
	}
	text, err := safefile.ReadIfThere(userFile, tomlfile.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	return parse(userFile, string(text), list)
}

// mostWorkloads is how many workloads a file may hold.
const mostWorkloads = 1000

// workfile is a workloads file that has been read, with what an error needs to name a
// line.
type workfile struct {
	name   string
	text   string
	meta   toml.MetaData
	unread []toml.Key // keys that no value was taken from
	torch  torch.Job
	list   []Workload
	faults []error
}

// parse reads a workloads file on top of base; base nil means that
// the entries are the built-in ones.
func parse(name, text string, base []Workload) ([]Workload, error) {
	f := read(name, text, base)
	if len(f.faults) > 0 {
		return nil, f.faults[0]
	}
	return f.list, nil
}

// read is parse with every fault of the file.
func read(name, text string, base []Workload) *workfile {
	f := &workfile{name: name, text: text, list: slices.Clone(base)}
	var doc struct {
		Workload map[string]toml.Primitive `toml:"workload"`
		Torch    torch.Job                 `toml:"torch"`
	}
	var err error
	if f.meta, err = tomlfile.Decode(f.name, text, &doc); err != nil {
		f.faults = append(f.faults, err)
		return f
	}
	f.torch = doc.Torch
	if n := len(doc.Workload); n > mostWorkloads {
		f.faults = append(f.faults, fmt.Errorf("%s: %d workloads, at most %d", f.name, n, mostWorkloads))
		return f
	}
	if bad, why := doc.Torch.Fault(); why != "" {
		f.faultAt(toml.Key{"torch", bad}, "%s", why)
	}
	f.idle()
	names := f.order()
	decoded, failed := make([]Workload, len(names)), make([]error, len(names))
	for i, key := range names {
		decoded[i], failed[i] = f.decode(key, doc.Workload[key])
	}
	f.unread = f.meta.Undecoded()
	for i, key := range names {
		if failed[i] != nil {
			f.faults = append(f.faults, tomlfile.Error(f.name, failed[i]))
			continue
		}
		w := f.entry(key, decoded[i], base != nil)
		if at := f.find(key); at >= 0 {
			f.list[at] = w
		} else {
			f.list = append(f.list, w)
		}
	}
	f.unknown(func(k toml.Key) bool { // those of the workloads are known by now
		return k[0] != "workload" && !slices.Contains(elsewhere, k[0])
	})
	for i := range f.list {
		if f.list[i].Torch.Net != "" {
			f.list[i].Torch = f.list[i].Torch.Over(doc.Torch)
		}
	}
	f.uniqueAliases()
	f.list = slices.Concat(f.list[len(base):], f.list[:len(base)])
	return f
}

// find is the place of a workload in the list, -1 where it is not.
func (f *workfile) find(name string) int {
	return slices.IndexFunc(f.list, func(o Workload) bool { return o.Name == name })
}

// order lists the names of the entries in the order of the file.
func (f *workfile) order() []string {
	var names []string
	for _, k := range f.meta.Keys() {
		if len(k) >= 2 && k[0] == "workload" && !slices.Contains(names, k[1]) {
			names = append(names, k[1])
		}
	}
	return names
}

// decode reads the keys of one workload; the error names a value of another type.
func (f *workfile) decode(name string, p toml.Primitive) (Workload, error) {
	w := unset()
	if i := f.find(name); i >= 0 {
		w = f.list[i]
	}
	return w, f.meta.PrimitiveDecode(p, &w)
}

// entry checks and completes a decoded workload.
func (f *workfile) entry(name string, w Workload, own bool) Workload {
	key := toml.Key{"workload", name}
	for _, taken := range notKeys {
		if f.meta.IsDefined(append(slices.Clone(key), taken)...) {
			f.faultAt(append(key, taken), "unknown key %s.%s; the table's name is the workload's", key, taken)
		}
	}
	f.unknown(func(k toml.Key) bool { return len(k) > 2 && k[0] == "workload" && k[1] == name })
	w.Sized = w.Sized || f.meta.IsDefined(append(slices.Clone(key), "batch")...)
	if w.Infers() && own && !w.Sized && w.Batch == defaultBatch {
		w.Batch = 1
	}
	w.Name, w.Own = name, own
	if w.Title == "" {
		w.Title = name
	}
	for _, bad := range w.faults() {
		f.faultAt(append(key, strings.Split(bad.key, ".")...), "workload %s: %s", text.Clip(name), bad.why)
	}
	return w
}

// unset is a workload of the user's file of which nothing is given.
func unset() Workload {
	return Workload{Batch: defaultBatch, Workers: defaultWorkers, Prefetch: defaultPrefetch, Epochs: defaultEpochs}
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// fault is a key with a bad value, and what is wrong with it.
type fault struct{ key, why string }

// faults lists what is wrong with the values of a workload.
func (w *Workload) faults() (out []fault) {
	add := func(bad bool, key, why string, args ...any) {
		if bad {
			out = append(out, fault{key, fmt.Sprintf(why, args...)})
		}
	}
	within := func(key string, v, lo, hi int) {
		add(v < lo || v > hi, key, "%s %d is outside %d to %d", key, v, lo, hi)
	}
	add(!namePattern.MatchString(w.Name), "",
		"a name has small letters, digits and . _ - , 64 at most, and begins with a letter or digit")
	within("samples", w.Samples, 0, 1e12)
	within("batch", w.Batch, 1, 1<<20)
	within("workers", w.Workers, 0, MostWorkers)
	within("prefetch", w.Prefetch, 0, MostPrefetch)
	within("epochs", w.Epochs, 1, 1e6)
	within("silence_s", w.SilenceS, 0, 86400)
	add(len(w.Command) > 0 && strings.TrimSpace(w.Command[0]) == "", "command", "command begins with an empty word")
	add(w.Pattern != "" && len(w.Command) == 0, "pattern",
		"pattern reads the lines of a command; give command = [\"program\", \"argument\"]")
	add(w.Container.Image == "" && (w.Container.Runtime != "" || len(w.Container.Flags)+len(w.Container.Mounts) > 0),
		"container", "container without image")
	add(w.Own && len(w.Command) == 0 && w.Model == "" && w.Torch.Net == "" && w.Server == Server{}, "",
		"has no command; give command = [\"program\", \"argument\"]")
	bad, why := w.Torch.Fault()
	add(why != "", "torch."+bad, "%s", why)
	add(w.Counts != "" && w.Counts != CountsSteps && w.Counts != CountsSamples, "counts",
		"counts %q: want %s or %s", w.Counts, CountsSteps, CountsSamples)
	if w.Pattern != "" {
		err := harness.CheckPattern(w.Pattern)
		add(err != nil, "pattern", "%v", err)
	}
	for _, a := range w.Aliases {
		add(!namePattern.MatchString(a), "aliases",
			"alias %q: an alias has small letters, digits and . _ - , and begins with a letter or digit", text.Clip(a))
	}
	w.inferFaults(add)
	for k := range w.Env {
		add(k == "" || strings.ContainsAny(k, "=\x00"), "env", "env name %q cannot be set", text.Clip(k))
	}
	return out
}

func (f *workfile) uniqueAliases() {
	owner := map[string]string{}
	for _, w := range f.list {
		for _, a := range w.Aliases {
			if o, taken := owner[a]; taken {
				f.faultAt(
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
}

func (f *workfile) faultAt(key toml.Key, format string, args ...any) {
	if len(f.faults) < tomlfile.MostFaults { // to find a line takes the whole file
		f.faults = append(f.faults, tomlfile.At(f.name, f.text, key, fmt.Errorf(format, args...)))
	}
}

// Package torch carries the built-in training jobs: the papers' networks and
// data sets in plain PyTorch, speaking the protocol of package harness.
//
//	embedded *.py ──► Write: a folder ──► Command: python3 FOLDER/train.py --net … ──► harness.Exec
//
// The scripts run on Python 3.6 and PyTorch 1.8 upwards, on CUDA where there is
// some and on the CPU elsewhere. YOLOv8n's loss is a simplified one (yolo.py
// says how); networks and numbers of parameters are the published ones.
// jtune.py among them is imported by users' own scripts.
package torch

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"jtune/internal/safefile"
)

//go:embed *.py
var scripts embed.FS

// Synthetic in place of a data folder selects generated samples.
const Synthetic = "synthetic"

const (
	trainer = "train.py"
	helper  = "jtune.py"
	busy    = "envelope.py"
	// DefaultPython is the default interpreter of the built-in jobs.
	DefaultPython = "python3"
)

// Job is how the built-in trainer runs a workload. In the user's file it is the table [workload.NAME.torch]; a table
// [torch] sets python, data, cache and beside for all workloads.
type Job struct {
	// resnet18 mobilenet yolov8n bert lstm lenet5 vgg11, for inference alone alexnet yolov4tiny berttiny
	// distilbert; empty: no built-in job
	Net    string `toml:"net,omitempty" json:"net"`
	Set    string `toml:"set,omitempty" json:"set"`       // imagenet-val gld23k coco squad wikitext mnist cifar10
	Data   string `toml:"data,omitempty" json:"data"`     // folder of the data set or of several, or "synthetic"
	Python string `toml:"python,omitempty" json:"python"` // interpreter that has PyTorch; python3
	// Cache is the treatment of the page cache before each epoch: "preload", "drop" (only before the first epoch:
	// "drop-once"), or "" for none.
	Cache string `toml:"cache,omitempty" json:"cache"`
	Infer bool   `toml:"infer,omitempty" json:"infer"` // forward passes only, which need no data folder
	Half  bool   `toml:"half,omitempty" json:"half"`   // 16-bit numbers
	NoGC  bool   `toml:"no_gc,omitempty" json:"no_gc"` // without Python's garbage collection
	// runs the job on this machine too when the board is virtual: this machine's times with the board's power
	Beside bool `toml:"beside,omitempty" json:"beside"`
}

// Envelope is a synthetic load in place of a network: it keeps all cores and the GPU busy.
const Envelope = "envelope"

// Preload reads the data into the page cache before each epoch.
const Preload = "preload"

// trained is how many of nets can be trained.
const trained = 7

var (
	nets = []string{"resnet18", "mobilenet", "yolov8n", "bert", "lstm", "lenet5", "vgg11", "alexnet",
		"yolov4tiny", "berttiny", "distilbert"}
	sets = []string{"imagenet-val", "gld23k", "coco", "squad", "wikitext", "mnist", "cifar10", "sentences"}
)

// Fault returns the first key with an invalid value, and why it is invalid; both are empty when there is none.
func (j Job) Fault() (key, why string) {
	for _, f := range []struct {
		key, value string
		known      []string
	}{{"net", j.Net, nets}, {"set", j.Set, sets}, {"cache", j.Cache, []string{Preload, "drop", "drop-once"}}} {
		if f.value != "" && !slices.Contains(f.known, f.value) {
			return f.key, fmt.Sprintf("%s %q is none of %v", f.key, f.value, f.known)
		}
	}
	if slices.Contains(nets[trained:], j.Net) && !j.Infer {
		return "net", fmt.Sprintf("net %q can only infer: give infer = true", j.Net)
	}
	if (j.Net == "") != (j.Set == "") {
		return "net", "net and set belong together: the network and its data set"
	}
	return "", ""
}

// Over fills the unset fields of j from the user's defaults.
func (j Job) Over(defaults Job) Job {
	fill := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	fill(&j.Data, defaults.Data)
	fill(&j.Python, defaults.Python)
	fill(&j.Cache, defaults.Cache)
	j.Beside = j.Beside || defaults.Beside
	return j
}

// Command returns the command line of the trainer whose scripts are in folder. The loader's settings are passed in the
// environment.
func (j Job) Command(folder string) []string {
	if j.Net == Envelope {
		return []string{j.python(), "-B", path.Join(folder, busy)}
	}
	if j.Infer {
		j.Data = cmp.Or(j.Data, Synthetic)
	}
	c := []string{j.python(), "-B", path.Join(folder, trainer), "--net", j.Net, "--set", j.Set, "--data", j.Data}
	if j.Cache != "" {
		c = append(c, "--cache", j.Cache)
	}
	for _, f := range []struct {
		set  bool
		flag string
	}{{j.Infer, "--infer"}, {j.Half, "--half"}, {j.NoGC, "--no-gc"}} {
		if f.set {
			c = append(c, f.flag)
		}
	}
	return c
}

func (j *Job) python() string {
	if j.Python == "" {
		return DefaultPython
	}
	return j.Python
}

// Ready checks what can be checked before the job starts: the interpreter and the data folder.
func (j Job) Ready() error {
	if _, err := exec.LookPath(j.python()); err != nil {
		return fmt.Errorf(
			"no %s to run PyTorch with (%w): set python = \"/path/python3\" under [torch] in the configuration file, "+
				"or give the workload a command of your own",
			j.python(),
			errors.Unwrap(err),
		)
	}
	return j.HasData()
}

// LacksData reports whether data must be given before the job can start.
func (j *Job) LacksData() bool { return j.Data == "" && !j.Infer }

// HasData returns an error if data are lacking, or the given folder does not exist.
func (j *Job) HasData() error {
	if j.LacksData() {
		return fmt.Errorf(
			"no data for %s: write data = \"FOLDER\" (or data = %q for made-up samples) under [torch] in the "+
				"configuration file, or give the workload a command of your own",
			j.Set,
			Synthetic,
		)
	}
	if j.Data == Synthetic || j.Data == "" {
		return nil
	}
	st, err := os.Stat(j.Data)
	if err != nil {
		return fmt.Errorf("data folder %s of %s: %w: is its disk mounted? Else correct data under [torch]",
			j.Data, j.Set, safefile.Cause(err))
	}
	if !st.IsDir() {
		return fmt.Errorf("data folder %s of %s is a file: name its folder", strconv.Quote(j.Data), j.Set)
	}
	return nil
}

// DataFolder returns the folder of the data set: the given one, or the set's folder below it. It is "" for none and for
// synthetic data.
func (j *Job) DataFolder() string {
	if j.Data == "" || j.Data == Synthetic {
		return ""
	}
	if inner := filepath.Join(j.Data, j.Set); j.Set != "" {
		if st, err := os.Stat(inner); err == nil && st.IsDir() {
			return inner
		}
	}
	return j.Data
}

// Folder returns the folder for the scripts: the wanted folder as an absolute path.
func Folder(wanted string) (string, error) {
	if wanted == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("training scripts: %w", err)
		}
		wanted = filepath.Join(cache, "jtune", "torch")
	}
	return filepath.Abs(wanted)
}

// Helper returns the text of jtune.py, which a user's own script imports.
func Helper() []byte {
	text, err := scripts.ReadFile(helper)
	if err != nil {
		panic("torch: no jtune.py in the binary")
	}
	return text
}

// Write writes the scripts to a folder, which it creates if needed, and returns their paths. It keeps unchanged files
// and replaces others atomically, so that a job that starts at that moment reads one version or the other.
func Write(folder string) ([]string, error) {
	names, err := fs.Glob(scripts, "*.py")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("training scripts: %w", err)
	}
	var paths []string
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return paths, err
		}
		to := filepath.Join(folder, name)
		if err := replace(to, text); err != nil {
			return paths, fmt.Errorf("training scripts: %w", err)
		}
		paths = append(paths, to)
	}
	return paths, nil
}

func replace(to string, text []byte) error {
	if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return safefile.Replace(to, text)
}

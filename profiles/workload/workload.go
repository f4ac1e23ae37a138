package workload

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

// ErrNoCommand means that no command is known that runs the workload on this device.
var ErrNoCommand = errors.New("no command to run it")

// Workload is a job of training or inference: a model on a dataset at a batch size. Another
// batch size makes another workload.
type Workload struct {
	Name    string   `toml:"name" json:"name"`
	Title   string   `toml:"title" json:"title"`
	Task    string   `toml:"task" json:"task"`
	Model   string   `toml:"model" json:"model"`
	Dataset string   `toml:"dataset" json:"dataset"`
	Aliases []string `toml:"aliases,omitempty" json:"aliases,omitempty"`
	Samples int      `toml:"samples" json:"samples"` // per epoch; 0 when not known
	Batch   int      `toml:"batch" json:"batch"`     // samples per minibatch
	// Sized: the user gave Batch.
	Sized bool `toml:"-" json:"-"`
	// loader processes; 0: loads in the training process
	Workers  int `toml:"workers" json:"workers"`
	Prefetch int `toml:"prefetch" json:"prefetch"` // minibatches ahead per loader
	Epochs   int `toml:"epochs" json:"epochs"`     // of a full run
	// what starts it; empty for the built-in ones
	Command []string `toml:"command,omitempty" json:"command"`
	// where Command runs; the present folder when empty
	Dir string            `toml:"dir,omitempty" json:"dir,omitempty"`
	Env map[string]string `toml:"env,omitempty" json:"env,omitempty"` // added to the environment
	// seconds that Command may be silent, loading included; 60 when 0
	SilenceS int `toml:"silence_s,omitempty" json:"silence_s,omitempty"`
	// reads minibatches out of Command's own lines: tqdm, huggingface, ultralytics, it/s or an
	// expression
	Pattern string `toml:"pattern,omitempty" json:"pattern,omitempty"`
	// what the counter of Command's lines counts, steps or samples; found out when empty
	Counts string `toml:"counts,omitempty" json:"counts,omitempty"`
	Own    bool   `toml:"own,omitempty" json:"own"` // from the user's file
	// OnHost: the command really runs, on this machine, beside a virtual board.
	OnHost bool `toml:"-" json:"-"`
	// ToEnd: the command is measured to its end, whatever it prints.
	ToEnd bool `toml:"-" json:"-"`
	// Patience is how long the command may take to its first step; 0: harness.StartLimit.
	Patience time.Duration `toml:"-" json:"-"`
	// FromStart counts the steps of the command from its start, including those read before their format was detected.
	FromStart bool `toml:"-" json:"-"`
	// NotJobs are counters in the command's output that an earlier run showed not to be the job.
	NotJobs []string `toml:"-" json:"-"`
	// Stdin is the command's standard input; nil: none.
	Stdin *os.File `toml:"-" json:"-"`
	// Echo gets what the command prints; nil: nothing does.
	Echo io.Writer `toml:"-" json:"-"`

	// in which Command or the built-in job runs
	Container harness.Container `toml:"container,omitempty" json:"container,omitzero"`
	// the built-in job; used when there is no Command
	Torch torch.Job `toml:"torch,omitempty" json:"torch,omitzero"`

	// Elsewhere is where the job runs that was started elsewhere; nil: jtune starts it. Attached says so in a record.
	Elsewhere *harness.Elsewhere `toml:"-" json:"-"`
	Attached  bool               `toml:"attached,omitempty" json:"-"`

	Kind string `toml:"kind,omitempty" json:"kind,omitempty"` // train or infer; train when empty
	// of an inference job: the unit of its speed and energy: inference, token or frame
	Unit string `toml:"unit,omitempty" json:"unit,omitempty"`
	// of an inference job: stream survives a change of mode, run is restarted for each; a pattern's own when empty
	Per     string       `toml:"per,omitempty" json:"per,omitempty"`
	Batches []int        `toml:"batches,omitempty" json:"batches,omitempty"` // sizes to choose among by default
	Server  Server       `toml:"server,omitempty" json:"server,omitzero"`    // that answers the requests
	Limit   LatencyLimit `toml:"limit,omitempty" json:"limit,omitzero"`
	Load    Demand       `toml:"load,omitempty" json:"load,omitzero"`
}

// MinibatchesPerEpoch counts them, the last partial one kept; 0 when the
// number of samples is not known.
func (w Workload) MinibatchesPerEpoch() int {
	if w.Batch <= 0 || w.Samples <= 0 {
		return 0
	}
	return (w.Samples-1)/w.Batch + 1
}

// LoaderFault returns why the built-in job loads without loader processes on the boards of the papers, and how many it
// has elsewhere; "" when it should have none.
func (w *Workload) LoaderFault() (why string, elsewhere int) {
	if w.Torch.Net != "yolov8n" || w.Infers() || len(w.Command) > 0 || w.Workers > 0 {
		return "", 0
	}
	return "with loader processes YOLO meets a fault of the PyTorch for JetPack 5 (PowerTrain, footnote 6)", 4
}

// Known returns batch size and loader processes as far as they are known; 0 if not. An own command that sets none has
// jtune's defaults, which describe nothing.
func (w *Workload) Known() (batch, workers int) {
	batch, workers = w.Batch, w.Workers
	if w.Own && len(w.Command) > 0 && !w.Sized && batch == defaultBatch {
		batch = 0
	}
	if w.Own && len(w.Command) > 0 && workers == defaultWorkers {
		workers = 0
	}
	return batch, workers
}

// AtBatch returns the workload with minibatches of n samples; 0 means its own size.
func (w Workload) AtBatch(n int) Workload {
	if n > 0 {
		w.Batch, w.Sized = n, true
	}
	return w
}

// Otherwise lists the differences between w and o, in words: the setting, its value in w, and in o. It is empty when
// both run the same.
func (w *Workload) Otherwise(o Workload) []string {
	var out []string
	for _, p := range []struct {
		what        string
		there, here any
	}{
		{"name", w.Name, o.Name},
		{"command", w.Command, o.Command},
		{"folder", w.Dir, o.Dir},
		{"environment", w.Env, o.Env},
		{"container", w.Container, o.Container},
		{"built-in job", w.Torch, o.Torch},
		{"pattern", w.Pattern, o.Pattern},
		{"counts", w.Counts, o.Counts},
		{"batch size", w.Batch, o.Batch},
		{"workers", w.Workers, o.Workers},
		{"prefetch", w.Prefetch, o.Prefetch},
		{"kind", w.kind(), o.kind()},
		{"server", w.Server, o.Server},
		{"load", w.Load, o.Load},
	} {
		if there, here := setting(p.there), setting(p.here); there != here {
			out = append(out, fmt.Sprintf("%s %s (here %s)", p.what, there, here))
		}
	}
	return out
}

// setting is a value of a workload in words.
func setting(v any) string {
	switch v := v.(type) {
	case []string:
		if len(v) > 0 {
			return fmt.Sprintf("%q", strings.Join(v, " "))
		}
	case map[string]string:
		if len(v) > 0 {
			return fmt.Sprintf("%q", v)
		}
	case torch.Job, Server, Demand, harness.Container:
		if table := inTOML(v); table != "" {
			return table
		}
	case string:
		if v != "" {
			return fmt.Sprintf("%q", v)
		}
	default:
		return fmt.Sprint(v)
	}
	return "none"
}

// inTOML writes the keys of a table that have a value, as in the user's file, in one line.
func inTOML(table any) string {
	var out strings.Builder
	if err := toml.NewEncoder(&out).Encode(table); err != nil {
		panic("workload: a table that TOML cannot hold")
	}
	lines := slices.DeleteFunc(strings.Split(out.String(), "\n"), func(line string) bool {
		return line == "" || strings.HasSuffix(line, " = 0") || strings.HasSuffix(line, " = 0.0") // despite omitempty
	})
	return strings.Join(lines, ", ")
}

// mostBatch bounds the batch size in a name.
const mostBatch = 1 << 20

// CutBatch takes the batch size off a workload's name, such as resnet18/8; false where it has none.
func CutBatch(name string) (base string, batch int, ok bool) {
	base, size, found := strings.Cut(name, "/")
	batch, err := strconv.Atoi(size)
	if !found || err != nil || batch < 1 || batch > mostBatch || size[0] == '+' {
		return name, 0, false
	}
	return base, batch, true
}

// Find returns the workload of that name or alias; names have priority. NAME/8 is the workload with minibatches of 8
// samples.
func Find(list []Workload, name string) (Workload, error) {
	want := strings.ToLower(strings.TrimSpace(name))
	if base, batch, ok := CutBatch(want); ok {
		w, err := Find(list, base)
		return w.AtBatch(batch), err
	}
	for _, w := range list {
		if w.Name == want {
			return w, nil
		}
	}
	var known []string
	for _, w := range list {
		if slices.Contains(w.Aliases, want) {
			return w, nil
		}
		known = append(known, w.Name)
	}
	return Workload{}, fmt.Errorf("no workload %q, built in or saved%s; jtune workloads lists all; your own command "+
		"goes behind --, as in jtune run -- python3 train.py", text.Clip(name), text.Suggest(want, known))
}

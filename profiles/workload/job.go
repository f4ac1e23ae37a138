package workload

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/harness/torch"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

// HarnessOptions say where and how a workload runs.
type HarnessOptions struct {
	Virtual *virtual.Board // nil: the workload's own command
	Clock   tegra.Clock    // stamps events; the machine's when nil
	Log     string         // file for what the command says besides events
	Silence time.Duration  // the workload's own when 0
	Epochs  int            // 0: until stopped
	// Requests of an inference job in each epoch, after a warm-up; 0: no fixed number.
	Requests int
	AtRate   bool   // its requests arrive at the rate of its load
	Scripts  string // folder that gets the built-in job's scripts; one below the user's cache when empty
}

// NewHarness returns the function with which a Bench starts the workload at a batch size; 0
// means its own. A workload without a command or a built-in job runs on a virtual board only;
// elsewhere starting it is an error that wraps ErrNoCommand.
func (w Workload) NewHarness(o HarnessOptions) func(ctx context.Context, batch int) (harness.Harness, error) {
	if w.Elsewhere != nil {
		return w.attach(o)
	}
	if w.Serves() && (o.Virtual == nil || w.Server.Beside != "") {
		return w.newServer(o)
	}
	if o.AtRate {
		return w.paced(o)
	}
	if o.Virtual != nil && !w.Torch.Beside && !w.OnHost {
		return func(_ context.Context, batch int) (harness.Harness, error) {
			w := w.AtBatch(batch)
			start, silence := w.silence(o)
			return harness.Virtual(
				o.Virtual,
				harness.VirtualOptions{Workload: w.Name, Infer: w.Infers(), Unit: w.UnitName(), Batch: w.Batch,
					Workers: &w.Workers, Cache: w.Torch.Cache, PerEpoch: w.MinibatchesPerEpoch(), Epochs: o.Epochs,
					Requests: o.Requests, Start: start, Silence: silence},
			)
		}
	}
	return func(ctx context.Context, batch int) (harness.Harness, error) {
		w := w.AtBatch(batch)
		job, err := w.job(o)
		if err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.Name, err)
		}
		if o.Virtual != nil {
			name, batch := w.standIn(o.Virtual)
			return harness.Alongside(o.Virtual, name, batch, false, func() (harness.Harness, error) {
				return harness.Exec(ctx, job)
			})
		}
		return harness.Exec(ctx, job)
	}
}

// smallest is a simulated workload that fits every virtual board.
const smallest = "lenet5"

// standIn returns the simulated workload whose power is combined with a real job. Nothing is known about a user's
// command: it gets the first that fits the board of the default batch size, batch size 1, and a smaller workload.
func (w Workload) standIn(b *virtual.Board) (name string, batch int) {
	name = w.SimulatedName()
	if !w.OnHost {
		return name, w.Batch
	}
	for _, batch := range []int{0, 1} {
		if b.Fits(name, batch) == nil {
			return name, batch
		}
	}
	return smallest, 0
}

// attach returns what reads a job that was started elsewhere.
func (w Workload) attach(o HarnessOptions) func(ctx context.Context, batch int) (harness.Harness, error) {
	e := *w.Elsewhere
	e.Pattern = cmp.Or(e.Pattern, w.Pattern)
	e.Detect = *w.detect()
	begin := func(ctx context.Context) (harness.Harness, error) {
		h, err := harness.Attach(ctx, e, o.Clock, cmp.Or(o.Silence, time.Duration(w.SilenceS)*time.Second))
		if err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.Name, err)
		}
		return h, nil
	}
	return func(ctx context.Context, _ int) (harness.Harness, error) {
		if o.Virtual != nil {
			return harness.Alongside(o.Virtual, w.SimulatedName(), w.Batch, false, func() (harness.Harness, error) {
				return begin(ctx)
			})
		}
		return begin(ctx)
	}
}

// Ready returns an error for what is missing to run the workload on real hardware, as far as can be checked before the
// start.
func (w *Workload) Ready() error {
	switch {
	case w.Elsewhere != nil:
		return w.Elsewhere.Check()
	case strings.Contains(strings.Join(w.Command, " "), weightsVariable):
		return fmt.Errorf("%w: give %s, a file or the name by which its server knows the model", ErrNoWeights,
			usage.Weights)
	case w.Serves():
		return w.Server.reachable()
	case len(w.Command) > 0:
		return nil
	case w.Torch.Net == "":
		return fmt.Errorf(
			"%w: write command = [\"program\", \"argument\"] under [workload.%s] in the configuration file",
			ErrNoCommand,
			w.Name,
		)
	case w.Container.Image != "": // its interpreter is none of ours
		return w.Torch.HasData()
	}
	return w.Torch.Ready()
}

// Environment variables with the batch size of a job and its loader processes.
const (
	batchVariable   = "JTUNE_BATCH"
	workersVariable = "JTUNE_WORKERS"
)

// protocolVariable tells a job that jtune reads its events, variables begins the names of all of a job's variables,
// and helperModule is the Python module that prints the events.
const (
	protocolVariable = "JTUNE_PROTOCOL"
	variables        = "JTUNE_"
	helperModule     = "jtune"
)

// TakesBatch reports whether the workload can run at another batch size: built-in jobs can, and a user's command if its
// words, or a script that it names, contain JTUNE_BATCH. Whether the job really uses it shows when it runs, see
// profiles.ErrFixedBatch.
func (w *Workload) TakesBatch() bool { return w.reads(batchVariable) }

// TakesWorkers is TakesBatch for the number of loader processes.
func (w *Workload) TakesWorkers() bool { return w.reads(workersVariable) }

func (w *Workload) reads(variable string) bool {
	if _, fixed := w.Env[variable]; fixed || w.Serves() || w.Elsewhere != nil {
		return false
	}
	return len(w.Command) == 0 || strings.Contains(w.words(), variable) || w.names(func(path string) bool {
		return mentions(path, variable)
	})
}

// words returns the command as one text, also a line for a shell.
func (w *Workload) words() string { return strings.Join(w.Command, " ") }

// names reports whether a word of the command is a path for which is holds.
func (w *Workload) names(is func(path string) bool) bool {
	return slices.ContainsFunc(strings.Fields(w.words()), func(word string) bool {
		path := strings.Trim(word, `"';`)
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.Dir, path)
		}
		return is(path)
	})
}

// speaks reports whether the job knows the protocol of package harness: built-in jobs do, and a command that mentions
// its variables, names a file that mentions them or the helper module, or has that module beside such a file. The files
// of a container are unknown: its job is assumed to.
func (w *Workload) speaks() bool {
	if _, set := w.Env[protocolVariable]; set || len(w.Command) == 0 || w.Container.Image != "" {
		return true
	}
	return os.Getenv(protocolVariable) != "" || strings.Contains(w.words(), variables) ||
		w.names(func(path string) bool {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), helperModule+".py"))
			return err == nil || mentions(path, variables) || mentions(path, "import "+helperModule) ||
				mentions(path, "from "+helperModule)
		})
}

// longestScript is how much of a file is searched.
const longestScript = 1 << 20

func mentions(path, name string) bool {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestScript))
	return err == nil && bytes.Contains(text, []byte(name))
}

// job is how the workload is started on real hardware.
func (w Workload) job(o HarnessOptions) (harness.ExecOptions, error) {
	e := harness.ExecOptions{
		Command:   w.expand(),
		Dir:       w.Dir,
		Env:       w.environment(o),
		Log:       o.Log,
		Clock:     o.Clock,
		Name:      w.Name,
		Container: w.Container,
		Pattern:   w.Pattern,
		Protocol:  w.speaks(),
		Patience:  w.Patience,
	}
	e.Start, e.Silence = w.silence(o)
	if err := w.Ready(); err != nil {
		return e, err
	}
	if len(w.Command) > 0 {
		e.Detect, e.Echo, e.Stdin = w.detect(), w.Echo, w.Stdin
		return e, nil
	}
	return e, w.builtIn(&e, o.Scripts)
}

const (
	// inContainer is where a container finds the built-in job.
	inContainer = "/opt/jtune"
	// builtInStart covers the import of PyTorch, the listing of the data's files and the first kernels at low clocks:
	// BERT's first minibatch takes a quarter of an hour at a TX2's lowest ones. builtInSilence is what a later
	// minibatch may take where nothing is known.
	builtInStart   = 15 * time.Minute
	builtInSilence = 5 * time.Minute
)

// detect returns how the output of an unknown command is read.
func (w Workload) detect() *harness.Detect {
	d := &harness.Detect{Infer: w.Infers(), ToEnd: w.ToEnd, PerRun: w.Per == PerRun}
	d.FromStart, d.Not, d.Patience, d.Step = w.FromStart, w.NotJobs, w.Patience, w.Unit
	if d.Usual = w.Batch; (w.Sized || w.Batch != defaultBatch) && w.Batch > 1 {
		d.Batch = w.Batch
	}
	switch w.Counts {
	case CountsSamples:
		d.Counts = detect.Sample
	case CountsSteps:
		d.Counts = detect.Step
	}
	return d
}

// What Workload.Counts may be.
const (
	CountsSteps   = "steps"
	CountsSamples = "samples"
)

// silence is how long the job may print nothing, before its first minibatch and later; 0: what package harness takes.
func (w *Workload) silence(o HarnessOptions) (start, later time.Duration) {
	later = cmp.Or(o.Silence, time.Duration(w.SilenceS)*time.Second)
	switch {
	case later > 0:
		return later, later
	case len(w.Command) > 0 && !w.Serves():
		return builtInStart, 0
	case w.Serves() && len(w.Command) == 0:
		return 0, 0
	case len(w.Command) == 0:
		return builtInStart, builtInSilence
	}
	return later, later
}

// builtIn sets e to the built-in job, whose scripts are written to folder.
func (w *Workload) builtIn(e *harness.ExecOptions, folder string) error {
	folder, err := torch.Folder(folder)
	if err != nil {
		return err
	}
	if _, err := torch.Write(folder); err != nil {
		return err
	}
	if w.Container.Image == "" {
		e.Command = w.Torch.Command(folder)
		return nil
	}
	mounts := append(slices.Clone(w.Container.Mounts), folder+":"+inContainer+":ro")
	if w.Torch.Data != torch.Synthetic {
		mounts = append(mounts, w.Torch.Data+":"+w.Torch.Data+":ro")
	}
	e.Container.Mounts = mounts
	e.Command = w.Torch.Command(inContainer)
	return nil
}

// environment holds the settings of a command, and of one that speaks the protocol also jtune's; see package harness.
func (w *Workload) environment(o HarnessOptions) map[string]string {
	if !w.speaks() {
		return w.Env
	}
	protocol := "1"
	if w.Infers() {
		protocol = "2"
	}
	env := map[string]string{
		protocolVariable: protocol,
		"JTUNE_KIND":     w.kind(),
		"JTUNE_WORKLOAD": w.Name,
		batchVariable:    strconv.Itoa(w.Batch),
		workersVariable:  strconv.Itoa(w.Workers),
		"JTUNE_PREFETCH": strconv.Itoa(w.Prefetch),
		"JTUNE_EPOCHS":   strconv.Itoa(o.Epochs),
	}
	if o.Requests > 0 {
		env["JTUNE_REQUESTS"] = strconv.Itoa(o.Requests)
	}
	maps.Copy(env, w.Env)
	return env
}

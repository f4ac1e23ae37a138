package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/workloads"
)

// What commands share: an open device, a job on it, and flags with the same meaning in all of them.

// onDevice opens the device, prints its notice, calls f and closes the device.
func (a *app) onDevice(f func(*session.Session) error) (failed error) {
	s, err := a.session()
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Close(); err != nil && (failed == nil || err.Error() != failed.Error()) {
			a.note("%v", err)
		}
	}()
	if failed = f(s); failed == nil {
		configCmd{a}.warnOfConfig()
	}
	return failed
}

// jobs is app for commands that run a workload.
type jobs struct {
	*app
	own commandFlags // a command instead of a workload
}

// withJob is onDevice with a workload.
func (a jobs) withJob(name string, f func(*session.Session, workload.Workload) error) error {
	return a.onDevice(func(s *session.Session) error {
		if a.own.given() {
			w, err := a.own.Workload(s)
			if err == nil && len(s.Batches) > 0 {
				w = w.AtBatch(s.Batches[0])
			}
			if err != nil {
				return err
			}
			return f(s, a.awaited(w))
		}
		w, err := workloads.Find(s, name)
		if err != nil {
			return err
		}
		return f(s, a.awaited(w))
	})
}

// withSizedJob is withJob for a command that can choose between batch sizes. Unless trusted is "", it runs the workload
// of that campaign folder.
func (a jobs) withSizedJob(name, trusted string, f func(*session.Session, workload.Workload, []int) error) error {
	return a.onDevice(func(s *session.Session) error {
		find := func(name string) (workload.Workload, []int, error) { return workloads.FindSized(s, name) }
		if a.own.given() {
			find = func(string) (workload.Workload, []int, error) { return workloads.TypedSized(s, a.own.Typed) }
		} else if trusted != "" {
			find = func(name string) (workload.Workload, []int, error) {
				return measure.RecordedWorkload(s, trusted, name)
			}
		}
		w, sizes, err := find(name)
		if err == nil {
			err = noInput(a.in, s, w)
		}
		if err != nil {
			return err
		}
		return f(s, a.awaited(w), sizes)
	})
}

// Forms of --json: one document, a list, or a stream.
const (
	asDocument = "as JSON"
	asList     = "as a JSON array"
	asLines    = "one JSON object per line"
)

func (a *app) jsonFlag(f *pflag.FlagSet, usage string) { f.BoolVar(&a.asJSON, "json", false, usage) }

// count is the value of a flag for a number of at least 1; help texts do not show its zero default.
type count int

// errCount is the error for a smaller number.
var errCount = errors.New("1 at least")

func (c *count) String() string { return strconv.Itoa(int(*c)) }
func (c *count) Type() string   { return "int" }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		return errCount
	}
	*c = count(n)
	return err
}

// countFlag adds a count flag.
func countFlag(f *pflag.FlagSet, n *int, name, usage string) { f.Var((*count)(n), name, usage) }

// wordType is the type name, in help texts, of a choice between words.
const wordType = "WORD"

// choice is the value of a flag with a fixed set of words.
type choice[T comparable] struct {
	to *T
	of []T
}

// choiceFlag adds a choice flag whose default is the present value.
func choiceFlag[T comparable](f *pflag.FlagSet, to *T, name, usage string, of ...T) {
	f.Var(&choice[T]{to, of}, name, usage)
}

func (c *choice[T]) String() string { return fmt.Sprint(*c.to) }
func (c *choice[T]) Type() string   { return wordType }

func (c *choice[T]) words() (list []string) {
	for _, v := range c.of {
		list = append(list, fmt.Sprint(v))
	}
	return list
}

// form lists the words for errors.
func (c *choice[T]) form() string {
	words := c.words()
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (c *choice[T]) Set(text string) error {
	i := slices.IndexFunc(c.of, func(v T) bool { return fmt.Sprint(v) == text })
	if i < 0 {
		return errors.New("want " + c.form())
	}
	*c.to = c.of[i]
	return nil
}

// weightsFlag adds --weights to a command that runs a workload.
func weightsFlag(f *pflag.FlagSet, o *session.Options) {
	f.StringVar(&o.Weights, "weights", "",
		"model `FILE` or name for llama, llama-server, ollama, vllm, trt, triton, deepstream, yolo-predict (default: "+
			"the model that the running server has loaded)")
	const own, former = "own-address", "remote"
	f.BoolVar(&o.Remote, own, false,
		"the server's address, which is not loopback, is this board's: jtune measures no other board's power")
	f.BoolVar(&o.Remote, former, false, "former name of --"+own)
	_ = f.MarkHidden(former)
}

// perModeFlag adds --minibatches to a command that measures modes.
func perModeFlag(f *pflag.FlagSet, n *int) {
	countFlag(f, n, "minibatches", "measure `N` clean minibatches in each mode (default 40)")
}

// referenceFlag adds --reference.
func referenceFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "reference", "", "transfer from a reference workload: `FILE`, the name of a kept model or "+
		"campaign, "+
		learn.ShippedName+" (its networks, for powertrain), or none (default)")
}

// modelFlag adds --model.
func modelFlag(f *pflag.FlagSet, name *string, more string) {
	f.StringVar(name, "model", "", "model `FILE`, or the name of a kept one"+more)
}

// limitFlags adds limits to a command that compares each mode with them.
func limitFlags(f *pflag.FlagSet, l *metric.Limits) {
	boundFlag(f, l, metric.Power, "power-limit", "show whether each mode stays within `W` watts, and how sure that is")
	boundFlag(f, l, metric.Time, "time-limit", "show whether each mode stays within `MS` milliseconds per minibatch")
	boundFlag(f, l, metric.Energy, "energy-limit", "show whether each mode stays within `J` joules per minibatch; per "+
		"sample if the batch size is an input")
}

// otherGoalFlags adds the goals of choose and tune besides watts.
func otherGoalFlags(f *pflag.FlagSet, l *metric.Goal) {
	boundFlag(f, &l.Limits, metric.Time, "time-limit", "find the mode of least power that takes at most `MS` "+
		"milliseconds per minibatch; with --power-limit and several batch sizes: limit the latency of a batch")
	aimFlag(f, l, metric.Energy, "energy", "find the mode of least energy per minibatch; with several batch sizes: "+
		"per sample")
}

// aimFlag adds a goal.
func aimFlag(f *pflag.FlagSet, l *metric.Goal, of *metric.Metric, name, help string) {
	f.BoolFunc(name, help, func(text string) error {
		on, err := strconv.ParseBool(text)
		switch {
		case on && l.Objective != nil && l.Objective != of:
			return usage.Errorf("throughput and least energy exclude each other: give one")
		case on:
			l.Objective = of
		}
		return err
	})
}

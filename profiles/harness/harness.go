package harness

import (
	"context"
	"fmt"
	"time"

	"jtune/tegra"
)

// Kind is what an event tells.
type Kind string

// Kinds of events.
const (
	Hello      Kind = "hello"
	EpochBegin Kind = "epoch_begin"
	Minibatch  Kind = "minibatch"
	EpochEnd   Kind = "epoch_end"
	Stable     Kind = "stable"
	Failure    Kind = "error"
	Done       Kind = "done"
	Other      Kind = "other" // known to the protocol, of no use here
)

// Event is one thing a harness told.
type Event struct {
	Kind Kind
	// T is the device's clock when the event was taken in.
	T          time.Duration
	Epoch      int
	Batch      int
	TimeMS     float64 // whole minibatch or epoch
	FetchMS    float64
	StallMS    float64
	ComputeMS  float64
	OverheadMS float64
	Message    string
	Info       map[string]string // of hello
}

// Harness is a training job that tells of its minibatches one by one.
type Harness interface {
	// Next waits for the next event. io.EOF when the job is done, *ExitError
	// when it died, *SilenceError when it tells nothing.
	Next(ctx context.Context) (Event, error)
	// Stop ends the job and all its processes.
	Stop(ctx context.Context) error
}

// ExitError: the job died.
type ExitError struct {
	Command string
	Status  string   // "exit status 1", "signal: killed"
	Lines   []string // the last lines it wrote to stderr
}

func (e *ExitError) Error() string {
	if len(e.Lines) == 0 {
		return fmt.Sprintf("harness %s died: %s, said nothing on stderr", e.Command, e.Status)
	}
	return fmt.Sprintf("harness %s died: %s: %s", e.Command, e.Status, e.Lines[len(e.Lines)-1])
}

// SilenceError: the job lives but prints nothing.
type SilenceError struct {
	Command string
	After   time.Duration
	Garbage int // lines that were no events
}

func (e *SilenceError) Error() string {
	return fmt.Sprintf("harness %s prints nothing for %s", e.Command, e.After)
}

// ExecOptions say how a job is run.
type ExecOptions struct {
	Command []string
	Dir     string
	Env     map[string]string // added to the environment
	Log     string            // file that gets stderr and garbage; "" for none
	Silence time.Duration     // 60 s
	Clock   tegra.Clock       // stamps events; the machine's when nil
}

// Exec starts an external job in its own process group.
func Exec(ctx context.Context, o ExecOptions) (Harness, error) { panic("not yet") }

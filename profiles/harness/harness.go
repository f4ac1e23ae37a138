package harness

import (
	"context"
	"fmt"
	"math"
	"strings"
	"syscall"
	"time"

	"jtune/internal/stats"
	"jtune/internal/units"
	"jtune/tegra"
)

// Kind is the kind of an event.
type Kind string

// Names of the two jobs that take turns, for Event.Job.
const (
	JobTrain = "train"
	JobInfer = "infer"
)

// NotJob is the key of a withdrawn event's Info that names the counter which was not the job.
const NotJob = "not"

// Kinds of events.
const (
	Hello      Kind = "hello"
	EpochBegin Kind = "epoch_begin"
	Minibatch  Kind = "minibatch"
	EpochEnd   Kind = "epoch_end"
	Stable     Kind = "stable"
	Failure    Kind = "error"
	Done       Kind = "done"
	Cache      Kind = "cache" // Share is the part of the data in the page cache
	Infer      Kind = "infer" // an executed batch of N units
	Request    Kind = "request"
	Note       Kind = "note"      // Message is for the user
	Warm       Kind = "warm"      // the warm-up ends: the first N batches do not count
	Other      Kind = "other"     // part of the protocol, not used here
	Withdrawn  Kind = "withdrawn" // another counter was the job: what was reported so far counts nothing
	Gone       Kind = "gone"      // one of two jobs has ended, Message says why; the other continues
)

// Event is a message of a harness.
type Event struct {
	Kind Kind
	// T is the device's clock when the event was read: a minibatch began TimeMS earlier.
	T          time.Duration
	Epoch      int // from 0
	Batch      int // within the epoch, from 0
	TimeMS     float64
	FetchMS    tegra.Val[float64] // this and the next: absent when the job does not report them
	PrepareMS  tegra.Val[float64] // pre-processing, if reported separately from the fetch
	CopyMS     tegra.Val[float64] // to the GPU's memory; a part of FetchMS
	LaunchMS   tegra.Val[float64] // CPU time for launching kernels; mostly overlaps the compute time
	StallMS    tegra.Val[float64] // time in which the job waits for data
	ComputeMS  tegra.Val[float64]
	OverheadMS tegra.Val[float64]
	Unclean    bool               // the job marked this minibatch as not counting
	Message    string             // of error and done
	Info       map[string]string  // of hello
	Share      tegra.Val[float64] // of cache: 0 to 1

	N     int    // of infer and request: units, such as tokens; of warm: batches
	Phase string // of infer: prefill, decode or ""
	Job   string // its job where two jobs take turns: train, infer or ""
	Late  bool   // the minibatch of strict turns ended after the next batch was due
	// For a request, by the device's clock: scheduled arrival, start of service and first unit of the answer; its end
	// is T.
	Arrive, Start, First time.Duration
	In, Out              int     // of a request: units of the question and the answer
	LateMS               float64 // of a scheduled request: how late it was sent
	// For a batch of a language model: the time to read the prompt and the time to write the answer.
	PrefillMS, DecodeMS tegra.Val[float64]
	Decoded             int // of the units of the answer, those that were written in DecodeMS
	// For a watched server, with the first batch of a reading, since a measurement may end with any: the latencies in
	// s of all requests answered since the previous reading.
	Answered *stats.Histogram
	// For a watched server: when its counters were read before; 0 for every other job.
	Previous time.Duration
	// For steps that a line reports together: when the time that they share began to pass; 0 for a step of its own.
	Shared  time.Duration
	Summary *Summary // of a program that prints its result at its end: TimeMS is then the whole span
}

// Timed reports whether the event is a unit of measurement: a minibatch of training or a batch of inference.
func (e *Event) Timed() bool { return e.Kind == Minibatch || e.Kind == Infer }

// Latency returns how long a request took, including its waiting, in ms.
func (e *Event) Latency() float64 { return float64(e.T-e.Arrive) / float64(time.Millisecond) }

// Began returns when the minibatch began; of a watched server's answers, when the first of their reading did.
func (e *Event) Began() time.Duration {
	if began := e.before(e.T); e.Previous == 0 || began < e.Previous {
		return began
	}
	return e.Previous
}

// Earliest returns when the minibatch began at the earliest: a watched server's answer may have been nearly finished
// when the counters were read before, and steps that a line reports together all have the mean time since the line
// before.
func (e *Event) Earliest() time.Duration {
	switch {
	case e.Previous != 0:
		return e.before(e.Previous)
	case e.Shared != 0:
		return e.Shared
	}
	return e.Began()
}

func (e *Event) before(end time.Duration) time.Duration {
	return end - time.Duration(e.TimeMS*float64(time.Millisecond))
}

// Complete computes stall and overhead of a minibatch if they are missing and follow from the other parts: stall is the
// wait for data that the compute time does not hide, overhead the rest of the time (the 2022 study, docs/method.md).
func (e *Event) Complete() {
	if !e.StallMS.OK && e.FetchMS.OK && e.ComputeMS.OK {
		e.StallMS = tegra.Some(RoundMS(max(0, min(e.FetchMS.V, e.TimeMS-e.ComputeMS.V))))
	}
	if !e.OverheadMS.OK && e.StallMS.OK && e.ComputeMS.OK {
		e.OverheadMS = tegra.Some(RoundMS(max(0, e.TimeMS-e.StallMS.V-e.ComputeMS.V)))
	}
}

// RoundMS removes the rounding errors of subtracting times in milliseconds: no clock
// resolves less than a nanosecond.
func RoundMS(ms float64) float64 { return math.Round(ms*1e6) / 1e6 }

// Harness is a running job that reports its minibatches, or batches of inference, one by one.
type Harness interface {
	// Next waits for the next event. It returns io.EOF when the job is done, *ExitError when it died, *SilenceError
	// when it shows no steps.
	Next(ctx context.Context) (Event, error)
	// Stop ends the job and all its processes. Stopping twice is not an error.
	Stop(ctx context.Context) error
}

// Paced is a harness whose output can be read at the caller's pace, so that it does not wake the machine several times
// a second. After Pace its events may arrive late, with their true times: when poll is called, or after pipe.Late.
// Events of a job that does not report times still arrive at once.
type Paced interface {
	Pace() (poll func())
}

// ExitError means that the job ended with an error.
type ExitError struct {
	Command string
	Status  string   // "exit status 1", "signal: killed"
	Code    int      // exit status; 128 plus the number of the signal that ended it
	Lines   []string // the last lines it wrote to stderr, oldest first
}

func (e *ExitError) Error() string {
	switch {
	case e.Status == "signal: "+syscall.SIGKILL.String():
		return fmt.Sprintf("command %s was killed from outside (%s): most often by the kernel, out of memory (see "+
			"dmesg), which counts as did not run (DNR)", e.Command, e.Status)
	case len(e.Lines) == 0 && strings.HasPrefix(e.Status, "it "):
		return fmt.Sprintf("command %s was ended: %s", e.Command, e.Status)
	case len(e.Lines) == 0:
		return fmt.Sprintf("command %s ended %s, with nothing on stderr", e.Command, e.how())
	}
	return fmt.Sprintf("command %s ended %s: %s", e.Command, e.how(), reason(e.Lines))
}

// how describes the end: "with exit status 1", "by signal: segmentation fault".
func (e *ExitError) how() string {
	switch {
	case strings.HasPrefix(e.Status, "signal"):
		return "by " + e.Status
	case strings.HasPrefix(e.Status, "exit"):
		return "with " + e.Status
	}
	return "because " + e.Status
}

// reason returns the last meaningful line: container engines end with advice to read their help.
func reason(lines []string) string {
	for i := len(lines) - 1; i > 0; i-- {
		if text := strings.TrimSpace(lines[i]); text != "" && !strings.Contains(text, " --help'") {
			return text
		}
	}
	return lines[0]
}

// UnreadError means that a program succeeded but its reader found no number in its output.
type UnreadError struct {
	Command, Pattern string
	Last             string // the last line printed; "" if none
}

func (e *UnreadError) Error() string {
	last := "it printed nothing"
	if e.Last != "" {
		last = "its last line: " + e.Last
	}
	return fmt.Sprintf("%s ended, and pattern %s found no result in what it printed: is it another version, or too "+
		"short a run? %s", e.Command, e.Pattern, last)
}

// SilenceError means that the job runs but prints no events.
type SilenceError struct {
	Command string
	After   time.Duration
	Garbage int    // lines that were not events
	Last    string // the last of them, and what is wrong with it
	Unseen  bool   // no step was read since the start of a program whose lines count them
}

// Is makes the silence of a program of which no step was ever read match ErrNotUnderstood.
func (e *SilenceError) Is(target error) bool { return e.Unseen && target == ErrNotUnderstood }

func (e *SilenceError) Error() string {
	if e.Garbage == 0 {
		return fmt.Sprintf("command %s prints nothing for %s: does it flush its output after each line? (a job that "+
			"loads for longer: silence_s under [workload.NAME] in the configuration file)", e.Command,
			units.Span(e.After))
	}
	return fmt.Sprintf("no step recognised in the output of %s for %s (%d other lines; last: %s); check its pattern",
		e.Command, units.Span(e.After), e.Garbage, e.Last)
}

package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
)

const (
	// maxTimeMS is the longest minibatch or epoch: 100 days.
	maxTimeMS = 100 * 24 * 3600 * 1000.0
	maxCount  = 1 << 40
)

// line is the JSON form of an event. Pointers distinguish absent from zero.
type line struct {
	Event      *string  `json:"event"`
	T          *float64 `json:"t"`
	Epoch      *float64 `json:"epoch"`
	Batch      *float64 `json:"batch"`
	TimeMS     *float64 `json:"time_ms"`
	E2EMS      *float64 `json:"e2e_ms"` // another name for time_ms
	FetchMS    *float64 `json:"fetch_ms"`
	PrepareMS  *float64 `json:"preprocess_ms"`
	CopyMS     *float64 `json:"copy_ms"`
	LaunchMS   *float64 `json:"launch_ms"`
	StallMS    *float64 `json:"stall_ms"`
	ComputeMS  *float64 `json:"compute_ms"`
	OverheadMS *float64 `json:"overhead_ms"`
	Clean      *bool    `json:"clean"`
	Share      *float64 `json:"share"`
	N          *float64 `json:"n"`
	Phase      string   `json:"phase"`
	Job        string   `json:"job"`
	Arrive     *float64 `json:"arrive"`
	Start      *float64 `json:"start"`
	First      *float64 `json:"first"`
	End        *float64 `json:"end"`
	In         *float64 `json:"in"`
	Out        *float64 `json:"out"`
	Message    string   `json:"message"`
}

// errNoEvent: the line is not a JSON object with an event.
var errNoEvent = errors.New("not a JSON object with an event")

// parser parses events in order; it remembers the time of the last one.
type parser struct {
	lastT   float64
	begunT  bool
	stamped bool          // the last line had its own time
	tied    bool          // offset is known
	offset  time.Duration // from the job's clock to ours, from the line that was read soonest
}

// when returns the time of an event by our clock, and whether the next line may be read late: lines with their own time
// may. An event is dated back by at most most.
func (p *parser) when(now, most time.Duration) (at time.Duration, mayWait bool) {
	if !p.stamped {
		return now, false
	}
	own := time.Duration(p.lastT * float64(time.Second))
	if late := now - own; !p.tied || late < p.offset {
		p.offset, p.tied = late, true
	}
	return max(own+p.offset, now-most), true
}

// parse parses one line. The error wraps errNoEvent when the line is not an event; other errors mean an event with
// absurd values.
func (p *parser) parse(raw []byte) (Event, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return Event{}, errNoEvent
	}
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		return Event{}, fmt.Errorf("%w: %v", errNoEvent, err)
	}
	if l.Event == nil {
		return Event{}, errNoEvent
	}
	if l.TimeMS == nil {
		l.TimeMS = l.E2EMS
	}
	e := Event{Kind: kindOf(*l.Event)}
	switch e.Kind {
	case "":
		return Event{}, fmt.Errorf("%w: unknown event %q", errNoEvent, text.OneLine(*l.Event))
	case Hello:
		e.Info = info(raw)
	case Minibatch, Infer:
		if err := l.timed(&e); err != nil {
			return Event{}, err
		}
	case Request:
		if err := l.request(&e); err != nil {
			return Event{}, err
		}
	case Warm:
		if err := counted("n", l.N, 0, &e.N); err != nil {
			return Event{}, err
		}
	case EpochEnd, EpochBegin:
		if err := l.epoch(&e); err != nil {
			return Event{}, err
		}
	case Failure, Done:
		e.Message = text.OneLine(l.Message)
	case Cache:
		if l.Share == nil { // a sign of life while files are read
			e.Kind = Other
		} else if *l.Share < 0 || *l.Share > 1 {
			return Event{}, fmt.Errorf("share is %g, not between 0 and 1", *l.Share)
		} else {
			e.Share = tegra.Some(*l.Share)
		}
	}
	e.Job = text.OneLine(l.Job)
	return e, p.time(l.T)
}

// taken reports whether an event of a program is one of the protocol. A program that is not known to speak it may log
// JSON objects of its own with the same names ({"event":"error"}): of it only units of measurement are taken, until it
// says hello with the protocol's number.
func (e *Event) taken(speaks *bool) bool {
	*speaks = *speaks || e.Kind == Hello && e.Info["protocol"] != ""
	return *speaks || e.Timed()
}

func kindOf(name string) Kind {
	switch k := Kind(name); k {
	case Hello, EpochBegin, Minibatch, EpochEnd, Stable, Failure, Done, Cache, Infer, Request, Warm:
		return k
	case "mode", "fetch", "compute", "power", "sys":
		return Other
	}
	return ""
}

// time rejects an event whose clock went back, and continues from its time: a job may use the calendar clock, which can
// be set while it runs.
func (p *parser) time(t *float64) error {
	if p.stamped = t != nil; !p.stamped {
		return nil
	}
	if math.Abs(*t) > maxTimeMS {
		return fmt.Errorf("t is %g, not a number of seconds since the job's start", *t)
	}
	last, begun := p.lastT, p.begunT
	p.lastT, p.begunT = *t, true
	if begun && *t < last {
		p.tied = false
		return fmt.Errorf("t goes back from %g to %g", last, *t)
	}
	return nil
}

// timed reads a minibatch or an executed batch.
func (l *line) timed(e *Event) error {
	switch {
	case l.TimeMS == nil:
		return fmt.Errorf("%s without time_ms", e.Kind)
	case *l.TimeMS == 0:
		return errors.New("time_ms is 0")
	}
	if err := l.epoch(e); err != nil {
		return err
	}
	e.Unclean = l.Clean != nil && !*l.Clean
	e.Complete()
	if e.Kind == Minibatch {
		return nil
	}
	e.Phase = text.OneLine(l.Phase)
	return counted("n", l.N, 1, &e.N)
}

func (l *line) epoch(e *Event) error {
	var whole tegra.Val[float64]
	for _, f := range []struct {
		name string
		from *float64
		to   *tegra.Val[float64]
	}{
		{"time_ms", l.TimeMS, &whole}, {"fetch_ms", l.FetchMS, &e.FetchMS}, {"stall_ms", l.StallMS, &e.StallMS},
		{"compute_ms", l.ComputeMS, &e.ComputeMS}, {"overhead_ms", l.OverheadMS, &e.OverheadMS},
		{"preprocess_ms", l.PrepareMS, &e.PrepareMS}, {"copy_ms", l.CopyMS, &e.CopyMS},
		{"launch_ms", l.LaunchMS, &e.LaunchMS},
	} {
		if f.from == nil {
			continue
		}
		if *f.from < 0 || *f.from > maxTimeMS {
			return fmt.Errorf("%s is %g", f.name, *f.from)
		}
		*f.to = tegra.Some(*f.from)
	}
	e.TimeMS = whole.V
	for _, f := range []struct {
		name string
		from *float64
		to   *int
	}{{"epoch", l.Epoch, &e.Epoch}, {"batch", l.Batch, &e.Batch}} {
		if f.from == nil {
			continue
		}
		if *f.from < 0 || *f.from > maxCount || *f.from != math.Trunc(*f.from) {
			return fmt.Errorf("%s is %g", f.name, *f.from)
		}
		*f.to = int(*f.from)
	}
	return nil
}

// maxUnits is the largest number of units in a batch or request: tokens, frames, inferences.
const maxUnits = 1 << 20

// units reads a count of units that is at least min.
func counted(name string, from *float64, min int, to *int) error {
	if from == nil {
		*to = max(1, min)
		return nil
	}
	if *from < float64(min) || *from > maxUnits || *from != math.Trunc(*from) {
		return fmt.Errorf("%s is %g, not a whole number from %d to %d", name, *from, min, maxUnits)
	}
	*to = int(*from)
	return nil
}

// request reads a request, whose four times are on the job's clock. They are kept as distances from its end; stamp puts
// them on the device's clock.
func (l line) request(e *Event) error {
	if l.Arrive == nil || l.End == nil {
		return errors.New("request without arrive and end")
	}
	first, start := l.First, l.Start
	if start == nil {
		start = l.Arrive
	}
	if first == nil {
		first = l.End
	}
	if !(*l.Arrive <= *start && *start <= *first && *first <= *l.End) || *l.End-*l.Arrive > maxTimeMS/1000 {
		return fmt.Errorf("request arrives at %g, starts at %g, has its first unit at %g and ends at %g: out of order",
			*l.Arrive, *start, *first, *l.End)
	}
	before := func(t float64) time.Duration { return -time.Duration((*l.End - t) * float64(time.Second)) }
	e.Arrive, e.Start, e.First = before(*l.Arrive), before(*start), before(*first)
	for _, n := range []struct {
		name string
		from *float64
		to   *int
	}{{"in", l.In, &e.In}, {"out", l.Out, &e.Out}} {
		if n.from != nil {
			if err := counted(n.name, n.from, 0, n.to); err != nil {
				return err
			}
		}
	}
	return counted("n", l.N, 1, &e.N)
}

// helloKeys are the keys of a hello that are kept.
var helloKeys = strings.Fields("protocol kind unit runtime precision " +
	"workload model dataset samples batch_size num_workers prefetch epochs " +
	"storage os jetpack cuda framework reference_time load")

func info(raw []byte) map[string]string {
	var all map[string]any
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	out := map[string]string{}
	for _, k := range helloKeys {
		switch v := all[k].(type) {
		case nil:
		case float64:
			out[k] = fmt.Sprintf("%.15g", v)
		default:
			out[k] = text.OneLine(fmt.Sprint(v))
		}
	}
	return out
}

// stamp sets the time of an event by the device's clock.
func stamp(e Event, now time.Duration) Event {
	e.T = now
	if e.Kind == Request { // its other times are distances from its end
		e.Arrive, e.Start, e.First = e.Arrive+now, e.Start+now, e.First+now
	}
	return e
}

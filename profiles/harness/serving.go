package harness

import (
	"errors"
	"fmt"
	"math"
	"time"

	"jtune/internal/text"
)

// maxUnits is the largest number of units in a batch or request: tokens, frames, inferences.
const maxUnits = 1 << 20

// units reads a count of units that is at least min.
func units(name string, from *float64, min int, to *int) error {
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

// infer reads an executed batch.
func (l *line) infer(e *Event) error {
	if l.TimeMS == nil {
		return errors.New("infer without time_ms")
	}
	if *l.TimeMS == 0 {
		return errors.New("time_ms is 0")
	}
	e.Phase = text.OneLine(l.Phase)
	if err := l.epoch(e); err != nil {
		return err
	}
	e.Unclean = l.Clean != nil && !*l.Clean
	e.Complete()
	return units("n", l.N, 1, &e.N)
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
			if err := units(n.name, n.from, 0, n.to); err != nil {
				return err
			}
		}
	}
	return units("n", l.N, 1, &e.N)
}

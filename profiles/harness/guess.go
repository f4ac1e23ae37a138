package harness

import "time"

// guess reads the lines of a job of which it is not known how it tells its minibatches: events of the protocol, or one
// of the known progress bars. The first that finds a minibatch is right.
type guess struct {
	events  parser
	readers []reader
}

// guessed are the patterns that are tried, the most special first.
var guessed = []string{"ultralytics", "huggingface", "tqdm", "it/s"}

func newGuess() *guess {
	g := &guess{}
	for _, name := range guessed {
		r, err := newReader(name, nil)
		if err != nil {
			panic("harness: pattern " + name)
		}
		g.readers = append(g.readers, r)
	}
	return g
}

func (g *guess) read(line []byte, now time.Duration, whole bool) ([]Event, bool) {
	if len(line) > 0 && line[0] == '{' && whole {
		if e, err := g.events.parse(line); err == nil {
			at, _ := g.events.when(now, tailEvery)
			return []Event{stamp(e, at)}, true
		}
	}
	for _, r := range g.readers {
		events, ok := r.read(line, now, whole)
		if len(events) > 0 {
			g.readers = []reader{r}
		}
		if ok {
			return events, true
		}
	}
	return nil, false
}

package session

import (
	"strings"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/profiles/workload"
)

// runAdviser says in words what a run shows, and what the model of its workload on this
// board says of the knobs, as optimize.Advice does.
//
//	run ──► record.Character ──┐
//	pool ──► learn.Model ──────┴─► sentences
type runAdviser struct {
	workload string
	knobs    []string // by the model; nil: there is none, or it knows nothing of the mode
}

// runAdviser is one for the mode that the board is in.
func (s *Session) runAdviser(w workload.Workload) runAdviser {
	out := runAdviser{workload: w.Name}
	if s.host != nil { // it has no knobs
		out.knobs = []string{}
		return out
	}
	mode, pool := s.Setup().Mode, Pool{}
	var err error
	if pool, err = s.Pool(w, nil); err != nil || !mode.OK {
		return out
	}
	m, err := learn.Load(s.Options.modelOf(pool))
	if err != nil || !m.HasPower() || !m.CV.Known() || !m.Space.Contains(mode.V) {
		return out
	}
	for _, line := range optimize.Knobs(m, mode.V) {
		out.knobs = append(out.knobs, sentence(line))
	}
	return out
}

// of are the sentences about a run so far, the most important first.
func (a runAdviser) of(c record.Character) []string {
	lines := c.Advice()
	switch {
	case c.Bound() == record.BoundUnknown:
		return lines
	case a.knobs == nil:
		return append(lines, "What lower clocks or fewer cores would cost is not known: jtune tune "+a.workload+
			" measures it.")
	}
	return append(lines, a.knobs...)
}

// sentence begins a line with a capital and ends it.
func sentence(line string) string { return strings.ToUpper(line[:1]) + line[1:] + "." }

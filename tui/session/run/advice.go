package run

import (
	"strings"

	"jtune/internal/conclusion"
	"jtune/learn"
	"jtune/optimize/advice"
	"jtune/profiles/record"
	"jtune/profiles/record/remarks"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/models"
)

// adviser describes in sentences what a run shows, and what the workload's model on this board says about the knobs
// (optimize.Advice).
//
//	run ──► record.Character ──┐
//	pool ──► learn.Model ──────┴─► sentences
type adviser struct {
	workload string
	knobs    []string // from the model; nil: no model, or it does not cover the mode
}

// newAdviser returns an adviser for the board's present mode.
func newAdviser(s *session.Session, w workload.Workload) adviser {
	out := adviser{workload: w.Name}
	if s.Host() != nil { // a host has no knobs
		out.knobs = []string{}
		return out
	}
	mode := s.Setup().Mode
	m := modelOf(s, w)
	if m == nil || !mode.OK || !m.Space.Contains(mode.V) {
		return out
	}
	for _, line := range advice.Knobs(m, mode.V) {
		out.knobs = append(out.knobs, sentence(line))
	}
	return out
}

// modelOf returns the workload's model on this board: that of its batch size, else the model over batch sizes if these
// span it; nil if there is none with known errors.
func modelOf(s *session.Session, w workload.Workload) *learn.Model {
	for _, sizes := range [][]int{nil, {}} {
		pool, err := models.PoolOf(s, w, sizes)
		if err != nil {
			return nil
		}
		m, err := learn.Load(models.ModelOf(s.Options.Paths, pool))
		if err != nil || !m.HasPower() || !m.CV.Known() {
			continue
		}
		if over := m.Batches; len(over) == 1 || w.Batch >= over[0] && w.Batch <= over[len(over)-1] {
			return m.At(w.Batch)
		}
	}
	return nil
}

// of returns the sentences about a run so far, the most important first.
func (a adviser) of(c record.Character) []string {
	lines := remarks.About(&c)
	switch {
	case remarks.BoundOf(&c) == remarks.BoundUnknown:
		return lines
	case a.knobs == nil:
		return append(lines, "The cost of lower clocks or fewer cores is unknown: jtune tune "+a.workload+
			" measures it.")
	}
	return append(lines, a.knobs...)
}

// lazyLoading is the environment variable that turns CUDA's lazy loading on or off.
const lazyLoading = "CUDA_MODULE_LOADING"

// ignored are settings of a job that a virtual board does not simulate.
type ignored struct{ Simulated, NoGC, Loading bool }

var unsimulated = conclusion.New("run: settings without an effect", 4, func(i ignored) string {
	var what []string
	if i.NoGC {
		what = append(what, "Python's garbage collection")
	}
	if i.Loading {
		what = append(what, "lazy loading")
	}
	if !i.Simulated || what == nil {
		return ""
	}
	return "The virtual board does not simulate " + strings.Join(what, " or ") + ": energy and time with and without " +
		"it are " + conclusion.NotCompared + "."
})

// sentence capitalizes a line and adds a full stop.
func sentence(line string) string { return strings.ToUpper(line[:1]) + line[1:] + "." }

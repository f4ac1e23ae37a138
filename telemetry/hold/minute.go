package hold

import (
	"time"

	"jtune/tegra"
)

// minute is the energy of the last minute under load. A limit in watts is judged by it, as a minute's mean: a search
// keeps its limit in the mean too, and a single reading scatters by several percent around that. Batteries, supplies
// and heat sinks answer to the mean; what a supply must deliver at any moment is a limit in amperes.
type minute struct {
	parts []energy
	sum   energy
	mostW tegra.Val[float64] // the highest mean of a whole minute
}

// energy is what a reading adds: its power for the time since the one before.
type energy struct {
	at     time.Duration
	s      float64
	joules float64
}

const (
	judged = time.Minute
	// whole is how much of a minute was seen whose mean counts: readings come a little late.
	whole = 0.95
)

// add takes a reading that stands for the time since the last one.
func (m *minute) add(t, since time.Duration, watts tegra.Val[float64]) {
	for len(m.parts) > 0 && m.parts[0].at <= t-judged {
		m.sum.s, m.sum.joules = m.sum.s-m.parts[0].s, m.sum.joules-m.parts[0].joules
		m.parts = m.parts[1:]
	}
	if !watts.OK || since <= 0 || since > longGap {
		return
	}
	e := energy{t, since.Seconds(), watts.V * since.Seconds()}
	m.parts = append(m.parts, e)
	m.sum.s, m.sum.joules = m.sum.s+e.s, m.sum.joules+e.joules
	if w := m.mean(); m.sum.s >= whole*judged.Seconds() && (!m.mostW.OK || w > m.mostW.V) {
		m.mostW = tegra.Some(w)
	}
}

// mean returns the mean power of the last minute, or of the readings that there are.
func (m *minute) mean() float64 { return m.sum.joules / m.sum.s }

// most is the highest mean of a minute; before one is over, the mean so far.
func (m *minute) most() tegra.Val[float64] {
	if m.mostW.OK || m.sum.s == 0 {
		return m.mostW
	}
	return tegra.Some(m.mean())
}

// over reports whether the minute's energy exceeds a limit, whatever the rest of a minute that has just begun brings.
func (m *minute) over(limitW float64) bool {
	return m.sum.joules > limitW*judged.Seconds() || m.sum.s >= whole*judged.Seconds() && m.mean() > limitW
}

package hold

import (
	"time"

	"jtune/tegra"
)

// minute is the energy of the last minute under load. A limit in watts is compared with the mean of a minute, as in a
// search: single readings scatter by several percent, and batteries, supplies and heat sinks respond to the mean. To
// limit what a supply must deliver at any moment, set a limit in amperes.
type minute struct {
	parts []energy
	sum   energy
	mostW tegra.Val[float64] // the highest mean of a full minute
}

// energy is what a reading adds: its power times the interval since the previous one.
type energy struct {
	at     time.Duration
	s      float64
	joules float64
}

const (
	judged = time.Minute
	// whole is the share of a minute that must be covered for its mean to count: readings arrive a little late.
	whole = 0.95
)

// add takes a reading that covers the interval since the last one.
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

// mean returns the mean power of the last minute, or of the readings so far.
func (m *minute) mean() float64 { return m.sum.joules / m.sum.s }

// most returns the highest mean of a minute, or the mean so far during the first minute.
func (m *minute) most() tegra.Val[float64] {
	if m.mostW.OK || m.sum.s == 0 {
		return m.mostW
	}
	return tegra.Some(m.mean())
}

// over reports whether the minute's energy exceeds a limit, whatever the rest of an unfinished minute adds. Readings
// may cover a little more than a minute.
func (m *minute) over(limitW float64) bool {
	return m.sum.joules > limitW*max(judged.Seconds(), m.sum.s) ||
		m.sum.s >= whole*judged.Seconds() && m.mean() > limitW
}

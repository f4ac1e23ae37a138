package measure

import (
	"math"
	"testing"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/sessiontest"
)

// Known modes count among those of a design: only the best of them is measured again, and
// where that has moved the one farthest from it, which tells how the others count.
func TestDesignMeasuresKnownModesAgainOnlyToSeeDrift(t *testing.T) {
	t.Parallel()
	space := sessiontest.Fast(t).Device.Space()
	modes := space.Sample(8, 3)
	for name, c := range map[string]struct {
		moved     func(i int, m *tegra.Measured)
		broken    bool // the first mode measured again fails
		again     int
		steps     int
		moves     int
		leavesOut int
	}{
		"nothing has moved": {func(int, *tegra.Measured) {}, false, 1, 5, 0, 0},
		"all by as much": {func(_ int, m *tegra.Measured) {
			m.TimeMS, m.PowerW = m.TimeMS/1.4, m.PowerW/1.2
		}, false, 2, 6, 1, 0},
		"each by another": {func(i int, m *tegra.Measured) {
			m.TimeMS *= 0.3 + 0.3*math.Mod(0.618*float64(i), 1)
		}, false, 2, 12, 0, 1},
		"the best of them fails": {func(int, *tegra.Measured) {}, true, 2, 5, 0, 0},
	} {
		var known []tegra.Measured
		for i, m := range modes {
			row := sessiontest.PhysicsOf(t, "mobilenet", m)
			c.moved(i, &row)
			known = append(known, row)
		}
		rows := KnownRows{known, metric.Watts(30)}
		p := newDesignPlan(space, 12, 0, nil, rows)
		var done []record.Row
		again := 0
		for {
			step, ok := p.Next(done)
			if !ok || len(done) > 30 {
				break
			}
			for _, m := range modes {
				if step.Mode == m {
					again++
				}
			}
			row := record.Row{Status: record.OK, Measured: sessiontest.PhysicsOf(t, "mobilenet", step.Mode)}
			if c.broken && len(done) == 0 {
				row.Status = record.Failed
			}
			done = append(done, row)
			if n, _ := p.Len(); n < len(done) {
				t.Errorf("%s: step %d of %d", name, len(done), n)
			}
		}
		_, a := rows.With(done)
		if n, _ := p.Len(); n != len(done) || again != c.again || a.Moved != c.moves || a.LeftOut != c.leavesOut {
			t.Errorf("%s: %d steps of %d, %d known modes again, %+v; want %d, %d", name, len(done), n, again, a,
				c.steps, c.again)
		}
		if len(done) != c.steps {
			t.Errorf("%s: %d steps, want %d", name, len(done), c.steps)
		}
	}
}

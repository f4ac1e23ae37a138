package measure

import (
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/sessiontest"
)

// The plan of a design ends after its number of modes, failed ones among them, and foresees that number.
func TestDesignPlanMeasuresAsManyModesAsAsked(t *testing.T) {
	t.Parallel()
	p := newDesignPlan(tegra.PlacesOf(sessiontest.Fast(t).Device.Space(), nil), 5, 0)
	var done []record.Row
	for {
		step, ok := p.Next(done)
		if !ok || len(done) > 9 {
			break
		}
		row := record.Row{Status: record.OK, Measured: sessiontest.PhysicsOf(t, "mobilenet", step.Mode)}
		if len(done) == 1 {
			row.Status = record.Failed
		}
		done = append(done, row)
		if n, _ := p.Len(); n != 5 {
			t.Errorf("step %d of %d, want of 5", len(done), n)
		}
	}
	must.Equal(t, len(done), 5)
}

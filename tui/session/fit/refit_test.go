package fit

import (
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/sessiontest"
)

func TestRefitIsOfThisVersionAndNotOfTheDayOfTheModelBefore(t *testing.T) {
	o := sessiontest.LineOutlook(t)
	var samples []tegra.Measured
	for _, p := range o.Known {
		samples = append(samples, p.Measured)
	}
	from := learn.Provenance{Workload: "w", Jtune: "0.0.1", When: time.Unix(1, 0)}
	old := must.Get(learn.Fit(t.Context(), samples, learn.Options{Space: o.Model.Space, Provenance: from}))(t)
	m := must.Get(Refit(t.Context(), old, learn.Linear, ""))(t)
	if p := m.Provenance; m.Method != learn.Linear || p.Workload != "w" || p.Jtune != session.Version || p.Pool != "" ||
		time.Since(p.When) > time.Hour {
		t.Errorf("got a model by %s of %+v", m.Method, p)
	}
}

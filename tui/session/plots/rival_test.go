package plots

import (
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
)

// Two methods over one cloud: each front is the method's own, and what is observed is what was measured.
func TestRivalsHaveFrontsAndChoicesOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin"})
	truth := func(m tegra.Mode) tegra.Measured {
		ms, w, err := s.Virtual.Truth("lstm", m)
		must.NoError(t, err)
		return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w}
	}
	var rows, all []tegra.Measured
	for i, m := range s.Device.Space().Grid().Sample(60, 1) {
		if all = append(all, truth(m)); i < 12 {
			rows = append(rows, truth(m))
		}
	}
	from := learn.Provenance{Workload: "lstm", Device: "AGX Orin", Virtual: true}
	fit := func(method learn.Method) *learn.Model {
		m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: s.Device.Space(), Method: method, SkipCV: true,
			Provenance: from}))(t)
		return m
	}
	gp, tree := fit(learn.GP), fit(learn.Tree)
	other := *tree
	other.Provenance.Workload = "bert"
	o := outlook.New("lstm", gp, gp.Space)
	rivals := Rivals(o, []models.Info{{Name: "tree", Model: tree}, {Name: "bert", Model: &other},
		{Name: "same", Model: gp}})
	if len(rivals) != 2 || rivals[0].Name != "gp" || rivals[1].Name != "tree" {
		t.Fatalf("%d rivals, want gp and tree", len(rivals))
	}
	observed := Observed(o, rivals, all)
	must.Equal(t, len(observed), len(all))
	limit := metric.Watts(20)
	for i, r := range Readouts(rivals, observed, limit) {
		m := rivals[i].Model
		must.Equal(t, r.Predicted.TimeMS, m.Predict([]tegra.Mode{r.Predicted.Mode})[0].TimeMS, r.Name, r)
		chosen := outlook.New("lstm", m, m.Space)
		if at, err := chosen.Choose(limit); r.Predicted.Mode != chosen.Known[at].Mode || r.Met != (err == nil) {
			t.Errorf("%s: its choice is %+v, that of choose %v, %v", r.Name, r, chosen.Known[at].Mode, err)
		}
		if got, ok := observed[r.Predicted.Mode]; ok != r.Observed.OK || ok && got != r.Observed.V {
			t.Errorf("%s: observed %v, want %v", r.Name, r.Observed, got)
		}
	}
	f := RivalCloud(o, 0, limit, rivals, observed)
	names := map[string]int{}
	for _, series := range f.Panels[0].Series {
		names[series.Name] = len(series.Points)
	}
	if names["gp pred"] != len(rivals[0].Front(0)) || names["tree pred"] != len(rivals[1].Front(0)) ||
		len(f.Notes) < 2 || !f.Virtual {
		t.Errorf("got series %v and notes %v", names, f.Notes)
	}
}

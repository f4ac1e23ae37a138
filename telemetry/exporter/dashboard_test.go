package exporter_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"jtune/internal/must"
)

// TestDashboardAsksForSeriesThatThereAre reads the dashboard of the package: every series and label of
// its queries is one that the exporter writes.
func TestDashboardAsksForSeriesThatThereAre(t *testing.T) {
	t.Parallel()
	data := must.Read(t, "../../packaging/grafana.json")
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	must.NoError(t, json.Unmarshal(data, &dashboard))
	source := must.Read(t, "exporter.go")
	var written []string
	for _, m := range regexp.MustCompile(`"([a-z]\w*)"`).FindAllSubmatch(source, -1) {
		written = append(written, string(m[1]))
	}
	asked := 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`(jetson|jtune)_\w+`).FindAllString(target.Expr, -1) {
				asked++
				if !slices.Contains(written, name) {
					t.Errorf("%s asks for %s, which nothing writes", p.Title, name)
				}
			}
			for _, m := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				if m[1] != "instance" && !slices.Contains(written, m[1]) {
					t.Errorf("%s names label %s, which nothing writes", p.Title, m[1])
				}
			}
		}
	}
	if asked < 15 {
		t.Errorf("%d series were found: that is not the whole dashboard", asked)
	}
}

package exporter_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/telemetry/exporter"
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

var joules = regexp.MustCompile(`(?m)^jetson_energy_joules_total (\S+)$`)

// TestExporterOfThirtyDays writes a page each 15 s of a virtual board's clock, for 30 days in the long form, else for
// half an hour: the energy is the power times the time, and nothing grows.
func TestExporterOfThirtyDays(t *testing.T) { // not parallel: it measures the process
	span := 30 * time.Minute
	if os.Getenv("JTUNE_LONG") != "" {
		span = 30 * 24 * time.Hour
	}
	device, sampler, clock := simulated(t)
	e := exporter.New(exporter.Source{Device: device, Sampler: sampler})
	e.Begin()
	defer e.End()
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	begun, first, pages := clock.Now(), 0.0, 0
	for ; clock.Now()-begun < span; pages++ {
		must.NoError(t, clock.Sleep(t.Context(), exporter.FileEvery))
		must.NoError(t, e.Write(io.Discard))
		if pages == 100 {
			first = heap()
		}
	}
	m := joules.FindStringSubmatch(written(t, e))
	if m == nil {
		t.Fatal("no energy")
	}
	energy := must.Get(strconv.ParseFloat(m[1], 64))(t)
	r := must.Get(device.Read())(t)
	want, last := r.TotalW.V*span.Seconds(), heap()
	t.Logf("%v in %d pages: %.0f J, at the last power %.0f J; heap %.1f MB after 100 pages, %.1f MB at the end", span,
		pages, energy, want, first, last)
	if math.Abs(energy/want-1) > 0.1 { // its power moves by a few percent
		t.Errorf("%.0f J in %v, want %.0f J", energy, span, want)
	}
	if last > first+1 {
		t.Errorf("the heap grew from %.1f to %.1f MB", first, last)
	}
}

package fit

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestCompareCampaignsConcludesByTheCommonModes(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "lstm"))(t)
	campaign := func(name string, times ...float64) campaigns.Campaign {
		h := campaigns.HeaderOf(s, w, record.PlanHeader{Kind: "sample", Modes: len(times)}, nil, record.Settings{})
		var rows []record.Row
		for i, m := range s.Device.Space().Sample(len(times), 2) {
			at := tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: times[i], PowerW: 20}
			rows = append(rows, record.Row{Measured: at, Status: record.OK})
		}
		return campaigns.Of(name, filepath.Join(t.TempDir(), name), h, rows)
	}
	early := campaign("early", 50, 60, 70)
	for name, c := range map[string]struct {
		later  campaigns.Campaign
		common int
		want   string
	}{
		"as before": {campaign("later", 50.5, 59.5, 70), 3, "No common drift"},
		"two of 3":  {campaign("later", 60, 72, 70), 3, "Single modes moved by up to 20 %, not all"},
		"slower":    {campaign("later", 55, 66, 77), 3, "the board has drifted since: 3 readings of 1 campaign"},
		"one mode":  {campaign("later", 55), 1, "repeat two modes"},
		"no mode":   {campaign("later"), 0, "nothing to compare"},
	} {
		got := CompareCampaigns(c.later, early)
		must.Equal(t, got.One.Name, "early", name)
		must.Equal(t, len(got.Common), c.common, name)
		must.Contain(t, strings.Join(got.Conclusion(), " "), c.want)
	}
	other := campaign("later", 50, 60)
	other.Header.Workload.Batch = 99
	must.Contain(t, strings.Join(CompareCampaigns(early, other).Conclusion(), " "), "no model",
		"batch size 16, then 99")
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

// fewRows writes n rows of a measured sweep, spread over it.
func fewRows(t *testing.T, shared string, n int) string {
	t.Helper()
	rows := sweeptest.Load(t, shared)
	var few []tegra.Measured
	for i := range n {
		few = append(few, rows[(2*i+1)*len(rows)/(2*n)*7%len(rows)])
	}
	path := filepath.Join(t.TempDir(), "few.csv")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	must.NoError(t, sweeptest.Write(f, few))
	return path
}

func TestFitOfMeasuredModesLeansOnTheReferenceItIsGiven(t *testing.T) {
	t.Parallel()
	samples := fewRows(t, sweeptest.MobileNet, 40)
	o := session.Options{Device: "replay:" + sweeptest.Shared(t, sweeptest.MobileNet),
		Paths: config.Paths{DataDir: t.TempDir()},
		Speed: math.Inf(1)}
	with, _, err := Fit(t.Context(), o, FitRequest{Samples: samples,
		Reference: sweeptest.Shared(t, sweeptest.ResNet)})
	must.NoError(t, err)
	must.Contain(t, with.Reference, "resnet_train")
	alone, _, err := Fit(t.Context(), o, FitRequest{Samples: samples})
	must.NoError(t, err)
	top := []tegra.Mode{alone.Space.Max()}
	if alone.Reference != "" || alone.Predict(top)[0] == with.Predict(top)[0] {
		t.Errorf("with none: reference %q, the same prediction %v", alone.Reference,
			alone.Predict(top)[0] == with.Predict(top)[0])
	}
	path := filepath.Join(t.TempDir(), "x.model")
	must.NoError(t, with.Save(path))
	got := must.Get(models.Load(o, path))(t)
	must.Equal(t, got.Predict(top)[0], with.Predict(top)[0])
	must.Equal(t, got.Reference, with.Reference)
	linear, _, err := Fit(t.Context(), o, FitRequest{Samples: samples, Method: learn.Linear})
	if err != nil || linear.Reference != "" || strings.Contains(strings.Join(linear.Warnings, ""), "reference") {
		t.Errorf("linear: reference %q, warnings %q, %v", linear.Reference, linear.Warnings, err)
	}
}

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

package fit

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/models"
)

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
	if !strings.Contains(with.Reference, "resnet_train") {
		t.Errorf("reference %q, warnings %q; want that of ResNet", with.Reference, with.Warnings)
	}
	alone, _, err := Fit(t.Context(), o, FitRequest{Samples: samples})
	must.NoError(t, err)
	top := []tegra.Mode{alone.Space.Max()}
	if alone.Reference != "" || alone.Predict(top)[0] == with.Predict(top)[0] {
		t.Errorf("with none: reference %q, the same prediction %v", alone.Reference,
			alone.Predict(top)[0] == with.Predict(top)[0])
	}
	path := filepath.Join(t.TempDir(), "x.model")
	must.NoError(t, with.Save(path))
	if got, err := models.Load(o, path); err != nil || got.Predict(top)[0] != with.Predict(top)[0] ||
		got.Reference != with.Reference {
		t.Errorf("after loading: %v, %v", got, err)
	}
	linear, _, err := Fit(t.Context(), o, FitRequest{Samples: samples, Method: learn.Linear})
	if err != nil || linear.Reference != "" || strings.Contains(strings.Join(linear.Warnings, ""), "reference") {
		t.Errorf("linear: reference %q, warnings %q, %v", linear.Reference, linear.Warnings, err)
	}
}

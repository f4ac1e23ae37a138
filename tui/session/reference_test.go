package session

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestReferenceIsTheShippedOneOnItsKindOfBoardUnlessNamed(t *testing.T) {
	t.Parallel()
	o := Options{Paths: Paths{DataDir: t.TempDir()}}
	orin := tegra.Board{Name: "AGX Orin", Module: "p3701-0000"}
	simulated := orin
	simulated.Virtual = true
	for name, c := range map[string]struct {
		reference string
		board     tegra.Board
		want      bool
	}{
		"not named on an AGX Orin":      {"", orin, true},
		"not named on a simulated one":  {"", simulated, false},
		"not named on an Orin Nano":     {"", tegra.Board{Name: "Orin Nano"}, true},
		"not named on another board":    {"", tegra.Board{Name: "Orin NX 8GB"}, false},
		"a profile without one network": {"agx-orin-without-lstm", tegra.Board{}, true},
		"none on an AGX Orin":           {"none", orin, false},
		"named on another board":        {learn.ShippedName, tegra.Board{Name: "Orin Nano"}, true},
		"named where no board is known": {learn.ShippedName, tegra.Board{}, true},
	} {
		r, err := o.reference(c.reference, c.board, nil)
		if err != nil || (r != nil) != c.want || r != nil && r.Compact == nil {
			t.Errorf("%s: got %v, %v", name, r, err)
		}
	}
	if _, err := o.reference("resnet", orin, nil); !usage.Is(err) ||
		!strings.Contains(err.Error(), learn.ShippedName) {
		t.Errorf("an unknown name: got %v, want a usage error that names the shipped one", err)
	}
	if r, err := o.Reference(""); r != nil || err != nil {
		t.Errorf("no name where the board does not choose: got %v, %v", r, err)
	}
}

// fewRows writes n rows of a measured sweep, spread over it.
func fewRows(t *testing.T, shared string, n int) string {
	t.Helper()
	rows := sweeptest.Load(t, shared)
	var few []tegra.Measured
	for i := range n {
		few = append(few, rows[(2*i+1)*len(rows)/(2*n)*7%len(rows)])
	}
	path := filepath.Join(t.TempDir(), "few.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := sweeptest.Write(f, few); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFitOfMeasuredModesLeansOnTheShippedReference(t *testing.T) {
	t.Parallel()
	samples := fewRows(t, sweeptest.MobileNet, 40)
	o := Options{Device: "replay:" + sweeptest.Shared(t, sweeptest.MobileNet), Paths: Paths{DataDir: t.TempDir()},
		Speed: math.Inf(1)}
	with, _, err := Fit(t.Context(), o, FitRequest{Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(with.Reference, "agx-orin (shipped)") {
		t.Errorf("reference %q, warnings %q; want the shipped one", with.Reference, with.Warnings)
	}
	alone, _, err := Fit(t.Context(), o, FitRequest{Samples: samples, Reference: "none"})
	if err != nil {
		t.Fatal(err)
	}
	top := []tegra.Mode{alone.Space.Max()}
	if alone.Reference != "" || alone.Predict(top)[0] == with.Predict(top)[0] {
		t.Errorf("with none: reference %q, the same prediction %v", alone.Reference,
			alone.Predict(top)[0] == with.Predict(top)[0])
	}
	path := filepath.Join(t.TempDir(), "x.model")
	if err := with.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := o.LoadModel(path); err != nil || got.Predict(top)[0] != with.Predict(top)[0] ||
		got.Reference != with.Reference {
		t.Errorf("after loading: %v, %v", got, err)
	}
	for device, want := range map[string]bool{"virtual:agx-orin": false, "auto": true} {
		o.Device = device
		if m, _, err := Fit(t.Context(), o, FitRequest{Samples: samples}); err != nil || (m.Reference != "") != want ||
			!want && strings.Contains(strings.Join(m.Warnings, ""), "reference") {
			t.Errorf("%s: reference %q, warnings %q, %v; a simulated board that is named has quirks of its own", device,
				m.Reference, m.Warnings, err)
		}
	}
	linear, _, err := Fit(t.Context(), o, FitRequest{Samples: samples, Method: learn.Linear})
	if err != nil || linear.Reference != "" || strings.Contains(strings.Join(linear.Warnings, ""), "reference") {
		t.Errorf("linear: reference %q, warnings %q, %v", linear.Reference, linear.Warnings, err)
	}
}

// A campaign that is the reference is compared by its board and software, as a model is.
func TestReferenceOfACampaignIsComparedByBoardAndSoftware(t *testing.T) {
	t.Parallel()
	s := fast(t)
	w, err := s.Workload("lenet5")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "c")
	r := ProfileRequest{Measuring: Measuring{Workload: w, Dir: dir}, Sample: 3}
	if _, err := s.Profile(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	ref, err := loadReference(dir)
	if err != nil {
		t.Fatal(err)
	}
	if from := ref.Provenance; !strings.Contains(from.Software, "L4T 35.1") || from.Device == "" || !from.Virtual {
		t.Errorf("the reference is of %+v", from)
	}
}

package session

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"jtune/tegra"
)

// energyOn runs an energy study on a fast virtual board.
func energyOn(t *testing.T, s *Session, name string) EnergyReport {
	t.Helper()
	w, err := s.Workload(name)
	if err != nil {
		t.Fatal(err)
	}
	r := EnergyRequest{Workload: w.AtBatch(1), Dir: filepath.Join(t.TempDir(), "energy"),
		Governors: []tegra.Governors{{CPU: "ondemand"}}, Batches: []int{16}}
	out, err := s.EnergyStudy(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEnergyStudyOnAVirtualNano(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Device: "virtual:nano", Speed: math.Inf(1)})
	r := energyOn(t, s, "mobilenet-infer")
	var b bytes.Buffer
	r.Text(&b)
	t.Log(b.String())
	b.Reset()
	r.CSV(&b)
	t.Log(b.String())
}

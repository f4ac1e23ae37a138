package boards

import "testing"

// Numbers of modes as published for the boards of the papers; unknown values stay unknown.
func TestCatalogueHasTheFactsOfTheTrees(t *testing.T) {
	t.Parallel()
	want := map[string]int{"AGX Orin 32GB (first kit)": 18096, "AGX Xavier": 29232, "Xavier NX": 18000,
		"Orin Nano 8GB": 1800, "Orin Nano 8GB Super": 4224, "TX2": 10296, "Nano": 1440, "RTX 3090": 0}
	seen := map[string]bool{}
	for _, d := range Catalogue() {
		if n, ok := want[d.Name]; ok && n != d.Modes {
			t.Errorf("%s has %d modes, want %d", d.Name, d.Modes, n)
		}
		if seen[d.Name] {
			t.Errorf("%s is listed twice", d.Name)
		}
		seen[d.Name] = true
		if d.Tree == "" && d.Stated == "" || d.Tree != "" && (d.Cores == 0 || !(d.CPUGHz > 0.9 && d.CPUGHz < 3) ||
			!(d.GPUGHz > 0.5 && d.GPUGHz < 2) || d.CUDA == 0) {
			t.Errorf("facts are missing: %+v", d)
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("%s is not listed", name)
		}
	}
}

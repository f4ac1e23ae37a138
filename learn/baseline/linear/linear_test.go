package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// xavier are the study's ten modes a to j of an AGX Xavier (its Table 3).
var xavier = map[string]tegra.Mode{
	"a": mode(4, 1200, 670, 1333),
	"b": mode(8, 1200, 670, 1333),
	"c": mode(8, 1200, 900, 1333),
	"d": mode(8, 1200, 900, 1600),
	"e": mode(8, 2100, 900, 1600),
	"f": mode(2, 2100, 900, 1600),
	"g": mode(8, 2265, 1377, 2133),
	"h": mode(8, 2265, 1377, 1066),
	"i": mode(8, 2265, 1377, 1333),
	"j": mode(8, 2265, 1377, 1600),
}

func mode(cores, cpu, gpu, mem int) tegra.Mode {
	return tegra.Mode{Cores: cores, CPU: tegra.Freq(cpu) * tegra.MHz, GPU: tegra.Freq(gpu) * tegra.MHz,
		EMC: tegra.Freq(mem) * tegra.MHz}
}

func modes(labels string) (out []tegra.Mode) {
	for _, l := range labels {
		out = append(out, xavier[string(l)])
	}
	return out
}

// epochs returns two epochs per mode, slightly apart, with the given mean time.
func epochs(list []tegra.Mode, timeS func(tegra.Mode) float64) (out []Epoch) {
	for _, m := range list {
		t := timeS(m)
		out = append(out, Epoch{m, t - 1, 20 * t}, Epoch{m, t + 1, 20 * t})
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// plane is linear in cores and MHz with known coefficients.
func plane(m tegra.Mode) float64 {
	return 900 - 0.1*m.CPU.MHz() - 12*float64(m.Cores) - 0.2*m.GPU.MHz() - 0.05*m.EMC.MHz()
}

func TestTimeModelFindsAPlaneFromEnoughModes(t *testing.T) {
	t.Parallel()
	got, err := FitTime(epochs(modes("abcdefgh"), plane))
	if err != nil || got.Warning() != "" || got.Rank != 4 {
		t.Fatalf("rank %d, warning %q, %v: want 4 and none", got.Rank, got.Warning(), err)
	}
	for k, want := range []float64{-12, -0.1, -0.2, -0.05} {
		near(t, "slope", got.Slope[k], want, 1e-9)
	}
	for label, m := range xavier {
		near(t, "mode "+label, got.TimeS(m), plane(m), 1e-8)
	}
}

// In e, f, i and j the CPU and the GPU move together (2100 with 900, 2265 with
// 1377): rank 3, and the least norm splits their joint effect 165 : 477.
func TestFitTimeCannotSeparateCPUAndGPUInTheStudysFourModes(t *testing.T) {
	t.Parallel()
	got := must.Get(FitTime(epochs(modes("efij"), plane)))(t)
	if got.Rank != 3 || got.Varied != 4 ||
		!strings.Contains(got.Warning(), "4 quantities varied in only 3 independent ways") ||
		!strings.Contains(got.Warning(), "cannot separate the effect of CPU from GPU") {
		t.Errorf("rank %d of %d, warning %q: want 3 of 4, and said", got.Rank, got.Varied, got.Warning())
	}
	cores, cpu, gpu, mem := got.Slope[0], got.Slope[1], got.Slope[2], got.Slope[3]
	near(t, "a : c", cpu/gpu, 165.0/477, 1e-9)
	joint := -0.1*165 - 0.2*477 // what going from e to j does, without memory
	near(t, "joint effect", 165*cpu+477*gpu, joint, 1e-8)
	near(t, "cores, which moved alone", cores, -12, 1e-9)
	near(t, "memory, which moved alone", mem, -0.05, 1e-9)
	for _, label := range "efij" {
		m := xavier[string(label)]
		near(t, "its own mode "+string(label), got.TimeS(m), plane(m), 1e-8)
	}
	// c has the GPU of e and another CPU: the wrong split shows
	if off := math.Abs(got.TimeS(xavier["c"]) - plane(xavier["c"])); off < 10 {
		t.Errorf("mode c is predicted within %.1f s although a and c are confounded", off)
	}
}

func TestUniversalEnergyModel(t *testing.T) {
	t.Parallel()
	joules := func(m tegra.Mode, s float64) float64 { return 100 + 15*s + 30*float64(m.Cores) + 0.5*m.GPU.MHz() }
	var all []Epoch
	for _, scale := range []float64{1, 2.5, 4} { // three workloads
		for _, m := range modes("abcdefghij") {
			s := scale * plane(m)
			all = append(all, Epoch{m, s, joules(m, s)})
		}
	}
	got, err := FitEnergy(all)
	if err != nil || got.Warning() != "" {
		t.Fatalf("%q, %v", got.Warning(), err)
	}
	// a workload and a time it has never seen
	m := mode(6, 1500, 1000, 1800)
	near(t, "energy", got.EnergyJ(m, 5000), joules(m, 5000), 1e-6)
	near(t, "watts per second of epoch", got.Slope[4], 15, 1e-9)
}

// Workloads that are planes but for one mode each: the best four avoid it.
func TestBestFourAreFoundAmongAll210(t *testing.T) {
	t.Parallel()
	list := modes("abcdefghij")
	var workloads [][]Epoch
	for _, spoiled := range []string{"a", "h", "c"} {
		workloads = append(workloads, epochs(list, func(m tegra.Mode) float64 {
			if m == xavier[spoiled] {
				return plane(m) + 150
			}
			return plane(m)
		}))
	}
	got, err := BestModes(list, workloads, 4)
	if err != nil || got.Tried != 210 || len(got.Modes) != 4 {
		t.Fatalf("%d subsets, %d modes, %v: want 210 and 4", got.Tried, len(got.Modes), err)
	}
	for _, bad := range modes("ahc") {
		if slices.Contains(got.Modes, bad) {
			t.Errorf("the best four %v hold the spoiled %s", got.Modes, bad)
		}
	}
	// no other subset is better: checked without BestModes' own enumeration
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(1 << len(list)) {
		var subset []int
		for b := range list {
			if i>>b&1 == 1 {
				subset = append(subset, b)
			}
		}
		if len(subset) != 4 {
			continue
		}
		sum := 0.0
		for _, w := range workloads {
			byMode := make([][]Epoch, len(list))
			for j := range list {
				byMode[j] = w[2*j : 2*j+2]
			}
			rmse := must.Get(rmseFrom(byMode, subset))(t)
			sum += rmse
		}
		if sum < got.SumRMSE-1e-9 {
			t.Fatalf("subset %v has %v, the best has %v", subset, sum, got.SumRMSE)
		}
	}
}

// The study prints rounded clocks; the board lists its own.
func TestStudysModesAreFoundOnItsBoard(t *testing.T) {
	t.Parallel()
	kHz, hz := func(v ...tegra.Freq) []tegra.Freq {
		for i := range v {
			v[i] *= tegra.KHz
		}
		return v
	}, func(v ...tegra.Freq) []tegra.Freq { return v }
	space := must.Get(tegra.NewSpace([]int{1, 2, 3, 4, 5, 6, 7, 8}, kHz(115200, 1190400, 1574400, 2112000, 2265600),
		hz(114750000, 675750000, 905250000, 1377000000),
		hz(204000000, 1065600000, 1331200000, 1600000000, 2133000000)))(t)
	got, ok := StudyModes(space)
	if !ok || len(got) != 10 {
		t.Fatalf("%v, %t: want the ten", got, ok)
	}
	for i, m := range got {
		if !space.Contains(m) || slices.Contains(got[:i], m) {
			t.Errorf("mode %d, %v, is not the board's or stands twice", i, m)
		}
	}
	if want := (tegra.Mode{Cores: 2, CPU: 2112000 * tegra.KHz, GPU: 905250000, EMC: 1600 * tegra.MHz}); got[5] != want {
		t.Errorf("mode f: got %v, want %v", got[5], want)
	}
	small := must.Get(tegra.NewSpace([]int{1, 2}, kHz(1190400), hz(905250000), hz(1600000000)))(t)
	if _, ok := StudyModes(small); ok {
		t.Error("found on a board that lacks them")
	}
}

func TestBestModesOnPlanesIsExact(t *testing.T) {
	t.Parallel()
	list := modes("abcdefghij")
	got, err := BestModes(list, [][]Epoch{epochs(list, plane)}, 5)
	if err != nil || got.Tried != 252 || got.SumRMSE > 1e-8 {
		t.Errorf("five modes settle a plane: got error %v over %d subsets, %v", got.SumRMSE, got.Tried, err)
	}
}

func TestFitRefusesBadInput(t *testing.T) {
	t.Parallel()
	list := modes("abc")
	full := epochs(list, plane)
	for name, f := range map[string]func() error{
		"no rows":          func() error { _, err := Fit(nil, nil); return err },
		"a target too few": func() error { _, err := Fit([][]float64{{1}, {2}}, []float64{1}); return err },
		"rows of unequal length": func() error {
			_, err := Fit([][]float64{{1}, {2, 3}}, []float64{1, 2})
			return err
		},
		"a NaN input": func() error {
			_, err := Fit([][]float64{{1}, {math.NaN()}}, []float64{1, 2})
			return err
		},
		"an infinite target": func() error {
			_, err := Fit([][]float64{{1}, {2}}, []float64{1, math.Inf(1)})
			return err
		},
		"no epochs":                 func() error { _, err := FitTime(nil); return err },
		"more modes than there are": func() error { _, err := BestModes(list, [][]Epoch{full}, 4); return err },
		"no modes":                  func() error { _, err := BestModes(list, [][]Epoch{full}, 0); return err },
		"no workloads":              func() error { _, err := BestModes(list, nil, 2); return err },
		"a mode that was not measured": func() error {
			_, err := BestModes(modes("abcd"), [][]Epoch{full}, 2)
			return err
		},
		"far too many subsets": func() error {
			_, err := BestModes(make([]tegra.Mode, 100), [][]Epoch{full}, 50)
			return err
		},
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOneModeGivesItsMeanEverywhere(t *testing.T) {
	t.Parallel()
	got, err := FitTime(epochs(modes("a"), plane))
	if err != nil || got.Rank != 0 || got.Warning() != "" {
		t.Fatalf("rank %d, %q, %v", got.Rank, got.Warning(), err)
	}
	near(t, "another mode", got.TimeS(xavier["g"]), plane(xavier["a"]), 1e-9)
}

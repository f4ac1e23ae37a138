package main

import (
	"math"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual/physics"
)

// made is a model whose sweeps were made by the physics itself.
func made(t *testing.T) *model {
	t.Helper()
	m := &model{
		chip:      physics.On("agx-orin"),
		workloads: physics.Workloads(),
		measured:  map[string][]tegra.Measured{},
	}
	for _, f := range files {
		for _, cores := range []int{2, 4, 12} {
			for _, cpu := range []tegra.Freq{422400, 1190400, 2201600} {
				for _, gpu := range []tegra.Freq{114750, 624750, 1300500} {
					for _, emc := range []tegra.Freq{204000, 2133000, 3199000} {
						mode := tegra.Mode{
							Cores: cores,
							CPU:   cpu * tegra.KHz,
							GPU:   gpu * tegra.KHz,
							EMC:   emc * tegra.KHz,
						}
						s := m.workload(f.workload).Steady(m.chip, physics.At(mode))
						m.measured[f.workload] = append(
							m.measured[f.workload],
							tegra.Measured{
								Setting: tegra.Setting{Mode: mode},
								TimeMS:  s.TimeMS,
								PowerW:  s.Power.Total(),
							},
						)
					}
				}
			}
		}
	}
	return m
}

func TestFitFindsConstantsAgain(t *testing.T) {
	m := made(t)
	w := m.workload("resnet18")
	want := *w
	w.Kernel, w.Traffic, w.Fetch = 1.4*w.Kernel, 0.7*w.Traffic, 1.3*w.Fetch
	before := m.sweepLoss(timeMS, "resnet18")
	minimise(timeConstants(w), func() float64 { return m.sweepLoss(timeMS, "resnet18") }, tether, 60)
	after := m.sweepLoss(timeMS, "resnet18")
	if after > before/20 {
		t.Errorf("loss falls from %.4f to %.4f only", before, after)
	}
	for name, pair := range map[string][2]float64{"kernel": {w.Kernel, want.Kernel},
		"traffic": {w.Traffic, want.Traffic}} {
		if math.Abs(pair[0]/pair[1]-1) > 0.03 {
			t.Errorf("%s is %.2f after the fit, the data were made with %.2f", name, pair[0], pair[1])
		}
	}
}

func TestModelPrintsConstantsThatCanBeReadBack(t *testing.T) {
	m := made(t)
	var out strings.Builder
	m.print(&out)
	var got struct {
		Chip     []physics.Chip
		Workload []physics.Workload
	}
	if _, err := toml.Decode(out.String(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, out.String())
	}
	if len(got.Workload) != len(m.workloads) || got.Workload[0].Name != "resnet18" || got.Workload[0].Workers != 4 ||
		got.Workload[1].Older == nil || len(got.Chip) != 1 || len(got.Workload[0].Boards) != 2 ||
		math.Abs(got.Chip[0].GPU.Floor/m.chip.GPU.Floor-1) > 1e-3 {
		t.Errorf("read back %+v", got)
	}
}

func TestPhysicsComesNearTheRangesOfPublishedSweeps(t *testing.T) {
	for _, r := range ranges {
		w, _ := physics.Find(r.workload)
		ours := r.metric.of(w.Steady(physics.On("agx-orin"), physics.At(r.mode)))
		if math.Abs(ours/r.value-1) > r.tolerance {
			t.Errorf("%s in %s: %.1f %s, published %.1f ± %.0f %%", r.workload, r.mode, ours, r.metric, r.value,
				100*r.tolerance)
		}
	}
}

// The fit and `jtune research fidelity` see the same figures.
func TestPublishedAreTheFiguresOfFidelity(t *testing.T) {
	m := made(t)
	got := map[string]int{}
	for _, w := range m.workloads {
		for _, p := range m.published(w.Name) {
			got[w.Name]++
			if math.Abs(p.ours/p.value-1) > 0.13 {
				t.Errorf("%s: %.1f %s, published %.1f", p.at, p.ours, p.unit, p.value)
			}
		}
	}
	for name, n := range map[string]int{"resnet18": 5, "mobilenet": 1, "lstm": 1, "yolov8n": 4, "bert": 4} {
		if got[name] != n {
			t.Errorf("%s: %d published values, want %d", name, got[name], n)
		}
	}
}

func TestReportOfTheMeasuredSweeps(t *testing.T) {
	dir := sweeptest.Shared(t, "data/sweeps")
	var out strings.Builder
	if err := run([]string{"-sweeps", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"resnet18     4368", "mobilenet    4368", "lstm          441", "published"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
	if err := run([]string{"-sweeps", t.TempDir()}, &out); err == nil {
		t.Error("a folder without sweeps is accepted")
	}
}

package plots

import (
	"math"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// grid is what was measured of 24 modes: energy is least at 2 GHz of the CPU and the lower
// clock of the GPU.
func gridOutlook() *outlook.Outlook {
	var rows []tegra.Measured
	for _, cores := range []int{2, 4} {
		for cpu := range 4 {
			for gpu := range 3 {
				m := tegra.Mode{Cores: cores, CPU: tegra.Freq(cpu+1) * tegra.GHz, GPU: tegra.Freq(gpu+1) * tegra.GHz,
					EMC: 3 * tegra.GHz}
				power := 10 + math.Pow(float64(cpu-1), 2) + float64(gpu)
				rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 100, PowerW: power})
			}
		}
	}
	return outlook.Measured(rows, learn.Provenance{Workload: "x", Device: "AGX Orin", Virtual: true})
}

func TestOutlookHeatMapMarksTheLeastOfItsPlane(t *testing.T) {
	t.Parallel()
	o := gridOutlook()
	f := HeatMap(o, pareto.Energy, tegra.KnobCPU, tegra.KnobGPU, Largest(o), false)
	if n := len(f.Panels[0].Series[1].Points); n != 12 || len(f.Panels[0].Series[0].Points) != 0 || f.Lacks != "" {
		t.Errorf("%d measured cells of 12, %d predicted of none (%s)", n, len(f.Panels[0].Series[0].Points), f.Lacks)
	}
	least := f.Panels[0].Marks[0]
	if least.X != 2 || least.Y != 1 || least.V != 1 || !strings.Contains(strings.Join(f.Notes, "; "),
		"least: 1.00 J at 4c/2.00C/1.00G/3.00M; held: cores 4, EMC 3.00 GHz") {
		t.Errorf("least %+v, notes %q", least, f.Notes)
	}
	if !f.Virtual || !strings.Contains(f.Title, "VIRTUAL") {
		t.Errorf("%q is not marked as a simulation", f.Title)
	}
	missing := Largest(o)
	missing.EMC = tegra.GHz
	must.Contain(t, HeatMap(o, pareto.Time, tegra.KnobCPU, tegra.KnobGPU, missing, true).Lacks, "EMC 1.00 GHz")
}

func TestOutlookCurvesAscendAndHoldTheOthers(t *testing.T) {
	t.Parallel()
	o := gridOutlook()
	at := must.Get(ParseMode(o, "2c/3.00C/2.00G/3.00M"))(t)
	f := Curves(o, tegra.KnobCPU, at, metric.Watts(12), true)
	if len(f.Panels) != 3 || f.Panels[1].Limits[0].At != 12 || len(f.Panels[0].Limits) != 0 {
		t.Fatalf("panels %+v", f.Panels)
	}
	for i, want := range []float64{12, 11, 12, 15} {
		if p := f.Panels[1].Series[1].Points[i]; p.X != float64(i+1) || p.V != want {
			t.Errorf("power point %d: %+v, want %g W", i, p, want)
		}
	}
	if here := f.Panels[1].Marks[0]; here.X != 3 || here.V != 12 {
		t.Errorf("the present mode is marked at %+v", here)
	}
	f = Curves(o, tegra.KnobEMC, at, metric.Goal{}, false)
	must.Contain(t, f.Lacks, "EMC has only one value")
}

func TestRepeatsFigureBoxesWhatWasMeasuredAgain(t *testing.T) {
	t.Parallel()
	mode := func(cores int, ms, w float64) tegra.Measured {
		return tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores}}, TimeMS: ms, PowerW: w}
	}
	rows := []tegra.Measured{mode(1, 90, 20), mode(2, 50, 20), mode(1, 100, 20), mode(1, 120, 22)}
	f := RepeatsFigure(rows, learn.Provenance{})
	if len(f.Rows) != 1 || !strings.Contains(f.Rows[0], "×3") {
		t.Fatalf("rows %v, want one of three readings", f.Rows)
	}
	box := f.Panels[0].Series[0].Points[0]
	if math.Abs(box.Lo+10) > 1e-9 || math.Abs(box.Hi-20) > 1e-9 || box.V != 0 || math.Abs(box.Q3-10) > 1e-9 {
		t.Errorf("box %+v, want -10 to 20 %% about the median, upper quartile 10 %%", box)
	}
	if f := RepeatsFigure([]tegra.Measured{mode(1, 90, 20)}, learn.Provenance{}); f.Lacks == "" {
		t.Error("single readings lack nothing")
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

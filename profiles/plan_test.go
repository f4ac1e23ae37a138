package profiles

import (
	"slices"
	"testing"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

func TestPlanOrderFallsInCPUBatchesAndHasAsFewRaisesAsBatches(t *testing.T) {
	t.Parallel()
	grid := newRig(t, "resnet", virtual.Options{}).device.Space().Grid()
	got := slices.SortedFunc(slices.Values(grid.Modes()), inOrder)
	if len(got) != 4368 {
		t.Fatalf("%d modes, want the 4,368 of PowerTrain, section 2.5", len(got))
	}
	raised := 0
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		if b.CPU > a.CPU || b.CPU == a.CPU && b.GPU > a.GPU {
			t.Fatalf("%s after %s: clocks must fall inside a batch", b, a)
		}
		if Raises(a, b) {
			raised++
		}
	}
	// 14 batches of one CPU frequency: 13 raises.
	if raised != 13 || got[0] != (tegra.Mode{Cores: 2, CPU: grid.Max().CPU, GPU: grid.Max().GPU, EMC: grid.EMC[0]}) {
		t.Errorf("%d raises, first %s; want 13, from the highest clocks down", raised, got[0])
	}
}

func TestListPlanTakesEachModeOnce(t *testing.T) {
	t.Parallel()
	modes := newRig(t, "resnet", virtual.Options{}).device.Space().Sample(6, 1)
	p := listOf(slices.Concat(modes, modes[:2]))
	if n, known := p.Len(); n != 6 || !known {
		t.Errorf("length %d", n)
	}
	var done []record.Row
	for {
		step, ok := p.Next(done)
		if !ok {
			break
		}
		done = append(done,
			record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: step.Mode}}, Status: record.Failed})
		if len(done) > 6 {
			t.Fatal("a mode came twice")
		}
	}
	if len(done) != 6 {
		t.Errorf("%d modes, want 6", len(done))
	}
}

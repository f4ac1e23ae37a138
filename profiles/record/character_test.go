package record

import (
	"strings"
	"testing"

	"jtune/tegra"
)

var some = tegra.Some[float64]

// steadyPart is a part with these parts of a minibatch and loads in per cent.
func steadyPart(stall, compute, gpuPct, cpuPct float64) Part {
	return Part{
		Epochs:      1,
		Minibatches: 100,
		TimeMS:      stall + compute + 2,
		StallMS:     some(stall),
		ComputeMS:   some(compute),
		OverheadMS:  some(2),
		GPUPct:      some(gpuPct),
		CPUPct:      some(cpuPct),
	}
}

func TestCharacterAdviceFollowsWhatWasMeasured(t *testing.T) {
	withDisk := steadyPart(60, 38, 40, 30)
	withDisk.ReadBytesPerS = some(63e6)
	powered := steadyPart(1, 97, 98, 20)
	powered.PowerW = some(10)
	slower := steadyPart(1, 197, 98, 20)
	for _, c := range []struct {
		name  string
		of    Character
		bound Bound
		says  []string
	}{
		{
			"a large network that keeps the GPU busy",
			Character{All: steadyPart(1, 97, 98, 20)},
			BoundGPU,
			[]string{"GPU-bound: GPU busy 98 %, job waiting for data 1 % of the time."},
		},
		{
			"a GPU that works most of the time and waits for data in between",
			Character{All: steadyPart(13, 85, 93, 30), Workers: 4},
			BoundGPU,
			[]string{"GPU-bound: GPU busy 93 %, job waiting for data 13 % of the time (overlapping).\n",
				"jtune lab experiment workers measures"},
		},
		{
			"a GPU that is busy whenever it has data, and waits for these less than it works",
			Character{All: steadyPart(38, 60, 59, 30), Workers: 4},
			BoundGPU,
			[]string{"GPU-bound: GPU busy 59 %, job waiting for data 38 % of the time."},
		},
		{
			"a GPU that waits as long as it works, and a little longer",
			Character{All: steadyPart(50, 48, 48, 30), Workers: 4},
			BoundLoader,
			[]string{"Loader-bound: the job waits for data 50 % of the time."},
		},
		{
			"a job that reports its wait alone",
			Character{All: Part{Minibatches: 9, TimeMS: 10, StallMS: some(6)}},
			BoundLoader,
			[]string{"waits for data 60 %"},
		},
		{
			"a small network whose kernels the CPU cannot launch fast enough",
			Character{All: steadyPart(1, 17, 25, 20)},
			BoundCPU,
			[]string{"CPU-bound: the GPU is busy 25 %"},
		},
		{
			"a loader with too few workers",
			Character{All: steadyPart(60, 38, 40, 30), Workers: 1},
			BoundLoader,
			[]string{"waits for data 60 %",
				"30 % busy with workers = 1: jtune lab experiment workers measures"},
		},
		{
			"inference that waits for its input",
			Character{All: steadyPart(60, 38, 40, 30), Workers: 1, Serving: &Served{}},
			BoundLoader,
			[]string{"Input-bound: the job waits for its input 60 % of the time", "or faster cores."},
		},
		{
			"inference whose kernels the CPU cannot launch fast enough",
			Character{All: steadyPart(1, 17, 25, 20), Workers: 4, Serving: &Served{}},
			BoundCPU,
			[]string{"CPU-bound: the GPU is busy 25 %", "or more requests at a time"},
		},
		{
			"a loader whose cores are busy",
			Character{All: steadyPart(60, 38, 40, 93), Workers: 4},
			BoundLoader,
			[]string{"cores are 93 % busy with workers = 4: more workers find no free core"},
		},
		{
			"a job that loads by itself",
			Character{All: steadyPart(60, 38, 40, 30)},
			BoundLoader,
			[]string{"workers = 0"},
		},
		{
			"a job that loader processes break",
			Character{All: steadyPart(60, 38, 40, 30), LoaderFault: "with loader processes it meets a fault"},
			BoundLoader,
			[]string{"(workers = 0): with loader processes it meets a fault."},
		},
		{
			"data from the disk in every epoch",
			Character{All: withDisk, First: tegra.Some(withDisk), Later: tegra.Some(withDisk), Workers: 4,
				CacheAfter: some(0.4)},
			BoundLoader,
			[]string{"from the disk in every epoch, at 63 MB/s; 40 % of them are in memory: jtune lab " +
				"experiment cache"},
		},
		{
			"data from the disk in epoch 0, as always",
			Character{All: withDisk, First: tegra.Some(withDisk), Workers: 4, CacheAfter: some(0.4)},
			BoundLoader,
			[]string{"jtune lab experiment workers measures"},
		},
		{
			"data from the disk, loaded in the training process",
			Character{All: withDisk, First: tegra.Some(withDisk), Later: tegra.Some(withDisk), CacheAfter: some(0.4)},
			BoundLoader,
			[]string{"workers = 0"},
		},
		{
			"data from the disk, but all of them in memory by now",
			Character{All: withDisk, Workers: 4, CacheAfter: some(1)},
			BoundLoader,
			[]string{"jtune lab experiment workers measures"},
		},
		{
			"energy that is mostly the idle board's",
			Character{All: powered, BaseW: some(7)},
			BoundGPU,
			[]string{"GPU-bound: GPU busy", "70 % of the energy"},
		},
		{
			"a first epoch slower than the rest",
			Character{All: slower, First: tegra.Some(slower), Later: tegra.Some(steadyPart(1, 97, 98, 20))},
			BoundGPU,
			[]string{"GPU-bound: GPU busy", "The first epoch is 100 % slower"},
		},
		{
			"a dataset that does not stay in memory",
			Character{All: slower, First: tegra.Some(slower), Later: tegra.Some(slower), CacheAfter: some(0.06)},
			BoundGPU,
			[]string{"GPU-bound: GPU busy", "6 % of the dataset"},
		},
		{"a job that reports its times alone", Character{All: Part{Minibatches: 9, TimeMS: 10}}, BoundUnknown, nil},
		{"no run at all", Character{}, BoundUnknown, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.of.Bound(); got != c.bound {
				t.Errorf("bound by %q, want %q", got, c.bound)
			}
			got := strings.Join(c.of.Advice(), "\n")
			for _, want := range c.says {
				if !strings.Contains(got, want) {
					t.Errorf("advice lacks %q:\n%s", want, got)
				}
			}
			for _, claim := range []string{"can go down", "preload", "would help", "may help"} {
				if strings.Contains(got, claim) {
					t.Errorf("%q, which this run has not measured:\n%s", claim, got)
				}
			}
			if len(c.says) == 0 && got != "" {
				t.Errorf("advice out of nothing: %s", got)
			}
		})
	}
}

func TestCharacterBaseShareNeedsBothPowers(t *testing.T) {
	with := Character{All: Part{PowerW: some(20)}, BaseW: some(5)}
	if got := with.BaseShare(); got != some(0.25) {
		t.Errorf("base share %v, want 0.25", got)
	}
	for name, c := range map[string]Character{"no base": {All: Part{PowerW: some(20)}}, "no power": {BaseW: some(5)}} {
		if got := c.BaseShare(); got.OK {
			t.Errorf("%s: base share %v, want none", name, got)
		}
	}
}

package remarks

import (
	"strings"
	"testing"
	"time"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

var some = tegra.Some[float64]

// steadyPart is a part with these parts of a minibatch and loads in per cent.
func steadyPart(stall, compute, gpuPct, cpuPct float64) record.Part {
	return record.Part{Epochs: 1, Minibatches: 100, TimeMS: stall + compute + 2, StallMS: some(stall),
		ComputeMS: some(compute), OverheadMS: some(2), GPUPct: some(gpuPct), CPUPct: some(cpuPct)}
}

func TestRemarksFollowWhatWasMeasured(t *testing.T) {
	withDisk := steadyPart(60, 38, 40, 30)
	withDisk.ReadBytesPerS = some(63e6)
	powered := steadyPart(1, 97, 98, 20)
	powered.PowerW = some(10)
	slower := steadyPart(1, 197, 98, 20)
	for _, c := range []struct {
		name  string
		of    record.Character
		bound Bound
		says  []string
	}{
		{"a large network that keeps the GPU busy", record.Character{All: steadyPart(1, 97, 98, 20)}, BoundGPU,
			[]string{"GPU-bound: GPU busy 98 %, job waiting for data 1 % of the time."}},
		{
			"a GPU that works most of the time and waits for data in between",
			record.Character{All: steadyPart(13, 85, 93, 30), Workers: 4},
			BoundGPU,
			[]string{"GPU-bound: GPU busy 93 %, job waiting for data 13 % of the time (overlapping).\n",
				"jtune lab experiment workers measures"},
		},
		{"a GPU that is busy whenever it has data, and waits for these less than it works",
			record.Character{All: steadyPart(38, 60, 59, 30), Workers: 4}, BoundGPU,
			[]string{"GPU-bound: GPU busy 59 %, job waiting for data 38 % of the time."}},
		{"a GPU that waits as long as it works, and a little longer",
			record.Character{All: steadyPart(50, 48, 48, 30), Workers: 4}, BoundLoader,
			[]string{"Loader-bound: the job waits for data 50 % of the time."}},
		{"a job that reports its wait alone",
			record.Character{All: record.Part{Minibatches: 9, TimeMS: 10, StallMS: some(6)}}, BoundLoader,
			[]string{"waits for data 60 %"}},
		{"a small network whose kernels the CPU cannot launch fast enough",
			record.Character{All: steadyPart(1, 17, 25, 20)}, BoundCPU, []string{"CPU-bound: the GPU is busy 25 %"}},
		{
			"a loader with too few workers",
			record.Character{All: steadyPart(60, 38, 40, 30), Workers: 1},
			BoundLoader,
			[]string{"waits for data 60 %",
				"30 % busy with workers = 1: jtune lab experiment workers measures"},
		},
		{"inference that waits for its input",
			record.Character{All: steadyPart(60, 38, 40, 30), Workers: 1, Serving: &record.Served{}}, BoundLoader,
			[]string{"Input-bound: the job waits for its input 60 % of the time", "or faster cores."}},
		{"inference whose kernels the CPU cannot launch fast enough",
			record.Character{All: steadyPart(1, 17, 25, 20), Workers: 4, Serving: &record.Served{}}, BoundCPU,
			[]string{"CPU-bound: the GPU is busy 25 %", "or more requests at a time"}},
		{"a loader whose cores are busy", record.Character{All: steadyPart(60, 38, 40, 93), Workers: 4}, BoundLoader,
			[]string{"cores are 93 % busy with workers = 4: more workers find no free core"}},
		{"a job that loads by itself", record.Character{All: steadyPart(60, 38, 40, 30)}, BoundLoader,
			[]string{"workers = 0"}},
		{"a job that loader processes break",
			record.Character{All: steadyPart(60, 38, 40, 30), LoaderFault: "with loader processes it meets a fault"},
			BoundLoader, []string{"(workers = 0): with loader processes it meets a fault."}},
		{
			"data from the disk in every epoch",
			record.Character{All: withDisk, First: tegra.Some(withDisk), Later: tegra.Some(withDisk), Workers: 4,
				CacheAfter: some(0.4)},
			BoundLoader,
			[]string{"from the disk in every epoch, at 63 MB/s; 40 % of them are in memory: jtune lab " +
				"experiment cache"},
		},
		{"data from the disk in epoch 0, as always",
			record.Character{All: withDisk, First: tegra.Some(withDisk), Workers: 4, CacheAfter: some(0.4)},
			BoundLoader, []string{"jtune lab experiment workers measures"}},
		{
			"data from the disk, loaded in the training process",
			record.Character{All: withDisk, First: tegra.Some(withDisk), Later: tegra.Some(withDisk),
				CacheAfter: some(0.4)},
			BoundLoader,
			[]string{"workers = 0"},
		},
		{"data from the disk, but all of them in memory by now",
			record.Character{All: withDisk, Workers: 4, CacheAfter: some(1)}, BoundLoader,
			[]string{"jtune lab experiment workers measures"}},
		{"energy that is mostly the idle board's", record.Character{All: powered, BaseW: some(7)}, BoundGPU,
			[]string{"GPU-bound: GPU busy", "70 % of the energy"}},
		{"a first epoch slower than the rest",
			record.Character{All: slower, First: tegra.Some(slower), Later: tegra.Some(steadyPart(1, 97, 98, 20))},
			BoundGPU, []string{"GPU-bound: GPU busy", "The first epoch is 100 % slower"}},
		{
			"a dataset that does not stay in memory",
			record.Character{All: slower, First: tegra.Some(slower), Later: tegra.Some(slower), CacheAfter: some(0.06)},
			BoundGPU,
			[]string{"GPU-bound: GPU busy", "6 % of the dataset"},
		},
		{"a job that reports its times alone", record.Character{All: record.Part{Minibatches: 9, TimeMS: 10}},
			BoundUnknown, nil},
		{"no run at all", record.Character{}, BoundUnknown, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := BoundOf(&c.of); got != c.bound {
				t.Errorf("bound by %q, want %q", got, c.bound)
			}
			got := strings.Join(About(&c.of), "\n")
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

// The first epoch is reported as slower if it is by more than a twentieth, and both are known.
func TestAdviceSaysThatTheFirstEpochIsSlower(t *testing.T) {
	t.Parallel()
	at := func(ms float64) tegra.Val[record.Part] {
		return tegra.Some(record.Part{Epochs: 1, Minibatches: 100, TimeMS: ms})
	}
	for _, c := range []struct {
		first, later tegra.Val[record.Part]
		want         string
	}{
		{at(112), at(100), "The first epoch is 12 % slower"}, {at(105), at(100), ""}, {at(90), at(100), ""},
		{at(112), tegra.Val[record.Part]{V: record.Part{TimeMS: 100}}, ""},
		{tegra.Val[record.Part]{V: record.Part{TimeMS: 200}}, at(100), ""},
	} {
		got := strings.Join(About(&record.Character{All: c.later.V, First: c.first, Later: c.later}), "\n")
		if c.want == "" && strings.Contains(got, "first epoch") || !strings.Contains(got, c.want) {
			t.Errorf("%v and %v: %q", c.first.V.TimeMS, c.later.V.TimeMS, got)
		}
	}
}

// A wait of a tenth of the time is worth a remark, whatever limits the rest.
func TestAdviceRemarksALongWaitForDataOfAnyTraining(t *testing.T) {
	t.Parallel()
	for _, gpu := range []float64{90, 10} { // bound by the GPU, by the CPU
		for stall, want := range map[float64]bool{LongWait - 0.01: false, LongWait: true} {
			c := record.Character{Workers: 2, All: record.Part{Minibatches: 9, TimeMS: 1, StallMS: tegra.Some(stall),
				GPUPct: tegra.Some(gpu)}}
			if got := strings.Contains(strings.Join(About(&c), "\n"), "It has workers = 2"); got != want {
				t.Errorf("GPU %g %% busy, waiting %g of the time: %v in %q", gpu, stall, got, About(&c))
			}
		}
	}
}

func TestAdviceSaysThatTheDataDoNotStayInMemory(t *testing.T) {
	t.Parallel()
	for cached, want := range map[float64]bool{0.94: true, 0.95: false, 1: false} {
		c := record.Character{Later: tegra.Some(record.Part{Minibatches: 100}), CacheAfter: tegra.Some(cached)}
		if got := strings.Contains(strings.Join(About(&c), "\n"), "of the dataset are in memory"); got != want {
			t.Errorf("with %g of the data in memory: %v", cached, got)
		}
	}
}

func TestAdviceSaysWhenThePowerFell(t *testing.T) {
	t.Parallel()
	c := record.Character{Drop: tegra.Some(telemetry.PowerDrop{At: 90 * time.Minute, FromW: 31, ToW: 18})}
	if got := strings.Join(About(&c), "\n"); !strings.Contains(got, "After 90 min the measured power fell from 31.0 "+
		"to 18.0 W") {
		t.Errorf("got %q", got)
	}
}

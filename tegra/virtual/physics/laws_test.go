package physics

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// Laws that apply to an AGX Orin. If a law gives a magnitude, its tolerance is ours.

// steps are the values of a knob, ascending.
var (
	coreSteps = []int{1, 2, 3, 4, 5, 6, 8, 10, 12}
	cpuSteps  = []float64{0.1152, 0.2688, 0.4224, 0.7296, 1.1904, 1.6512, 1.9584, 2.2016}
	gpuSteps  = []float64{0.11475, 0.31875, 0.52275, 0.72675, 0.93075, 1.13475, 1.3005}
	emcSteps  = []float64{0.204, 0.6656, 2.133, 3.199}
)

func grid(visit func(Conditions)) {
	for _, n := range coreSteps {
		for _, c := range cpuSteps {
			for _, g := range gpuSteps {
				for _, m := range emcSteps {
					visit(Conditions{n, c, g, m})
				}
			}
		}
	}
}

// raised returns the conditions with one knob a step higher; false at its top.
func raised(c Conditions, knob int) (Conditions, bool) {
	up := func(list []float64, v *float64) bool {
		for _, x := range list {
			if x > *v {
				*v = x
				return true
			}
		}
		return false
	}
	switch knob {
	case 0:
		for _, n := range coreSteps {
			if n > c.Cores {
				c.Cores = n
				return c, true
			}
		}
		return c, false
	case 1:
		return c, up(cpuSteps, &c.CPU)
	case 2:
		return c, up(gpuSteps, &c.GPU)
	}
	return c, up(emcSteps, &c.EMC)
}

func TestPowerRisesWithEachKnob(t *testing.T) {
	// Faster memory also lets the GPU idle while it waits for a slow CPU, so power may fall on a step; in measured
	// sweeps it falls on 2 to 19 % of steps.
	const slack = 0.08
	for _, w := range Workloads() {
		grid(func(c Conditions) {
			now := w.Steady(On("agx-orin"), c)
			for knob := range 4 {
				if up, ok := raised(c, knob); ok {
					if then := w.Steady(On("agx-orin"), up); then.Power.Total() < now.Power.Total()*(1-slack) {
						t.Fatalf("%s: %v draws %.2f W, %v draws %.2f", w.Name, c, now.Power.Total(), up,
							then.Power.Total())
					}
				}
			}
		})
		top, bottom := w.Steady(On("agx-orin"), At(maxn)), w.Steady(On("agx-orin"), At(low))
		if top.Power.Total() < 1.5*bottom.Power.Total() {
			t.Errorf("%s: MAXN draws %.1f W, the lowest mode %.1f: hardly a difference", w.Name, top.Power.Total(),
				bottom.Power.Total())
		}
	}
}

func TestLawsKeepAMinibatchWholeAndFinite(t *testing.T) {
	for _, w := range Workloads() {
		for _, workers := range []int{0, 1, 4, 16} {
			w.Workers = workers
			grid(func(c Conditions) {
				s := w.Steady(On("agx-orin"), c)
				parts := s.StallMS + s.ComputeMS + s.OverheadMS
				switch {
				case !(s.TimeMS > 0) || math.IsInf(s.TimeMS, 0) || math.Abs(parts-s.TimeMS) > 1e-9*s.TimeMS:
					t.Fatalf("%s in %v: %.6f ms, parts add up to %.6f", w.Name, c, s.TimeMS, parts)
				case s.StallMS < 0 ||
					s.StallMS > s.HandMS+s.FetchMS*(1+1e-9)*max(1, float64(workers+1)/float64(c.Cores)):
					t.Fatalf("%s in %v: stall %.3f ms of a fetch of %.3f", w.Name, c, s.StallMS, s.FetchMS)
				case s.GPUBusy < 0 || s.GPUBusy > 1 || s.EMCBusy < 0 || s.EMCBusy > 1 || s.CPUBusy < 0 ||
					s.CPUBusy > float64(c.Cores):
					t.Fatalf("%s in %v: loads %.2f GPU, %.2f EMC, %.2f of %d cores", w.Name, c, s.GPUBusy, s.EMCBusy,
						s.CPUBusy, c.Cores)
				case !(s.Power.Total() > 5) || s.Power.Total() > 75 || s.Power.RAM > s.Power.Sys:
					t.Fatalf("%s in %v: power %+v", w.Name, c, s.Power)
				}
			})
		}
	}
}

func at(t *testing.T, name string) Workload {
	t.Helper()
	w, ok := Find(name)
	if !ok {
		t.Fatalf("no workload %s", name)
	}
	return w
}

func TestLawsOfPipeliningCutTheStallSharply(t *testing.T) { // law 3
	for _, name := range []string{"resnet18", "mobilenet", "lstm"} {
		w := at(t, name)
		w.Workers = 0
		alone := w.Steady(On("agx-orin"), At(maxn))
		w.Workers = 1
		one := w.Steady(On("agx-orin"), At(maxn))
		if one.TimeMS > 0.95*alone.TimeMS {
			t.Errorf("%s: %.1f ms with a loader process, %.1f without", name, one.TimeMS, alone.TimeMS)
		}
		if one.StallMS > alone.StallMS {
			t.Errorf("%s: stall rises from %.1f to %.1f ms with a loader process", name, alone.StallMS, one.StallMS)
		}
		// Law 5: energy usually falls or stays (LeNet on a Nano: +4.7 %), power rises.
		if energy := one.TimeMS * one.Power.Total() / (alone.TimeMS * alone.Power.Total()); energy > 1.05 {
			t.Errorf("%s: a loader process costs %.0f %% energy", name, 100*(energy-1))
		}
		if one.Power.Total() < alone.Power.Total() {
			t.Errorf("%s: power falls from %.1f to %.1f W with a loader process", name, alone.Power.Total(),
				one.Power.Total())
		}
	}
}

func TestWorkersHelpOnlyWhileFetchingExceedsCompute(t *testing.T) { // law 3
	for _, w := range Workloads() {
		last := math.Inf(1)
		for _, workers := range []int{1, 2, 4, 8} {
			w.Workers = workers
			s := w.Steady(On("agx-orin"), At(maxn))
			if s.StallMS > last+1e-9 {
				t.Errorf("%s: stall rises to %.3f ms with %d workers", w.Name, s.StallMS, workers)
			}
			last = s.StallMS
		}
		w.Workers = 4
		four := w.Steady(On("agx-orin"), At(maxn))
		w.Workers = 8
		eight := w.Steady(On("agx-orin"), At(maxn))
		if hidden := four.FetchMS/4 < 0.8*four.ComputeMS; hidden && eight.TimeMS < 0.98*four.TimeMS {
			t.Errorf("%s: loading is hidden behind compute, yet 8 workers make %.2f ms of %.2f", w.Name, eight.TimeMS,
				four.TimeMS)
		}
	}
}

func TestGPUClockScalesLargeNetworksOnly(t *testing.T) { // law 8
	ratio := func(name string) float64 {
		w := at(t, name)
		slow := Conditions{12, 2.2016, 0.52275, 3.199}
		return w.Steady(On("agx-orin"), slow).ComputeMS / w.Steady(On("agx-orin"), At(maxn)).ComputeMS
	}
	for _, name := range []string{"resnet18", "mobilenet", "bert", "vgg11"} {
		if r := ratio(name); r < 1.5 {
			t.Errorf("%s: compute takes %.2f times as long at 0.52 GHz as at 1.30", name, r)
		}
	}
	if r := ratio("lenet5"); r > 1.1 {
		t.Errorf("lenet5: compute takes %.2f times as long at 0.52 GHz, want insensitive", r)
	}
}

func TestLawsOfTheCPUClockAndTheCores(t *testing.T) { // law 9
	slow := Conditions{12, 0.7296, 1.3005, 3.199}
	few := Conditions{2, 0.7296, 1.3005, 3.199}
	for _, name := range []string{"resnet18", "mobilenet", "lenet5", "yolov8n"} {
		w := at(t, name)
		if a, b := w.Steady(On("agx-orin"), slow), w.Steady(On("agx-orin"), At(maxn)); a.StallMS < b.StallMS {
			t.Errorf("%s: stall %.2f ms at 0.73 GHz, %.2f at 2.20", name, a.StallMS, b.StallMS)
		}
		a, b := w.Steady(On("agx-orin"), few), w.Steady(On("agx-orin"), slow)
		if a.TimeMS < 1.05*b.TimeMS && w.Workers > 0 {
			t.Errorf("%s: %.1f ms on two cores, %.1f on twelve: no contention", name, a.TimeMS, b.TimeMS)
		}
	}
	lenet := at(t, "lenet5")
	if a, b := lenet.Steady(On("agx-orin"), slow), lenet.Steady(On("agx-orin"), At(maxn)); a.ComputeMS < 2*b.ComputeMS {
		t.Errorf("lenet5: compute %.2f ms at 0.73 GHz, %.2f at 2.20: kernel launch must count", a.ComputeMS,
			b.ComputeMS)
	}
	// About six processes: more cores gain little.
	for _, w := range Workloads() {
		six, twelve := Conditions{6, 2.2016, 1.3005, 3.199}, At(maxn)
		if a, b := w.Steady(On("agx-orin"), six).TimeMS, w.Steady(On("agx-orin"), twelve).TimeMS; a > 1.05*b {
			t.Errorf("%s: %.2f ms on six cores, %.2f on twelve", w.Name, a, b)
		}
	}
}

func TestMemoryClockAffectsComputeAndStall(t *testing.T) { // law 10
	for _, name := range []string{"mobilenet", "yolov8n", "lenet5"} {
		w := at(t, name)
		slow := Conditions{12, 2.2016, 1.3005, 0.6656}
		a, b := w.Steady(On("agx-orin"), slow), w.Steady(On("agx-orin"), At(maxn))
		if a.ComputeMS <= b.ComputeMS || a.FetchMS <= b.FetchMS {
			t.Errorf("%s: compute %.2f and %.2f, fetch %.2f and %.2f ms at 0.67 and 3.20 GHz", name, a.ComputeMS,
				b.ComputeMS, a.FetchMS, b.FetchMS)
		}
	}
}

func TestLargerMinibatches(t *testing.T) { // law 7
	for _, name := range []string{"resnet18", "mobilenet"} {
		w := at(t, name)
		var epochs, perBatch []float64
		for _, batch := range []int{1, 4, 16, 64} {
			s := w.Sized(batch)
			step := s.Steady(On("agx-orin"), At(maxn))
			epochs = append(epochs, step.TimeMS*float64(s.Minibatches(batch)))
			perBatch = append(perBatch, step.FetchMS)
		}
		if !(epochs[0] > 4*epochs[2] && epochs[1] > 1.5*epochs[2]) {
			t.Errorf("%s: epochs take %.0f, %.0f and %.0f ms at 1, 4 and 16: want a steep fall", name, epochs[0],
				epochs[1], epochs[2])
		}
		if epochs[3] < 0.75*epochs[2] {
			t.Errorf("%s: an epoch takes %.0f ms at 64, %.0f at 16: the GPU is full at 16", name, epochs[3], epochs[2])
		}
		for i := 1; i < len(perBatch); i++ {
			if perBatch[i] <= perBatch[i-1] {
				t.Errorf("%s: fetch per minibatch does not rise: %v", name, perBatch)
			}
		}
	}
}

func TestFitOfMAXNIsFastestAndWastesEnergy(t *testing.T) { // laws 11 and 12
	for _, name := range []string{"resnet18", "mobilenet", "lstm", "yolov8n"} {
		w := at(t, name)
		top := w.Steady(On("agx-orin"), At(maxn))
		least := math.Inf(1)
		grid(func(c Conditions) {
			s := w.Steady(On("agx-orin"), c)
			if s.TimeMS < top.TimeMS*(1-1e-9) {
				t.Errorf("%s: %v is faster than MAXN", name, c)
			}
			least = min(least, s.TimeMS*s.Power.Total())
		})
		if waste := top.TimeMS * top.Power.Total() / least; waste < 1.05 || waste > 2 {
			t.Errorf("%s: MAXN takes %.2f times the least energy", name, waste)
		}
	}
}

// A board that is slower in everything, CPU, memory, GPU and drive, stalls for the same share of a minibatch; one that
// is slower in one of them alone does not. Halved clocks are nearly that on an AGX Orin. On an AGX Xavier they are not:
// there its published figures make memory slower with the CPU's clock too (LeNet's compute and stall in modes d, e, g
// and h follow CPU and memory clock with exponents that add up to 1.4), so that halved clocks slow memory most.
func TestLawsOfTheStallDoNotFollowAbsoluteSpeed(t *testing.T) { // law 4
	const k = 2.5
	share := func(s Steps) float64 { return s.StallMS / s.TimeMS }
	slowCPU := func(c Chip) Chip {
		c.CPUSpeed, c.Latency = c.CPUSpeed/k, c.Latency*k
		return c
	}
	slowGPU := func(w Workload) Workload {
		w.Kernel, w.Traffic, w.Fixed = w.Kernel*k, w.Traffic*k, w.Fixed*k
		return w
	}
	for _, name := range []string{"agx-orin", "agx-xavier", "xavier-nx", "nano"} {
		chip := On(name)
		c := Conditions{Cores: 6, CPU: chip.TopCPU, GPU: chip.GPU.Top, EMC: 1.6}
		for _, w := range Workloads() {
			for _, workers := range []int{0, 1, 4} {
				w.Workers = workers
				drive := Reading{MS: 40, Queue: 0.23}
				slowDrive := Reading{MS: 40 * k, Queue: 0.23}
				s, slow := w.Run(chip, c, drive), slowGPU(w).Run(slowCPU(chip), c, slowDrive)
				if math.Abs(share(slow)-share(s)) > 1e-9 || math.Abs(slow.TimeMS/s.TimeMS-k) > 1e-9 {
					t.Errorf("%s on %s, %d workers: stall %.2f %% of %.1f ms, %.2f %% of %.1f ms where all is slower",
						w.Name, name, workers, 100*share(s), s.TimeMS, 100*share(slow), slow.TimeMS)
				}
				if gpu := slowGPU(w).Run(chip, c, drive); share(gpu) > share(s) {
					t.Errorf("%s on %s, %d workers: a slow GPU lets the stall rise from %.2f to %.2f %%", w.Name, name,
						workers, 100*share(s), 100*share(gpu))
				}
				if disk := w.Run(chip, c, slowDrive); share(disk) < share(s) {
					t.Errorf("%s on %s, %d workers: a slow drive lets the stall fall from %.2f to %.2f %%", w.Name,
						name, workers, 100*share(s), 100*share(disk))
				}
			}
		}
	}
	half := At(maxn)
	half.CPU, half.GPU, half.EMC = half.CPU/2, half.GPU/2, half.EMC/2
	for _, name := range []string{"resnet18", "mobilenet", "lenet5"} {
		for _, workers := range []int{0, 1, 4} {
			w := at(t, name)
			w.Workers = workers
			a, b := share(w.Steady(On("agx-orin"), At(maxn))), share(w.Steady(On("agx-orin"), half))
			if math.Abs(b-a) > 0.02 { // fixed times, and the system's own use of a slow CPU
				t.Errorf("%s, %d workers: stall %.1f %% in MAXN, %.1f with all clocks at half", name, workers, 100*a,
					100*b)
			}
		}
	}
}

// The roofline of a minibatch alone, arithmetic by the GPU's clock and traffic by the memory's, follows the latencies
// of four TensorRT engines on a TX2 at 52 pairs of clocks each. The four constants of an engine were fitted to them, so
// this tests the form.
func TestRooflineFollowsTheEnginesOfATX2(t *testing.T) {
	t.Parallel()
	f := must.Get(os.Open(sweeptest.Shared(t, "data/sweeps/jetson-dvfs-tx2/tx2_gpu_emc_latency_derived.csv")))(t)
	defer f.Close()
	rows := must.Get(csv.NewReader(f).ReadAll())(t)
	engines := map[string]Workload{
		"inception_v4": {Kernel: 77.8, Traffic: 60.4, Roofline: 2.70, Fixed: 2.35},
		"resnet":       {Kernel: 21.2, Traffic: 20.9, Roofline: 3.08, Fixed: 0.81},
		"tiny-yolov3":  {Kernel: 13.7, Traffic: 17.4, Roofline: 3.17, Fixed: 0.60},
		"vgg19":        {Kernel: 65.0, Traffic: 100.3, Roofline: 3.85, Fixed: 3.74},
	}
	unit := Chip{GPUScale: 1, MemScale: 1, CPUSpeed: 1, TopCPU: 1, Sharing: 1} // the constants are a TX2's own
	off, count := map[string]float64{}, map[string]int{}
	number := func(text string) float64 {
		return must.Get(strconv.ParseFloat(text, 64))(t)
	}
	for _, row := range rows[1:] {
		w, known := engines[row[0]]
		if !known {
			t.Fatalf("engine %s has no constants", row[0])
		}
		at := Conditions{Cores: 6, CPU: 2.0352, GPU: number(row[1]) / 1e9, EMC: number(row[2]) / 1e9}
		off[row[0]] += math.Abs(w.Steady(unit, at).ExecuteMS/number(row[3]) - 1)
		count[row[0]]++
	}
	for name := range engines {
		if mape := 100 * off[name] / float64(count[name]); count[name] != 52 || mape > 1 {
			t.Errorf("%s: MAPE %.2f %% over %d pairs of clocks, want at most 1 over 52", name, mape, count[name])
		} else {
			t.Logf("%s: MAPE %.2f %%", name, mape)
		}
	}
}

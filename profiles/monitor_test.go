package profiles

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
	"jtune/profiles/record"
	"jtune/profiles/record/remarks"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

// boardMonitor is a watch on a virtual board, whose clock it moves.
func boardMonitor(t *testing.T, w workload.Workload, s func(*virtual.Board, *tegra.Sysfs) System) (*Monitor,
	*virtual.Board) {
	t.Helper()
	b := must.Get(virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1)}))(t)
	dev := must.Get(b.Open())(t)
	t.Cleanup(func() { dev.Close() })
	return NewMonitor(w, dev, b.Clock(), s(b, dev), Base{PowerW: some(5)}), b
}

func kernelOf(b *virtual.Board, dev *tegra.Sysfs) System {
	return System{FS: b.FS(), Clocks: dev.ClockTimes, Disk: telemetry.NewDisk(b.FS()), Facts: []string{"L4T 35.1"}}
}

// sample is a reading at t with this power and loads, and clocks a little off
// the listed ones.
func sample(at time.Duration, watts, gpuPct float64) telemetry.Sample {
	clock := func(f tegra.Freq) tegra.ClockReading { return tegra.ClockReading{Actual: tegra.Some(f)} }
	gpu := clock(1300500*tegra.KHz - 2*tegra.MHz)
	gpu.LoadPct = some(gpuPct)
	return telemetry.Sample{
		T:     at,
		Valid: true,
		Reading: tegra.Reading{TotalW: some(watts), CPU: clock(2201600*tegra.KHz - tegra.MHz), GPU: gpu,
			EMC:     clock(3199 * tegra.MHz),
			Cores:   []tegra.CoreReading{{Online: true, LoadPct: some(50)}, {Online: true, LoadPct: some(30)}, {}},
			RAMUsed: tegra.Some[int64](4e9)},
	}
}

func about(v tegra.Val[float64], want float64) bool { return v.OK && math.Abs(v.V-want) < 1e-6 }

func step(w *Monitor, b *virtual.Board, t *testing.T, epoch, batch int, ms, stall float64) harness.Event {
	t.Helper()
	must.NoError(t, b.Clock().Sleep(t.Context(), time.Duration(ms*float64(time.Millisecond))))
	e := harness.Event{Kind: harness.Minibatch, T: b.Clock().Now(), Epoch: epoch, Batch: batch, TimeMS: ms,
		StallMS: some(stall), ComputeMS: some(ms - stall - 1), OverheadMS: some(1)}
	w.Sample(sample(e.T-time.Millisecond, 20, 60))
	return e
}

func TestMonitorTellsEpochZeroApart(t *testing.T) {
	t.Parallel()
	w, b := boardMonitor(t, workload.Workload{Name: "x", Batch: 4, Samples: 8, Workers: 3}, kernelOf)
	w.Event(harness.Event{Kind: harness.Hello,
		Info: map[string]string{"framework": "torch 2.0", "cuda": "11.4", "os": "none"}})
	w.Event(harness.Event{Kind: harness.Cache, Share: some(0.1)})
	w.Skip(step(w, b, t, 0, 0, 9000, 0)) // the first one never counts
	w.Minibatch(step(w, b, t, 0, 1, 300, 100))
	w.Minibatch(step(w, b, t, 1, 0, 100, 10))
	w.Minibatch(step(w, b, t, 2, 0, 200, 30))
	w.Event(harness.Event{Kind: harness.Cache, Share: some(1)})
	c := w.Finish()

	if c.All.Minibatches != 3 || c.All.Epochs != 3 || c.All.TimeMS != 200 || math.Abs(c.All.StallMS.V-140.0/3) > 1e-6 ||
		c.All.Span != 600*time.Millisecond {
		t.Errorf("the whole run: %+v, want 3 minibatches of 200 ms in 3 epochs, stall 46.7", c.All)
	}
	if f := c.First; !f.OK || f.V.Minibatches != 1 || f.V.TimeMS != 300 {
		t.Errorf("epoch 0: %+v, want one minibatch of 300 ms", f)
	}
	if l := c.Later; !l.OK || l.V.Epochs != 2 || l.V.TimeMS != 150 || l.V.StallMS != some(20.0) {
		t.Errorf("epochs 1 and 2: %+v, want 150 ms with a stall of 20", l)
	}
	if p := c.Later.V; !about(p.PowerW, 20) || !about(p.EnergyJ, 3) || p.CPUPct != some(40.0) ||
		p.GPUPct != some(60.0) ||
		p.RAMBytes != some(4e9) {
		t.Errorf("power and loads: %+v, want 20 W, 3 J, CPU 40 %%, GPU 60 %%, 4 GB", p)
	}
	if len(c.Epochs) != 3 || c.Epochs[2].Epoch != 2 || c.Epochs[2].TimeMS != 200 {
		t.Errorf("single epochs: %+v", c.Epochs)
	}
	if !about(c.BaseShare(), 0.25) {
		t.Errorf("base share %v, want 5 of 20 W", c.BaseShare())
	}
	if c.EpochS(c.Steady()) != some(0.3) {
		t.Errorf("epoch of two minibatches %v, want 0.3 s", c.EpochS(c.Steady()))
	}
	w.Event(harness.Event{Kind: harness.Hello, Info: map[string]string{"samples": "10"}})
	if got := w.Character().PerEpoch; got != 3 {
		t.Errorf("%d minibatches of 4 in the job's own 10 samples, want 3", got)
	}
	if c.CacheBefore != some(0.1) || c.CacheAfter != some(1.0) {
		t.Errorf("page cache %v to %v, want what the job told", c.CacheBefore, c.CacheAfter)
	}
	if got, want := len(c.Versions), 3; got != want || c.Versions[1] != "torch 2.0" || c.Versions[2] != "CUDA 11.4" {
		t.Errorf("versions %q", c.Versions)
	}
	if !c.Uptime.OK || c.Disk != "all disks" || c.CPU.Source != telemetry.KernelCounted ||
		c.EMC.Source != telemetry.SampleCounted {
		t.Errorf("uptime %v, disk %q, CPU by %q, memory by %q", c.Uptime, c.Disk, c.CPU.Source, c.EMC.Source)
	}
}

// Without kernel counters our own samples tell, at the clock they mean.
func TestMonitorCountsClocksItself(t *testing.T) {
	t.Parallel()
	w, b := boardMonitor(t, workload.Workload{}, func(*virtual.Board, *tegra.Sysfs) System { return System{} })
	for i := range 3 {
		w.Minibatch(step(w, b, t, 0, i, 100, 1))
	}
	c := w.Finish()
	want := telemetry.ClockShare{Freq: 1300500 * tegra.KHz, Share: 1}
	if len(c.GPU.Shares) != 1 || c.GPU.Shares[0] != want || c.GPU.Source != telemetry.SampleCounted {
		t.Errorf("GPU %+v, want all time at the listed 1.30 GHz, by samples", c.GPU)
	}
	if c.All.ReadsPerS.OK || c.Uptime.OK || c.Disk != "" || c.CacheBefore.OK || c.CacheWhy == "" {
		t.Errorf("no source has disk, uptime and cache, yet %+v", c)
	}
}

// The kernel reports the page cache of a dataset on this machine.
func TestMonitorAsksTheKernelForTheDataset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, os.WriteFile(filepath.Join(dir, "data"), make([]byte, 1<<20), 0o644))
	data := must.Get(telemetry.ListDataset(dir))(t)
	sees := func(*virtual.Board, *tegra.Sysfs) System { return System{Data: data} }
	w, b := boardMonitor(t, workload.Workload{}, sees)
	w.Event(harness.Event{Kind: harness.Cache, Share: some(0.3)}) // the kernel knows better
	w.Minibatch(step(w, b, t, 0, 0, 100, 1))
	if c := w.Finish(); c.CacheBefore != some(1.0) || c.CacheAfter != some(1.0) {
		t.Errorf("page cache %v to %v, want all of a file just written", c.CacheBefore, c.CacheAfter)
	}
}

func TestUptimeIsReadOrAbsent(t *testing.T) {
	t.Parallel()
	if got := parseUptime("350735.47 234388.90\n"); got != tegra.Some(350735470*time.Millisecond) {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"", "x", "-5 1", "1e300 1", "NaN 1", "Inf"} {
		if got := parseUptime(text); got.OK {
			t.Errorf("%q is an uptime of %v", text, got.V)
		}
	}
}

func TestBaseLoadIsTheIdleBoardsPower(t *testing.T) {
	t.Parallel()
	_, b := boardMonitor(t, workload.Workload{}, kernelOf)
	dev := must.Get(b.Open())(t)
	defer dev.Close()
	load := func() (Base, error) {
		return BaseLoad(t.Context(), telemetry.NewSampler(dev, b.Clock()), b.Clock(), 5*time.Second, true)
	}
	idle, err := load()
	if err != nil || !(idle.PowerW.V >= 6 && idle.PowerW.V <= 9) { // a recorded idle AGX Orin draws 7 to 9 W
		t.Errorf("idle board: %v, %v; want 6 to 9 W", idle, err)
	}
	must.NoError(t, b.StartWorkload("resnet18", 16))
	if busy, err := load(); err != nil || busy.PowerW.OK || !strings.Contains(busy.Why, "busy before the job") {
		t.Errorf("a board that trains: base load %v, %v; want none", busy, err)
	}
}

func TestMonitorLongRunWhosePowerDropsAtTheSamePaceSaysSo(t *testing.T) {
	t.Parallel()
	w, b := boardMonitor(t, workload.Workload{Name: "x", Batch: 4}, kernelOf)
	for i := range 1800 { // an hour, two seconds a minibatch
		watts := 31.0
		if i >= 1200 {
			watts = 18
		}
		must.NoError(t, b.Clock().Sleep(t.Context(), 2*time.Second))
		now := b.Clock().Now()
		w.Sample(sample(now-time.Second, watts, 90))
		w.Minibatch(harness.Event{Kind: harness.Minibatch, T: now, Batch: i, TimeMS: 2000})
	}
	c := w.Character()
	if d := c.Drop; !d.OK || d.V.At < 38*time.Minute || d.V.At > 41*time.Minute || d.V.FromW != 31 || d.V.ToW != 18 {
		t.Errorf("%+v, want 31 to 18 W after 40 min", c.Drop)
	}
	if a := remarks.About(&c); len(a) == 0 || !strings.Contains(a[0], "fell from 31.0 to 18.0 W") {
		t.Errorf("advice %q", a)
	}
}

func TestMonitorInferenceJobTellsItsLatency(t *testing.T) {
	t.Parallel()
	for _, infer := range []bool{true, false} {
		w, b := boardMonitor(t, workload.Workload{Name: "x", Batch: 4, Torch: torch.Job{Infer: infer}}, kernelOf)
		for i := range 101 {
			w.Minibatch(step(w, b, t, 0, i, 21+float64(i), 20)) // compute is i ms
		}
		got := w.Character().Latency
		if got.OK != infer || infer && got.V != (record.Latency{P50: 50, P95: 95, P99: 99, N: 101}) {
			t.Errorf("infer %v: latency %+v", infer, got)
		}
	}
}

// Whole epochs are measured from the job's start to the end of the last one, whether the job reports the end, goes
// on, or ends by itself.
func TestBenchMeasuresWholeEpochs(t *testing.T) {
	t.Parallel()
	for name, tells := range map[string]struct{ epochEnds, goesOn bool }{
		"a job that reports its epochs' ends": {true, true}, "one that just goes on": {false, true},
		"one that ends by itself": {false, false},
	} {
		r := newRig(t, "resnet18", virtual.Options{})
		r.bench.Settings = record.Settings{Epochs: 2}
		count := 0
		r.bench.NewHarness = func(context.Context, int) (harness.Harness, error) {
			var waiting []harness.Event
			return &scripted{next: func(ctx context.Context) (harness.Event, error) {
				if len(waiting) > 0 {
					e := waiting[0]
					waiting = waiting[1:]
					return e, nil
				}
				epoch, batch := count/4, count%4
				if epoch == 2 && !tells.goesOn {
					return harness.Event{}, io.EOF
				}
				if err := r.board.Clock().Sleep(ctx, time.Second); err != nil {
					return harness.Event{}, err
				}
				count++
				e := harness.Event{Kind: harness.Minibatch, T: r.board.Clock().Now(), Epoch: epoch, Batch: batch,
					TimeMS: 1000}
				if batch == 3 && tells.epochEnds {
					waiting = append(waiting, harness.Event{Kind: harness.EpochEnd, T: e.T, Epoch: epoch})
				}
				return e, nil
			}}, nil
		}
		row := r.mustMeasure(t, r.device.Space().Max())
		if row.Status != record.OK || row.Minibatches != 7 || row.Character == nil {
			t.Fatalf("%s: %s (%s) with %d minibatches, want 7 of two epochs of 4, the first left out", name,
				row.Status, row.Why, row.Minibatches)
		}
		if c := row.Character; c.First.V.Minibatches != 3 || c.Later.V.Minibatches != 4 || !c.Later.V.PowerW.OK {
			t.Errorf("%s: epoch 0 has %d, the next %d minibatches, power %v", name, c.First.V.Minibatches,
				c.Later.V.Minibatches, c.Later.V.PowerW)
		}
	}
}

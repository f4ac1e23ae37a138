package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/boot"
	"jtune/telemetry"
	"jtune/tui/session"
)

// wallStart is the user's time in tests: a fixed afternoon.
var wallStart = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// fakeBoard is a device, its guard and a session in one, without physics: the
// law below answers for every mode. It counts what is written to it.
type fakeBoard struct {
	mu       sync.Mutex
	space    *tegra.Space
	now      tegra.Mode
	found    tegra.Mode
	before   tegra.Mode
	applies  int
	keeps    int
	reverts  int
	refuse   error
	stuck    bool // Apply succeeds but reads back something else
	tuneErr  error
	wait     chan struct{} // Tune waits for it between modes; nil: no waiting
	saved    map[string]*learn.Model
	speed    float64
	dir      string
	root     string // of the system whose boot is changed
	noBoot   error  // why it cannot be
	seconds  time.Duration
	readOnly bool
}

func newFakeBoard(t testing.TB) *fakeBoard {
	t.Helper()
	var cores []int
	for c := 1; c <= 12; c++ {
		cores = append(cores, c)
	}
	var cpu, gpu []tegra.Freq
	for k := range 28 {
		cpu = append(cpu, tegra.Freq(115200+76800*k)*tegra.KHz)
	}
	cpu = append(cpu, 2201600*tegra.KHz)
	for k := range 12 {
		gpu = append(gpu, tegra.Freq(114750+102000*k)*tegra.KHz)
	}
	gpu = append(gpu, 1300500*tegra.KHz)
	space, err := tegra.NewSpace(cores, cpu, gpu, []tegra.Freq{204 * tegra.MHz, 665600 * tegra.KHz, 2133 * tegra.MHz, 3199 * tegra.MHz})
	if err != nil {
		t.Fatal(err)
	}
	max := space.Max()
	return &fakeBoard{space: space, now: max, found: max, before: max, saved: map[string]*learn.Model{}, speed: 60, dir: t.TempDir(), root: t.TempDir(), seconds: 100 * time.Second}
}

// law is time and power of every mode: smooth, monotone, of the right size.
func law(m tegra.Mode) (timeMS, powerW float64) {
	g, c, e, n := m.GPU.GHz(), m.CPU.GHz(), m.EMC.GHz(), float64(m.Cores)
	timeMS = 30/g + 15/c + 20/e + 40/(n*c)
	powerW = 9 + 3*g + 14*g*g*min(1, 60/timeMS) + n*0.25*c*c + 1.5*e
	return timeMS, powerW
}

func (f *fakeBoard) Board() tegra.Board {
	return tegra.Board{Name: "AGX Orin", Model: "Jetson AGX Orin", Rails: []string{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"},
		TotalRule: "SUM:VDD_GPU_SOC,VDD_CPU_CV,VIN_SYS_5V0", TotalCovers: "module, not carrier board", Virtual: true}
}

func (f *fakeBoard) Space() *tegra.Space { return f.space }

func (f *fakeBoard) Presets() []tegra.Preset {
	s := f.space
	return []tegra.Preset{
		{ID: 0, Name: "MAXN", Mode: s.Max(), Default: true},
		{ID: 1, Name: "MODE_15W", Mode: tegra.Mode{Cores: 4, CPU: s.CPU[13], GPU: s.GPU[3], EMC: s.EMC[2]}, NeedsReboot: true},
		{ID: 2, Name: "MODE_30W", Mode: tegra.Mode{Cores: 8, CPU: s.CPU[21], GPU: s.GPU[5], EMC: s.EMC[3]}, NeedsReboot: true},
		{ID: 3, Name: "MODE_50W", Mode: tegra.Mode{Cores: 12, CPU: s.CPU[18], GPU: s.GPU[7], EMC: s.EMC[3]}},
	}
}

func (f *fakeBoard) Read() (tegra.Reading, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, watts := law(f.now)
	clock := func(now, cap tegra.Freq, load float64) tegra.ClockReading {
		return tegra.ClockReading{Actual: tegra.Some(now), Min: tegra.Some(now), Max: tegra.Some(now), Cap: tegra.Some(cap), LoadPct: tegra.Some(load)}
	}
	top := f.space.Max()
	r := tegra.Reading{T: f.seconds, TotalW: tegra.Some(watts), CPU: clock(f.now.CPU, top.CPU, 34), GPU: clock(f.now.GPU, top.GPU, 98), EMC: clock(f.now.EMC, top.EMC, 61),
		Temps: []tegra.TempReading{{Name: "cpu-thermal", C: 58}, {Name: "gpu-thermal", C: 61}, {Name: "tj-thermal", C: 63}}, TempsOff: []string{"cv0-thermal"},
		FanPct: tegra.Some(100.0), Throttled: tegra.Some(false), Heat: tegra.Some(false), OverCurrents: tegra.Some(int64(3)), RAMUsed: tegra.Some(int64(18.2e9)), RAMTotal: tegra.Some(int64(30.6e9)), RAMCached: tegra.Some(int64(2.8e9)),
		Mode: tegra.Some(f.now), Locked: tegra.Some(true),
		Rails: []tegra.RailReading{{Name: "VDD_GPU_SOC", PowerW: tegra.Some(watts * 0.56)}, {Name: "VDD_CPU_CV", PowerW: tegra.Some(watts * 0.19)}, {Name: "VIN_SYS_5V0"}}}
	for i := range 12 {
		c := tegra.CoreReading{Online: i < f.now.Cores}
		if c.Online {
			c.LoadPct, c.Freq = tegra.Some(float64((i*37)%100)), tegra.Some(f.now.CPU)
		}
		r.Cores = append(r.Cores, c)
	}
	return r, nil
}

// Clock of the board: it stands where the test puts it.
func (f *fakeBoard) Now() time.Duration                                  { return f.seconds }
func (f *fakeBoard) Wall() time.Time                                     { return wallStart }
func (f *fakeBoard) Sleep(ctx context.Context, _ time.Duration) error    { return ctx.Err() }
func (f *fakeBoard) Every(time.Duration, func(time.Duration)) (s func()) { return func() {} }
func (f *fakeBoard) Speed() float64                                      { f.mu.Lock(); defer f.mu.Unlock(); return f.speed }
func (f *fakeBoard) SetSpeed(x float64)                                  { f.mu.Lock(); defer f.mu.Unlock(); f.speed = x }

// Guard gives the board itself.
func (f *fakeBoard) Guard(context.Context) (tegra.Applier, error) {
	if f.readOnly {
		return nil, tegra.ErrPermission
	}
	return f, nil
}

func (f *fakeBoard) Apply(_ context.Context, r tegra.Request) (tegra.Applied, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applies++
	if f.refuse != nil {
		return tegra.Applied{Asked: r.Mode}, f.refuse
	}
	got := r.Mode
	if f.stuck {
		got = f.now
	}
	f.before, f.now = f.now, got
	return tegra.Applied{Asked: r.Mode, Actual: tegra.Some(got), Files: []tegra.KnobFile{
		{Knob: "GPU", Path: "/sys/fake/gpu", Asked: fmt.Sprint(int64(r.Mode.GPU)), Actual: fmt.Sprint(int64(got.GPU))}}}, nil
}

func (f *fakeBoard) Revert(context.Context) (tegra.Applied, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reverts++
	f.now = f.before
	return tegra.Applied{Actual: tegra.Some(f.now)}, nil
}

func (f *fakeBoard) Restore(context.Context) (tegra.Applied, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.found
	return tegra.Applied{Actual: tegra.Some(f.now)}, nil
}

func (f *fakeBoard) Keep(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keeps++
	f.found = f.now
	return nil
}

// Close restores as the guard does.
func (f *fakeBoard) Close() error { _, err := f.Restore(context.Background()); return err }

func (f *fakeBoard) mode() tegra.Mode { f.mu.Lock(); defer f.mu.Unlock(); return f.now }
func (f *fakeBoard) applied() int     { f.mu.Lock(); defer f.mu.Unlock(); return f.applies }

func (f *fakeBoard) Workloads() ([]profiles.Workload, error) {
	return []profiles.Workload{
		{Name: "resnet18", Model: "ResNet-18", Dataset: "ImageNet", Task: "image classification", Samples: 50000, Batch: 16, Workers: 4},
		{Name: "mobilenet", Model: "MobileNet v3", Dataset: "GLD23k", Task: "image classification", Samples: 23080, Batch: 16, Workers: 4},
		{Name: "bert", Model: "BERT base", Dataset: "SQuAD", Task: "question answering", Samples: 70000, Batch: 16, Workers: 4},
	}, nil
}

func (f *fakeBoard) DataDir() string { return f.dir }

// PlanBoot writes below the test's own folder, unless it is told that it may
// not.
func (f *fakeBoard) PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error) {
	text, err := boot.Unit{Program: "/usr/local/bin/jtune", Mode: f.space.Format(m), Flags: flags}.Text()
	return &session.BootUnit{Root: f.root, Text: text, Before: f.unit()}, errors.Join(err, f.noBoot)
}

// unit is what is written for the boot; "" for nothing.
func (f *fakeBoard) unit() string {
	text, err := os.ReadFile(filepath.Join(f.root, boot.Link)) // through the link: it must lead there
	if err != nil {
		return ""
	}
	return string(text)
}

func (f *fakeBoard) Models() ([]session.ModelInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []session.ModelInfo
	for name, m := range f.saved {
		out = append(out, session.ModelInfo{Name: name, Path: "/models/" + name, Model: m, Modified: wallStart.Add(-3 * time.Hour)})
	}
	return out, nil
}

func (f *fakeBoard) SaveModel(name string, m *learn.Model) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saved[name] = m
	return "/models/" + name, nil
}

func (f *fakeBoard) Run(ctx context.Context, r session.RunRequest, observe func(session.Event)) (session.RunResult, error) {
	t, _ := law(f.mode())
	for i := range 30 {
		observe(session.Event{Progress: &profiles.Progress{Phase: profiles.Measuring, Minibatch: i + 1, TimeMS: t * (1 + 0.02*math.Sin(float64(i)))},
			Minibatch: &harness.Event{Kind: harness.Minibatch, TimeMS: t, StallMS: tegra.Some(0.1 * t), ComputeMS: tegra.Some(0.85 * t), OverheadMS: tegra.Some(0.05 * t)}})
	}
	<-ctx.Done()
	return session.RunResult{Minibatches: 30, TimeMS: t, StallMS: tegra.Some(0.1 * t), ComputeMS: tegra.Some(0.85 * t), OverheadMS: tegra.Some(0.05 * t)}, nil
}

// samples are the modes that the fake tuner measures: a fixed spread.
func (f *fakeBoard) samples() []tegra.Measured {
	var out []tegra.Measured
	for _, m := range f.space.Sample(11, 7) {
		t, w := law(m)
		out = append(out, tegra.Measured{Mode: m, TimeMS: t * 1.01, PowerW: w * 0.99})
	}
	return out
}

// lawView predicts by the law itself.
func (f *fakeBoard) lawView(samples []tegra.Measured) *mapView {
	return mapOf("resnet18", f.fitted(samples), lawPredictor{}, samples, f.space)
}

// lawPredictor knows the law.
type lawPredictor struct{}

func (lawPredictor) Predict(modes []tegra.Mode) []learn.Prediction {
	var preds []learn.Prediction
	for _, mode := range modes {
		t, w := law(mode)
		preds = append(preds, learn.Prediction{Mode: mode, TimeMS: t, TimeLoMS: t * 0.95, TimeHiMS: t * 1.05, PowerW: w, PowerLoW: w * 0.97, PowerHiW: w * 1.03})
	}
	return preds
}

func (f *fakeBoard) fitted(samples []tegra.Measured) *learn.Model {
	return &learn.Model{Method: learn.GP, Space: f.space, Samples: samples, CV: learn.Errors{TimeMAPEPct: 4.1, PowerMAPEPct: 1.9, How: "leave-one-out"},
		Warnings: []string{"measured with another L4T than this board runs"}, Provenance: learn.Provenance{Device: "AGX Orin", Workload: "resnet18", Virtual: true}}
}

func (f *fakeBoard) Tune(ctx context.Context, r session.TuneRequest, observe func(session.Event)) (session.TuneResult, error) {
	var res session.TuneResult
	samples := f.samples()
	for i, s := range samples {
		if f.wait != nil {
			select {
			case <-f.wait:
			case <-ctx.Done():
			}
		}
		if err := errors.Join(ctx.Err(), r.Gate(ctx)); err != nil {
			return res, err
		}
		probe := optimize.Probe{Measured: s, Why: optimize.Improve, Feasible: r.Limit.Met(optimize.MeasuredPoint(s))}
		if i == 0 {
			probe.Why = optimize.Start
		}
		row := profiles.Row{Measured: s, Status: profiles.OK}
		observe(session.Event{Progress: &profiles.Progress{Phase: profiles.Finished, Step: profiles.Step{Mode: s.Mode}, Row: &row, Done: i + 1}})
		observe(session.Event{Probe: &probe})
		res.Probes = append(res.Probes, probe)
	}
	if f.tuneErr != nil {
		return res, f.tuneErr
	}
	view := f.lawView(nil)
	best := view.answer(r.Limit)
	t, w := law(f.space.At(best))
	res.Mode, res.Feasible, res.Verified = f.space.At(best), true, true
	res.Measured = tegra.Measured{Mode: res.Mode, TimeMS: t * 1.002, PowerW: w * 0.998}
	fitted, err := learn.Fit(context.Background(), append(samples, res.Measured), learn.Options{Space: f.space, Provenance: learn.Provenance{Device: "AGX Orin", Workload: r.Workload.Name, Virtual: true}})
	res.Fitted = fitted
	return res, err
}

func (f *fakeBoard) Profile(ctx context.Context, r session.ProfileRequest, observe func(session.Event)) (session.ProfileResult, error) {
	var res session.ProfileResult
	modes := r.List
	if r.Choose > 0 {
		modes = learn.Settings(f.space.Sample(r.Choose, 3), nil)
	}
	for _, m := range modes {
		if err := r.Gate(ctx); err != nil {
			return res, err
		}
		t, w := law(m.Mode)
		row := profiles.Row{Measured: tegra.Measured{Mode: m.Mode, Batch: m.Batch, TimeMS: t, PowerW: w}, Status: profiles.OK}
		observe(session.Event{Progress: &profiles.Progress{Phase: profiles.Finished, Row: &row}})
		res.Rows = append(res.Rows, row)
	}
	return res, nil
}

func (f *fakeBoard) Verify(_ context.Context, _ profiles.Workload, m tegra.Mode, observe func(session.Event)) (profiles.Row, error) {
	t, w := law(m)
	row := profiles.Row{Measured: tegra.Measured{Mode: m, TimeMS: t * 1.01, PowerW: w * 1.01}, Status: profiles.OK}
	observe(session.Event{Progress: &profiles.Progress{Phase: profiles.Finished, Row: &row}})
	return row, nil
}

var (
	_ host          = (*fakeBoard)(nil)
	_ tegra.Device  = (*fakeBoard)(nil)
	_ tegra.Applier = (*fakeBoard)(nil)
	_ tegra.Clock   = (*fakeBoard)(nil)
	_ rate          = (*fakeBoard)(nil)
)

// reading makes the message of two minutes of readings.
func (f *fakeBoard) reading() sampleMsg {
	var m sampleMsg
	for i := range 120 {
		r, _ := f.Read()
		r.T = f.seconds - time.Duration(119-i)*time.Second
		if i == 60 { // a sensor that did not answer once
			r.TotalW = tegra.Val[float64]{}
		} else {
			r.TotalW.V += 3 * math.Sin(float64(i)/9)
		}
		m.last = telemetry.Sample{T: r.T, Reading: r, Valid: true}
		m.samples = append(m.samples, m.last)
	}
	m.energyJ, m.cost = 31400, costReading{tegra.Some(0.3), tegra.Some(900.0)}
	m.gpu = gpuUse{asked: true, list: []tegra.GPUProcess{{PID: 7001, Name: "python3", Bytes: 1.9e9}, {PID: 6520, Name: "Xorg", Bytes: 20e6}}}
	return m
}

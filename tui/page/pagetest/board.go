package pagetest

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session/task"
)

// Start is the user's time in tests: a fixed afternoon.
var Start = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// Board is a device and what pages ask of a session, without physics: Law gives the result of every mode.
type Board struct {
	sync.Mutex
	space   *tegra.Space
	presets []tegra.Preset
	At      tegra.Mode        // that it is in
	Lacks   map[string]string // by workload name: why it cannot run
	Runs    string            // how workloads run; "": simulated
	Saved   map[string]*learn.Model
	speed   float64
	Dir     string        // data directory
	Elapsed time.Duration // the board's clock, which does not run
	acted   []string      // actions on campaigns, oldest first
}

// orin opens an AGX Orin once for all tests: they only read its space and presets.
var orin = sync.OnceValues(func() (tegra.Device, error) {
	board, err := virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1)})
	if err != nil {
		return nil, err
	}
	return board.Open()
})

// NewBoard returns an AGX Orin in MAXN.
func NewBoard(t testing.TB) *Board {
	t.Helper()
	device, err := orin()
	if err != nil {
		t.Fatal(err)
	}
	space := device.Space()
	max := space.Max()
	return &Board{space: space, presets: device.Presets(), At: max, Saved: map[string]*learn.Model{},
		speed: 60, Dir: t.TempDir(), Elapsed: 100 * time.Second}
}

// Law returns time and power of a mode: smooth, monotone and realistic.
func Law(m tegra.Mode) (timeMS, powerW float64) {
	g, c, e, n := m.GPU.GHz(), m.CPU.GHz(), m.EMC.GHz(), float64(m.Cores)
	timeMS = 30/g + 15/c + 20/e + 40/(n*c)
	powerW = 9 + 3*g + 14*g*g*min(1, 60/timeMS) + n*0.25*c*c + 1.5*e
	return timeMS, powerW
}

// Board returns the device's description.
func (f *Board) Board() tegra.Board {
	return tegra.Board{Name: "AGX Orin", Model: "Jetson AGX Orin",
		Rails:     []string{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"},
		TotalRule: "SUM:VDD_GPU_SOC,VDD_CPU_CV,VIN_SYS_5V0", TotalCovers: "module, not carrier board", Virtual: true}
}

// Space returns the 18,096 modes.
func (f *Board) Space() *tegra.Space { return f.space }

// Presets returns the four presets.
func (f *Board) Presets() []tegra.Preset { return f.presets }

// Read returns a reading by Law for the present mode.
func (f *Board) Read() (tegra.Reading, error) {
	f.Lock()
	defer f.Unlock()
	_, watts := Law(f.At)
	clock := func(now, cap tegra.Freq, load float64) tegra.ClockReading {
		return tegra.ClockReading{Actual: tegra.Some(now), Min: tegra.Some(now), Max: tegra.Some(now),
			Cap: tegra.Some(cap), LoadPct: tegra.Some(load)}
	}
	top := f.space.Max()
	r := tegra.Reading{T: f.Elapsed, TotalW: tegra.Some(watts), CPU: clock(f.At.CPU, top.CPU, 34),
		GPU: clock(f.At.GPU, top.GPU, 98), EMC: clock(f.At.EMC, top.EMC, 61),
		Temps: []tegra.TempReading{{Name: "cpu-thermal", C: 58}, {Name: "gpu-thermal", C: 61},
			{Name: "tj-thermal", C: 63}}, TempsOff: []string{"cv0-thermal"},
		FanPct: tegra.Some(100.0), Throttled: tegra.Some(false), Heat: tegra.Some(false),
		Signals: tegra.Signals{{Name: tegra.InstantCurrent, File: "oc3", Count: tegra.Some(int64(3))}},
		RAMUsed: tegra.Some(int64(18.2e9)), RAMTotal: tegra.Some(int64(30.6e9)), RAMCached: tegra.Some(int64(2.8e9)),
		Mode: tegra.Some(f.At), Locked: tegra.Some(true),
		Rails: []tegra.RailReading{{Name: "VDD_GPU_SOC", PowerW: tegra.Some(watts * 0.56)},
			{Name: "VDD_CPU_CV", PowerW: tegra.Some(watts * 0.19)}, {Name: "VIN_SYS_5V0"}}}
	for i := range 12 {
		c := tegra.CoreReading{Online: i < f.At.Cores}
		if c.Online {
			c.LoadPct, c.Freq = tegra.Some(float64((i*37)%100)), tegra.Some(f.At.CPU)
		}
		r.Cores = append(r.Cores, c)
	}
	r.CPU.LoadPct = meanLoad(r.Cores)
	return r, nil
}

// meanLoad returns the mean load of the online cores.
func meanLoad(cores []tegra.CoreReading) tegra.Val[float64] {
	var loads []float64
	for _, c := range cores {
		if c.LoadPct.OK {
			loads = append(loads, c.LoadPct.V)
		}
	}
	return tegra.Finite(stats.Mean(loads))
}

// Board is also its own clock, which the test sets.
func (f *Board) Now() time.Duration                                  { return f.Elapsed }
func (f *Board) Asleep() time.Duration                               { return 0 }
func (f *Board) Wall() time.Time                                     { return Start }
func (f *Board) Sleep(ctx context.Context, _ time.Duration) error    { return ctx.Err() }
func (f *Board) Every(time.Duration, func(time.Duration)) (s func()) { return func() {} }
func (f *Board) EveryNext(func() time.Duration, func(time.Duration)) (stop func()) {
	return func() {}
}

// Speed returns the speed of the clock.
func (f *Board) Speed() float64 {
	f.Lock()
	defer f.Unlock()
	return f.speed
}

// SetSpeed implements session.SpeedSetter.
func (f *Board) SetSpeed(x float64) {
	f.Lock()
	defer f.Unlock()
	f.speed = x
}

// Mode returns the present mode.
func (f *Board) Mode() tegra.Mode { f.Lock(); defer f.Unlock(); return f.At }

var (
	_ tegra.Device     = (*Board)(nil)
	_ tegra.Clock      = (*Board)(nil)
	_ task.SpeedSetter = (*Board)(nil)
)

package tui

import (
	"context"
	"math"
	"time"

	"jtune/learn"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// host is what the screens ask of a session.
type host interface {
	Guard(ctx context.Context) (tegra.Applier, error)
	Workloads() ([]profiles.Workload, error)
	Run(ctx context.Context, r session.RunRequest, observe func(session.Event)) (session.RunResult, error)
	Tune(ctx context.Context, r session.TuneRequest, observe func(session.Event)) (session.TuneResult, error)
	Profile(ctx context.Context, r session.ProfileRequest, observe func(session.Event)) (session.ProfileResult, error)
	Verify(ctx context.Context, w profiles.Workload, m tegra.Mode, observe func(session.Event)) (profiles.Row, error)
	Models() ([]session.ModelInfo, error)
	SaveModel(name string, m *learn.Model) (path string, err error)
	PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error)
	DataDir() string
}

var _ host = (*session.Session)(nil)

// rate is a clock whose speed can be set: a virtual board's.
type rate interface {
	Speed() float64
	SetSpeed(x float64)
}

// deps is everything the screens stand on.
type deps struct {
	host
	device   tegra.Device
	sampler  *telemetry.Sampler // reads it
	files    tegra.FS           // the device's; nil where there are none
	clock    tegra.Clock
	effort   *session.Effort
	rate     rate // nil on real hardware
	readOnly bool
	workload string // preselected; "" for none
	sizes    []int  // minibatch sizes asked for, or that a replay has; nil where they are not several
	// takesSizes says why a workload's minibatch size cannot be chosen, or "".
	takesSizes func(w profiles.Workload) string
	notice     string // said at the start
	version    string
	glyphs     Glyphs
	sixteen    bool // colours, not 256
	colourless bool
	sudo       bool                         // starting the guard may ask for a password on the terminal
	aside      func(ask func() error) error // gives the terminal back meanwhile
	seed       uint64
	now        func() time.Time // the user's time, for countdowns
	// running lists the campaigns that other processes run; nil: not looked for.
	running func() []profiles.Running
	// introduced keeps that the user has done something here; nil: that was so
	// before this start.
	introduced func() error
	// gpuProcesses lists who uses the GPU, or why that is not told; nil where
	// nobody can be asked.
	gpuProcesses func() (list []tegra.GPUProcess, why string)
	// block writes a mode as the vendor's POWER_MODEL block; nil where that
	// cannot be done.
	block func(m tegra.Mode, name string) (string, error)
}

// speeds are the rates that < and > walk through.
var speeds = []float64{1, 2, 5, 10, 30, 60, 120, math.Inf(1)}

// faster gives the next rate up (or down) from now.
func faster(now float64, up bool) float64 {
	next := now
	for i := range speeds {
		if s := speeds[i]; up && s > now {
			return s
		}
		if s := speeds[len(speeds)-1-i]; !up && s < now {
			return s
		}
	}
	return next
}

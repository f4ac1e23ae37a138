package tui

import (
	"context"

	"jtune/internal/cpubudget"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/session/fleet"
	"jtune/tui/session/models"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// host is what the screens ask of a session.
type host interface {
	Guard(ctx context.Context) (tegra.Applier, error)
	Workloads() ([]workload.Workload, error)
	// Suggested is the one to begin with where none was chosen.
	Suggested(list []workload.Workload) string
	// JoinFrom makes a workload of a job that runs already.
	JoinFrom(w workload.Workload, from string) (workload.Workload, error)
	task.Measurer
	page.Session
	Models() ([]models.Info, error)
	DeletedModels() ([]models.Info, error)
	PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error)
	DataPath() string
	// RememberKept notes which mode was kept, for the command verify.
	RememberKept(m tegra.Mode)
}

// deps is everything the screens need.
type deps struct {
	host
	state     page.State         // as it is at the start
	sampler   *telemetry.Sampler // reads the device
	files     tegra.FS           // the device's; nil where there are none
	budget    *cpubudget.Budget  // nil: not ours to limit
	notice    string             // said at the start
	version   string
	seed      uint64 // of what is simulated
	theme     widget.Theme
	light     bool                         // the terminal's background, as far as its environment says
	sixteen   bool                         // colours, not 256
	sudo      bool                         // starting the guard may ask for a password on the terminal
	aside     func(ask func() error) error // gives the terminal back for that time
	panes     *fleet.Panes                 // the screens of other boards
	pane      string                       // this board's name where another machine shows these screens; "": none does
	campaigns task.Campaigns
	// fixedBatch says why a workload's batch size cannot be chosen; "" when it can.
	fixedBatch func(w workload.Workload) string
	// introduced keeps that the user has done something here; nil: that was so
	// before this start.
	introduced func() error
	// remembered keeps how the Tune dialog was answered; nil: that is not kept.
	remembered func(c search.Form) error
	// gpuProcesses lists who uses the GPU, or why that is unknown; nil where
	// nobody can be asked.
	gpuProcesses func() (list []tegra.GPUProcess, why string)
}

// watch begins to follow the device; written counts the bytes that the screens
// cost the line.
func (d *deps) watch(written func() int64) *telemetry.Watch {
	return telemetry.NewWatch(telemetry.WatchOptions{Sampler: d.sampler, Files: d.files, GPUProcesses: d.gpuProcesses,
		Written: written})
}

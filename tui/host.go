package tui

import (
	"context"
	"time"

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

// host is what the screens need of a session; board implements it.
type host interface {
	Guard(ctx context.Context) (tegra.Applier, error)
	Workloads() ([]workload.Workload, error)
	// Suggested returns the workload to preselect when none was chosen.
	Suggested(list []workload.Workload) string
	// JoinFrom makes a workload of a running job.
	JoinFrom(w workload.Workload, from string) (workload.Workload, error)
	task.Measurer
	page.Session
	Models() ([]models.Info, error)
	DeletedModels() ([]models.Info, error)
	PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error)
	DataPath() string
	// RememberKept records which mode is kept, absent: none, for the command verify and the watch over it.
	RememberKept(m tegra.Val[tegra.Mode], free bool)
	// LeftKept says that the board has left its kept mode, and since when; "" while it is in force.
	LeftKept(r tegra.Reading, since tegra.Val[time.Time]) string
}

// deps holds everything the screens need.
type deps struct {
	host
	state     page.State         // at the start
	device    tegra.Device       // its space and presets may grow once the guard has started
	sampler   *telemetry.Sampler // of the device
	files     tegra.FS           // the device's; nil if it has none
	budget    *cpubudget.Budget  // nil: CPU use is not limited
	notice    string             // shown at the start
	version   string
	seed      uint64 // of simulations
	theme     widget.Theme
	light     bool                         // the terminal's background is light, according to its environment
	sixteen   bool                         // 16 colours instead of 256
	sudo      bool                         // starting the guard may ask for a password on the terminal
	aside     func(ask func() error) error // releases the terminal while ask runs
	panes     *fleet.Panes                 // the screens of other boards
	pane      string                       // this board's name if another machine shows these screens; "": none does
	campaigns task.Campaigns
	// fixedBatch returns why a workload's batch size cannot be chosen; "" if it can.
	fixedBatch func(w workload.Workload) string
	// introduced records that the user has done something here; nil: an earlier start recorded it.
	introduced func() error
	tried      page.Intent // asks to keep a preset that came up after a reboot; nil: none
	// remembered saves the answers of the Tune dialog; nil: they are not saved.
	remembered func(c search.Form) error
	// gpuProcesses lists the processes on the GPU, or says why they are unknown; nil if there is no way to tell.
	gpuProcesses func() (list []tegra.GPUProcess, why string)
}

// watch begins to follow the device; written returns the bytes that the screens have sent to the terminal.
func (d *deps) watch(written func() int64) *telemetry.Watch {
	return telemetry.NewWatch(telemetry.WatchOptions{Sampler: d.sampler, Files: d.files, GPUProcesses: d.gpuProcesses,
		Written: written})
}

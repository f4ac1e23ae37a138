package measure

import (
	"context"
	"fmt"
	"path/filepath"

	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/harness/process"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/doctor"
	"jtune/tui/session/preflight"
	"jtune/tui/session/workloads"
)

// newBench builds a bench from guard, harness and device to measure modes with one workload.
func newBench(ctx context.Context, s *session.Session, w workload.Workload, set record.Settings,
	observe Observer) (*profiles.Bench, error) {
	g, err := s.Guard(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.Device.Read()
	if err != nil {
		return nil, err
	}
	for _, line := range preflight.Conditions(s, now) {
		observe.Note("note: " + line)
	}
	observe.Note(workloads.FanWarning(s, set.KeepFan), workloads.UptimeNote(s), workloads.LoaderNote(w),
		s.AwaitMeter(ctx))
	return &profiles.Bench{Device: s.Device, Sampler: s.Sampler, Applier: g, Clock: s.Clock,
		NewHarness: NewHarness(s, w, set, "", 0, 0), Workload: w, Settings: set,
		Observe: observe.Progress, System: doctor.System(s, w), Sources: preflight.Sources(s, g)}, nil
}

// NewHarness returns the function that starts the workload here; log is the file for its output besides events, "" for
// none.
func NewHarness(s *session.Session, w workload.Workload, set record.Settings, log string,
	epochs, requests int) func(ctx context.Context, batch int) (harness.Harness, error) {
	o := HarnessOptions(s, set, log)
	o.Epochs, o.Requests, o.AtRate = epochs, requests, set.Requests > 0
	return w.NewHarness(o)
}

func HarnessOptions(s *session.Session, set record.Settings, log string) workload.HarnessOptions {
	return workload.HarnessOptions{Virtual: s.Virtual, Clock: s.Clock, Log: log, Silence: set.Silence,
		Scripts: filepath.Join(s.DataPath(), "torch")}
}

// EndOrphans ends leftover processes of earlier jobs before another job starts.
func EndOrphans(s *session.Session, w workload.Workload, observe Observer) {
	if s.Simulated(w) {
		return
	}
	if n := process.EndOrphans(); n > 0 {
		observe.Note(fmt.Sprintf("ended an earlier job (%d of its processes): its jtune and the shell that watches "+
			"over it were killed together", n))
	}
}

package session

import (
	"context"
	"fmt"
	"path/filepath"

	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
)

// bench joins guard, harness and device to measure modes with one workload.
func (s *Session) bench(ctx context.Context, w workload.Workload, set record.Settings,
	observe observer) (*profiles.Bench, error) {
	if err := s.canRun(w); err != nil {
		return nil, err
	}
	g, err := s.Guard(ctx)
	if err != nil {
		return nil, err
	}
	observe.note(s.fanWarning(set.KeepFan), s.uptimeNote(), loaderNote(w), s.AwaitMeter(ctx))
	return &profiles.Bench{Device: s.Device, Sampler: s.Sampler, Applier: g, Clock: s.Clock,
		NewHarness: s.harness(w, set, "", 0, 0), Workload: w, Settings: set,
		Observe: observe.progress, System: s.system(w)}, nil
}

// harness returns what starts the workload here; log is the file for its output
// besides events, "" for none.
func (s *Session) harness(w workload.Workload, set record.Settings, log string,
	epochs, requests int) func(ctx context.Context, batch int) (harness.Harness, error) {
	o := s.harnessOptions(set, log)
	o.Epochs, o.Requests, o.AtRate = epochs, requests, set.Requests > 0
	return w.NewHarness(o)
}

func (s *Session) harnessOptions(set record.Settings, log string) workload.HarnessOptions {
	return workload.HarnessOptions{Virtual: s.Virtual, Clock: s.Clock, Log: log, Silence: set.Silence,
		Scripts: filepath.Join(s.DataPath(), "torch")}
}

// endOrphans ends what is left of earlier jobs before another starts.
func (s *Session) endOrphans(w workload.Workload, observe observer) {
	if s.simulated(w) {
		return
	}
	if n := harness.EndOrphans(); n > 0 {
		observe.note(fmt.Sprintf("ended an earlier job (%d of its processes): its jtune and the shell that watches "+
			"over it were killed together", n))
	}
}

package session

import (
	"context"
	"fmt"
	"path/filepath"

	"jtune/profiles"
	"jtune/tegra"
)

// Workloads lists the built-in workloads and those of the user's file.
func (s *Session) Workloads() ([]profiles.Workload, error) { return s.Options.Workloads() }

// Workloads is Session.Workloads without a device.
func (o Options) Workloads() ([]profiles.Workload, error) {
	path, err := o.configFile()
	if err != nil {
		return nil, err
	}
	return profiles.Workloads(path)
}

// Workload finds a workload by name or alias. On a replay any name does: it
// is a label.
func (s *Session) Workload(name string) (profiles.Workload, error) {
	list, err := s.Workloads()
	if err != nil {
		return profiles.Workload{}, err
	}
	w, err := profiles.Find(list, name)
	switch {
	case err == nil:
	case s.replays() && name != "":
		w = profiles.Workload{Name: name, Title: name, Batch: 16}
	default:
		return w, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if s.replays() && s.Options.Batch > 0 {
		w.Batch = s.Options.Batch
	}
	return w, nil
}

func (s *Session) replays() bool { return s.Device.Board().Replay != "" }

// bench joins guard, harness and device to measure modes with one workload.
// dir gets the harness's log; "" keeps none.
func (s *Session) bench(ctx context.Context, w profiles.Workload, set profiles.Settings, dir string, observe observer) (*profiles.Bench, error) {
	if s.Virtual == nil && len(w.Command) == 0 {
		return nil, s.noCommand(w)
	}
	g, err := s.Guard(ctx)
	if err != nil {
		return nil, err
	}
	return &profiles.Bench{Device: s.Device, Applier: g, Clock: s.Clock, NewHarness: w.NewHarness(s.harnessOptions(set, dir, 0)),
		Workload: w, Settings: set, Observe: observe.progress}, nil
}

func (s *Session) harnessOptions(set profiles.Settings, dir string, epochs int) profiles.HarnessOptions {
	o := profiles.HarnessOptions{Virtual: s.Virtual, Clock: s.Clock, Silence: set.Silence, Epochs: epochs}
	if dir != "" {
		o.Log = filepath.Join(dir, "log.txt")
	}
	return o
}

// noCommand: the built-in workloads are simulations; on a real board the user
// says how the training is started.
func (s *Session) noCommand(w profiles.Workload) error {
	return fmt.Errorf("%w: workload %s has no command to start on this board: add one under [[workload]] in %s", tegra.ErrUnsupported, w.Name, s.configName())
}

// configName is where the user's workloads belong, for advice.
func (s *Session) configName() string {
	if s.Options.Config != "" {
		return s.Options.Config
	}
	return defaultConfig()
}

package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
)

// Workloads lists the built-in workloads and those of the user's file.
func (s *Session) Workloads() ([]profiles.Workload, error) { return s.Options.Workloads() }

// Workloads is Session.Workloads without a device.
func (o Options) Workloads() ([]profiles.Workload, error) {
	path, err := o.ConfigFile()
	if err != nil {
		return nil, err
	}
	return profiles.Workloads(path)
}

// Workload finds a workload by name or alias, at the minibatch size of
// Options.Batches if one is given there. On a replay any name does: it is a
// label.
func (s *Session) Workload(name string) (profiles.Workload, error) {
	w, sizes, err := s.SizedWorkload(name)
	if err == nil && sizes != nil {
		err = fmt.Errorf("%w: --batch %s: a job has one minibatch size", ErrUsage, join(sizes))
	}
	return w, err
}

// SizedWorkload is Workload where the minibatch size may be chosen among
// several: those of Options.Batches, or of a replay that holds several. They
// are ascending, nil for one.
func (s *Session) SizedWorkload(name string) (w profiles.Workload, sizes []int, err error) {
	if w, err = s.named(name); err != nil {
		return w, nil, err
	}
	if sizes = s.Sizes(); sizes == nil && len(s.Options.Batches) > 0 {
		w.Batch = s.Options.Batches[0]
	}
	if sizes == nil && s.Options.AllSizes && !s.replays() {
		return w, nil, fmt.Errorf("%w: --batch all takes the sizes of a replayed file: name those to choose among, such as --batch %d,%d,%d", ErrUsage, max(1, w.Batch/2), w.Batch, 2*w.Batch)
	}
	if sizes != nil {
		err = s.takesSizes(w)
	}
	return w, sizes, err
}

// Sizes are the minibatch sizes to choose among, ascending; nil where they are
// not several.
func (s *Session) Sizes() []int {
	sizes := sizesIn(s.settings)
	if s.settings == nil {
		sizes = slices.Compact(slices.Sorted(slices.Values(s.Options.Batches)))
	}
	if len(sizes) < 2 {
		return nil
	}
	return sizes
}

// takesSizes refuses several minibatch sizes for a job that dictates its own.
func (s *Session) takesSizes(w profiles.Workload) error {
	if s.DictatesSize(w) == "" {
		return nil
	}
	return fmt.Errorf("%w: workload %s dictates its minibatch size: neither its command nor a script that this names reads JTUNE_BATCH; pass it on there, or give one --batch (%s)", ErrUsage, w.Name, s.configName())
}

// DictatesSize says why a workload's minibatch size cannot be chosen, or "".
func (s *Session) DictatesSize(w profiles.Workload) string {
	if s.Virtual != nil && !s.beside(w) || w.TakesBatch() {
		return ""
	}
	return "its job reads no JTUNE_BATCH"
}

// named finds a workload.
func (s *Session) named(name string) (profiles.Workload, error) {
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
	return w, nil
}

// BoardOf names the device that a workload's numbers are of, and says so when
// none measured them.
func (s *Session) BoardOf(w profiles.Workload) string {
	b := s.Device.Board()
	switch origin := b.Origin(); {
	case s.beside(w):
		return "times of this machine, power and clocks of a simulated " + b.Name
	case origin != "":
		return b.Name + " (VIRTUAL: " + origin + ")"
	}
	return b.Name
}

// beside: the workload really runs here while a virtual board plays it.
func (s *Session) beside(w profiles.Workload) bool { return s.Virtual != nil && w.Torch.Beside }

func (s *Session) replays() bool { return s.Device.Board().Replay != "" }

// bench joins guard, harness and device to measure modes with one workload.
func (s *Session) bench(ctx context.Context, w profiles.Workload, set profiles.Settings, observe observer) (*profiles.Bench, error) {
	if err := s.canRun(w); err != nil {
		return nil, err
	}
	g, err := s.Guard(ctx)
	if err != nil {
		return nil, err
	}
	return &profiles.Bench{Device: s.Device, Sampler: s.Sampler, Applier: g, Clock: s.Clock, NewHarness: s.harness(w, set, "", 0),
		Workload: w, Settings: set, Observe: observe.progress, System: s.system(w)}, nil
}

// harness gives what starts the workload here; log is the file for what it
// says besides its events, "" for none.
func (s *Session) harness(w profiles.Workload, set profiles.Settings, log string, epochs int) func(ctx context.Context, batch int) (harness.Harness, error) {
	return w.NewHarness(profiles.HarnessOptions{Virtual: s.Virtual, Clock: s.Clock, Log: log, Silence: set.Silence, Epochs: epochs,
		Scripts: filepath.Join(s.DataDir(), "torch")})
}

// canRun refuses a workload that this board cannot start, before anybody is
// asked for a password.
func (s *Session) canRun(w profiles.Workload) error {
	if s.Virtual != nil && !w.Torch.Beside {
		return nil
	}
	err := w.Ready()
	switch {
	case errors.Is(err, fs.ErrNotExist): // a folder that was named
		return fmt.Errorf("workload %s: %w (%s)", w.Name, err, s.configName())
	case err != nil:
		return fmt.Errorf("%w: workload %s: %w (%s)", tegra.ErrUnsupported, w.Name, err, s.configName())
	}
	return nil
}

// configName is where the user's workloads belong, for advice.
func (s *Session) configName() string {
	if s.Options.Config != "" {
		return s.Options.Config
	}
	return defaultConfig()
}

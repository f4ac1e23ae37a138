package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/experiment"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// ExperimentWorkload is the workload of that name, else the experiment's own, or
// where that does not fit the board the suggested one; none for an experiment that
// runs nothing.
func (s *Session) ExperimentWorkload(e experiment.Experiment, name string) (workload.Workload, error) {
	switch {
	case e.Workload == "" && name != "":
		return workload.Workload{}, usage.Errorf("experiment %s runs no workload", e.Name)
	case e.Workload == "":
		return workload.Workload{}, nil
	}
	if name != "" {
		return s.Workload(name)
	}
	w, err := s.Workload(e.Workload)
	if err == nil && s.Virtual != nil && s.Virtual.Fits(w.Name) != nil {
		list, err := s.Workloads()
		if err != nil {
			return w, err
		}
		return s.Workload(s.Suggested(list))
	}
	return w, err
}

// Workloads lists what can be run here: the built-in workloads and those of the
// user's file. A replay has just one: what was measured when its file was made,
// whatever it is called.
func (s *Session) Workloads() ([]workload.Workload, error) {
	file := s.Device.Board().Replay
	if file == "" {
		return s.Options.Workloads()
	}
	w, err := s.findWorkload(cmp.Or(s.Options.Workload, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))))
	if sizes := s.Sizes(); sizes != nil {
		w.Batch = slices.Max(sizes)
	}
	return []workload.Workload{w}, err
}

// Workloads lists the built-in workloads and those of the user's file.
func (o Paths) Workloads() ([]workload.Workload, error) {
	path, err := o.ConfigFile()
	if err != nil {
		return nil, err
	}
	return workload.Load(path)
}

// Workload finds a workload by name or alias, at the batch size of
// Options.Batches if one is given there. On a replay any name does: it is a
// label.
func (s *Session) Workload(name string) (workload.Workload, error) {
	w, sizes, err := s.SizedWorkload(name)
	if err == nil && sizes != nil && s.Sizes() != nil {
		err = usage.Batch.Errorf("%s %s: a job has one batch size", usage.Batch, text.JoinInts(sizes))
	}
	return w, err
}

// SizedWorkload is Workload where the batch size may be chosen among
// several: those of Options.Batches, or of a replay that holds several. They
// are ascending, nil for one.
func (s *Session) SizedWorkload(name string) (w workload.Workload, sizes []int, err error) {
	if w, err = s.findWorkload(name); err != nil {
		return w, nil, err
	}
	if _, _, named := workload.CutBatch(name); named && !s.replays() {
		if len(s.Batches) > 0 || s.AllSizes {
			return w, nil, usage.Batch.Errorf("workload %s has its batch size in its name", text.Clip(name)).
				Advise("leave %s out", usage.Batch)
		}
		return w, nil, nil
	}
	sizes = s.Sizes()
	if sizes == nil && len(s.Batches) == 0 && !s.replays() && len(w.Batches) > 1 {
		sizes = slices.Compact(slices.Sorted(slices.Values(w.Batches)))
	}
	if sizes == nil && len(s.Batches) > 0 {
		w.Batch = s.Batches[0]
	}
	if sizes == nil && s.AllSizes && !s.replays() {
		return w, nil, usage.Batch.Errorf("%s all takes the sizes of a replayed file", usage.Batch).
			Advise("name those to choose among, such as %s %d,%d,%d", usage.Batch, max(1, w.Batch/2), w.Batch,
				2*w.Batch)
	}
	if sizes != nil {
		err = s.checkSizes(w)
	}
	return w, sizes, err
}

// Sizes are the batch sizes to choose among, ascending; nil where they are
// not several.
func (s *Session) Sizes() []int {
	sizes := tegra.BatchSizes(s.settings)
	if s.settings == nil {
		sizes = slices.Compact(slices.Sorted(slices.Values(s.Batches)))
	}
	if len(sizes) < 2 {
		return nil
	}
	return sizes
}

// checkSizes rejects several batch sizes for a workload with a fixed one.
func (s *Session) checkSizes(w workload.Workload) error {
	if s.FixedBatch(w) == "" {
		return nil
	}
	return usage.Batch.Errorf("workload %s has a fixed batch size: its command never reads JTUNE_BATCH; "+
		"read it there or in a script that the command names, or give one %s (%s)", w.Name, usage.Batch, s.configName())
}

// FixedBatch is the reason why a workload's batch size cannot be chosen; "" when it can.
func (s *Session) FixedBatch(w workload.Workload) string {
	switch {
	case w.Elsewhere != nil:
		return "its job runs already"
	case s.Virtual != nil && !s.runsOnHost(w), w.TakesBatch():
		return ""
	}
	return "its command never reads JTUNE_BATCH"
}

// findWorkload finds a workload; on a replay any name does.
func (s *Session) findWorkload(name string) (workload.Workload, error) {
	list, err := s.Options.Workloads()
	if err != nil {
		return workload.Workload{}, err
	}
	w, err := workload.Find(list, name)
	switch {
	case err == nil:
		return s.served(s.loading(w))
	case s.replays() && name != "":
		w = workload.Workload{Name: name, Title: name, Model: workload.AsMeasured, Dataset: "in that file", Batch: 16}
	default:
		return w, usage.Of(err)
	}
	return w, nil
}

// affectedL4T is the last major release whose PyTorch has the fault of loader processes: JetPack 5. A later one has
// another PyTorch.
const affectedL4T = 35

// loading gives a workload that some boards load without loader processes the usual number where it has no reason to:
// on later releases, and off a Jetson.
func (s *Session) loading(w workload.Workload) workload.Workload {
	b := s.Device.Board()
	major, _, _ := strings.Cut(b.L4T, ".")
	why, elsewhere := w.LoaderFault()
	if n, err := strconv.Atoi(major); why == "" || err == nil && n <= affectedL4T || b.Simulated() {
		return w
	}
	w.Workers = elsewhere
	return w
}

// loaderNote says why a workload loads without loader processes; "" where there is no reason to tell.
func loaderNote(w workload.Workload) string {
	why, _ := w.LoaderFault()
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s: no loader processes (workers 0): %s", w.Name, why)
}

// longUptime is after how long a board should be rebooted before a series of measurements: the study of 2022 saw
// power readings of an L4T 32 fall after 16 h of reading.
const longUptime = 16 * time.Hour

// uptimeNote reminds of rebooting before a series of measurements; "" where the board came up not long ago.
func (s *Session) uptimeNote() string {
	up := profiles.System{FS: s.fs}.Uptime()
	if !up.OK || up.V < longUptime {
		return ""
	}
	return fmt.Sprintf("reminder: the board has been up for %.0f h: reboot it before a series of measurements, so "+
		"that memory, page cache and power readings start alike (the uptime is recorded)", up.V.Hours())
}

// served names the model of a workload that runs any: that of Options.Weights, or the one that its server has loaded.
func (s *Session) served(w workload.Workload) (workload.Workload, error) {
	if w.Serves() {
		w.Server.Remote = s.Remote
	}
	w, err := w.WithWeights(s.Weights)
	if err == nil && !s.replays() && !s.simulated(w) {
		ctx, cancel := context.WithTimeout(context.Background(), discoverWithin)
		defer cancel()
		w, err = w.Discover(ctx)
	}
	if err != nil {
		return w, usage.Of(err)
	}
	return w, nil
}

// discoverWithin bounds how long a running server is asked for its model.
const discoverWithin = 20 * time.Second

// BoardOf names the device that a workload's numbers are of, marked when
// they are not measured.
func (s *Session) BoardOf(w workload.Workload) string {
	b := s.Device.Board()
	if s.runsOnHost(w) {
		return "times of this machine, power and clocks of a simulated " + b.Name
	}
	return strings.TrimSpace(b.Name + " " + tegra.VirtualMark(b.Origin()))
}

const warningMark = "warning: "

// fanWarning says that the fan stays as it is although it should run at its maximum
// while modes are measured; "" where it can be set.
func (s *Session) fanWarning(keep bool) string {
	unset := func(p tegra.Probe) bool { return p.Name == "fan" && !p.Found }
	if keep || !slices.ContainsFunc(s.Sysfs().Probes(), unset) {
		return ""
	}
	return warningMark + "jtune cannot set a fan on this board (none found): make sure that it is cooled well, heat " +
		"slows a board and spoils what is measured"
}

// Blocked is the reason why a workload can certainly not run on this board, or "". It
// touches no file.
func (s *Session) Blocked(w workload.Workload) string {
	switch {
	case s.replays(), w.Elsewhere != nil:
	case s.simulated(w):
		if !simulates(w) {
			return "not here"
		}
		if s.Virtual.Fits(w.Name) != nil {
			return "no memory"
		}
	case len(w.Command) > 0:
	case w.Torch.Net == "":
		return "no command"
	case w.Torch.Data == "":
		return "no data"
	}
	return ""
}

// Refusal says in a sentence why a workload can certainly not run on this board, and what to do; "" where it may. It
// touches no file.
func (s *Session) Refusal(w workload.Workload) string {
	why := s.Blocked(w)
	switch {
	case why == "":
		return ""
	case !s.simulated(w):
		return fmt.Sprintf("%s cannot run on this board, %s: give data = \"FOLDER\" under [torch], or command under "+
			"[workload.%s], in the configuration file", w.Name, why, w.Name)
	}
	if err := s.Virtual.Fits(w.Name); err != nil {
		return err.Error()
	}
	return w.Name + " cannot run on a virtual board, which runs no commands and simulates the training of the " +
		"built-in workloads"
}

// Suggested is the workload to begin with where none was chosen: the largest that fits the board. The largest is the
// training job that may run here and has the largest data set on disk, the first of equals in the list. Where no such
// data set is known, it is the first workload that may run; "" where none may.
func (s *Session) Suggested(list []workload.Workload) string {
	name, most := "", 0.0
	for _, w := range list {
		if s.Blocked(w) != "" {
			continue
		}
		of, _ := physics.Find(w.Name)
		if name == "" || !w.Infers() && of.DatasetMB > most {
			name, most = w.Name, of.DatasetMB
		}
	}
	return name
}

// Estimated is what RunsAs says of a simulation that rests on no measurement of such a board.
const Estimated = "estimated"

// RunsAs says in a word how a workload runs on this board, or why it does not. It touches
// no file.
func (s *Session) RunsAs(w workload.Workload) string {
	switch why := s.Blocked(w); {
	case why != "":
		return why
	case s.replays():
		return "replayed"
	case w.Elsewhere != nil:
		return "joined"
	case !s.simulated(w):
		return "yes"
	case s.Virtual.Estimated(w.Name):
		return Estimated
	}
	return "simulated"
}

// simulates reports whether a virtual board simulates a workload: training and inference go by their own names.
func simulates(w workload.Workload) bool {
	return virtual.Simulates(w.Name) && w.Infers() == slices.Contains(virtual.InferenceJobs(), w.Name)
}

// canRun refuses a workload that this board cannot start, before a
// password prompt.
func (s *Session) canRun(w workload.Workload) error {
	switch {
	case s.bundled: // whose values stand still
		return s.refusesWrites("measure a workload")
	case s.replays() && !w.Beside():
		return nil
	case s.simulated(w) && w.Infers() && !simulates(w):
		return fmt.Errorf("%w: workload %s: a virtual board simulates the inference of %s alone: measure others "+
			"on a Jetson, or replay a sweep of it with %s replay:FILE.csv", tegra.ErrUnsupported, w.Name,
			strings.Join(virtual.InferenceJobs(), " "), usage.Device)
	case s.simulated(w):
		if err := s.Virtual.Fits(w.Name); err != nil {
			return fmt.Errorf("%w: %w", tegra.ErrUnsupported, err)
		}
		return nil
	case s.Virtual != nil && w.Server.Beside != "" && !virtual.Simulates(w.Server.Beside):
		return fmt.Errorf("%w: workload %s: no virtual board simulates beside = %q; take one of %s",
			tegra.ErrUnsupported, w.Name, text.Clip(w.Server.Beside), strings.Join(virtual.InferenceJobs(), " "))
	case s.Virtual != nil && w.Server.Beside == "" && !virtual.Simulates(w.SimulatedName()):
		return fmt.Errorf("%w: workload %s: beside = true takes the power of a simulated network: name it, as in "+
			"torch = { net = \"resnet18\", set = \"imagenet-val\", beside = true } (%s)",
			tegra.ErrUnsupported, w.Name, s.configName())
	}
	err := w.Ready()
	switch {
	case errors.Is(err, workload.ErrNoWeights):
		return usage.Errorf("workload %s: %w", w.Name, err)
	case errors.Is(err, fs.ErrNotExist): // a folder that was named
		return fmt.Errorf("workload %s: %w (%s)", w.Name, err, s.configName())
	case err != nil:
		return fmt.Errorf("%w: workload %s: %w (%s)", tegra.ErrUnsupported, w.Name, err, s.configName())
	}
	return nil
}

// UnitOf is what a workload's speed and energy are told per, in batches of a size; 0 is its own.
func UnitOf(w workload.Workload, batch int) Unit {
	return Unit{Name: w.UnitName(), PerBatch: w.UnitsPerBatch(batch)}
}

// ServingOf is the load and the latency limit that the configuration gives a workload; false where it gives none.
func ServingOf(w workload.Workload) (v Serving, given bool) {
	if !w.Infers() {
		return v, false
	}
	return Serving{RatePerS: w.Load.Rate, Arrivals: w.Load.Arrivals, MaxWaitMS: w.Load.MaxWaitMS,
		LatencyMS: w.Limit.LatencyMS, Quantile: w.Limit.Quantile}, w.Load.Rate > 0 || w.Limit.LatencyMS > 0
}

// LoadFor is the load under which modes of a workload are chosen: what is asked for, and what the configuration gives
// where that leaves it open; false where there is none, as of training.
func LoadFor(w workload.Workload, asked *Serving) (v Serving, loaded bool) {
	if !w.Infers() {
		return v, false
	}
	v = Serving{Quantile: usualQuantile, PowerAs: string(optimize.Peak)}
	if asked != nil {
		v = *asked
	}
	own, configured := ServingOf(w)
	if configured {
		v = v.Configured(own, v.Gives)
	}
	return v, configured || asked != nil
}

// configName is where the user's workloads belong, for advice.
func (s *Session) configName() string {
	if s.Config != "" {
		return s.Config
	}
	return defaultConfig()
}

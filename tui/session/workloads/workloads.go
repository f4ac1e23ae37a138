package workloads

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

	"jtune/internal/arrivals"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize/mix"
	"jtune/optimize/serving"
	"jtune/profiles"
	"jtune/profiles/experiment"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// ExperimentWorkload is the workload of that name, else the experiment's own, or
// where that does not fit the board the suggested one; none for an experiment that
// runs nothing.
func ExperimentWorkload(s *session.Session, e experiment.Experiment, name string) (workload.Workload, error) {
	switch {
	case e.Workload == "" && name != "":
		return workload.Workload{}, usage.Errorf("experiment %s runs no workload", e.Name)
	case e.Workload == "":
		return workload.Workload{}, nil
	}
	if name != "" {
		return Find(s, name)
	}
	w, err := Find(s, e.Workload)
	if err == nil && s.Virtual != nil && s.Virtual.Fits(w.Name, w.Batch) != nil {
		list, err := List(s)
		if err != nil {
			return w, err
		}
		return Find(s, Suggested(s, list))
	}
	return w, err
}

// List lists what can be run here: the built-in workloads and those of the
// user's file. A replay has just one: what was measured when its file was made,
// whatever it is called.
func List(s *session.Session) ([]workload.Workload, error) {
	file := s.Device.Board().Replay
	if file == "" {
		list, err := Configured(s.Options.Paths)
		for i, w := range list {
			list[i] = OnHost(s, loading(s, w))
		}
		return withTyped(s.Typed.List(), list), err
	}
	w, err := FindAny(s, cmp.Or(s.Options.Workload, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))))
	if sizes := Sizes(s); sizes != nil {
		w.Batch = slices.Max(sizes)
	}
	return []workload.Workload{w}, err
}

// Configured lists the built-in workloads and those of the user's file.
func Configured(o config.Paths) ([]workload.Workload, error) {
	path, err := o.ConfigFile()
	if err != nil {
		return nil, err
	}
	return workload.Load(path)
}

// Find finds a workload by name or alias, at the batch size of
// Options.Batches if one is given there. On a replay any name does: it is a
// label.
func Find(s *session.Session, name string) (workload.Workload, error) {
	w, sizes, err := FindSized(s, name)
	if err == nil && sizes != nil && Sizes(s) != nil {
		err = usage.Batch.Errorf("%s %s: a job has one batch size", usage.Batch, text.JoinInts(sizes))
	}
	return w, err
}

// FindSized is Workload where the batch size may be chosen among
// several: those of Options.Batches, or of a replay that holds several. They
// are ascending, nil for one.
func FindSized(s *session.Session, name string) (w workload.Workload, sizes []int, err error) {
	if w, err = FindAny(s, name); err != nil {
		return w, nil, err
	}
	if _, _, named := workload.CutBatch(name); named && !s.Replays() {
		if len(s.Batches) > 0 || s.AllSizes {
			return w, nil, usage.Batch.Errorf("workload %s has its batch size in its name", text.Clip(name)).
				Advise("leave %s out", usage.Batch)
		}
		return w, nil, nil
	}
	return sized(s, w)
}

// sized gives a workload the requested batch size, or returns those to choose among.
func sized(s *session.Session, w workload.Workload) (_ workload.Workload, sizes []int, err error) {
	sizes = Sizes(s)
	if sizes == nil && len(s.Batches) == 0 && !s.Replays() && len(w.Batches) > 1 {
		sizes = slices.Compact(slices.Sorted(slices.Values(w.Batches)))
	}
	if sizes == nil && len(s.Batches) > 0 {
		w.Batch = s.Batches[0]
	}
	if sizes == nil && s.AllSizes && !s.Replays() {
		return w, nil, usage.Batch.Errorf("%s all takes the sizes of a replayed file", usage.Batch).
			Advise("name those to choose among, such as %s %d,%d,%d", usage.Batch, max(1, w.Batch/2), w.Batch,
				2*w.Batch)
	}
	if sizes != nil {
		err = CheckSizes(s, w)
	}
	return w, sizes, err
}

// Sizes are the batch sizes to choose among, ascending; nil where they are
// not several.
func Sizes(s *session.Session) []int {
	sizes := tegra.BatchSizes(s.Replayed())
	if s.Replayed() == nil {
		sizes = slices.Compact(slices.Sorted(slices.Values(s.Batches)))
	}
	if len(sizes) < 2 {
		return nil
	}
	return sizes
}

// CheckSizes rejects several batch sizes for a workload with a fixed one.
func CheckSizes(s *session.Session, w workload.Workload) error {
	if FixedBatch(s, w) == "" {
		return nil
	}
	return usage.Batch.Errorf("workload %s has a fixed batch size: its command never reads JTUNE_BATCH; "+
		"read it there or in a script that the command names, or give one %s (%s)", w.Name, usage.Batch, ConfigName(s))
}

// FixedBatch is the reason why a workload's batch size cannot be chosen; "" when it can.
func FixedBatch(s *session.Session, w workload.Workload) string {
	switch {
	case w.Elsewhere != nil:
		return "its job runs already"
	case s.Virtual != nil && !s.RunsOnHost(w), w.TakesBatch():
		return ""
	case w.Serves():
		return "its server batches requests itself"
	}
	return "its command never reads JTUNE_BATCH"
}

// FindAny finds a workload; on a replay any name does.
func FindAny(s *session.Session, name string) (workload.Workload, error) {
	list, err := Configured(s.Options.Paths)
	if err != nil {
		return workload.Workload{}, err
	}
	w, err := workload.Find(list, name)
	switch {
	case err == nil:
		return served(s, OnHost(s, loading(s, w)))
	case s.Replays() && name != "":
		w = workload.Workload{Name: name, Title: name, Model: workload.AsMeasured, Dataset: "in that file", Batch: 16}
	default:
		return w, usage.Of(err)
	}
	return w, nil
}

// affectedL4T are the major releases whose PyTorch has the fault of loader processes: those of JetPack 5. An earlier
// and a later one have another PyTorch.
var affectedL4T = []int{34, 35}

// loading gives a workload that some boards load without loader processes the usual number where it has no reason to:
// on other releases, and off a Jetson.
func loading(s *session.Session, w workload.Workload) workload.Workload {
	b := s.Device.Board()
	major, _, _ := strings.Cut(b.L4T, ".")
	why, elsewhere := w.LoaderFault()
	if n, err := strconv.Atoi(major); why == "" || err == nil && slices.Contains(affectedL4T, n) {
		return w
	}
	w.Workers = elsewhere
	return w
}

// LoaderNote says why a workload loads without loader processes; "" where there is no reason to tell.
func LoaderNote(w workload.Workload) string {
	why, _ := w.LoaderFault()
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s: no loader processes (workers 0): %s", w.Name, why)
}

// longUptime is after how long a board should be rebooted before a series of measurements: the study of 2022 saw
// power readings of an L4T 32 fall after 16 h of reading.
const longUptime = 16 * time.Hour

// UptimeNote reminds of rebooting before a series of measurements; "" where the board came up not long ago.
func UptimeNote(s *session.Session) string {
	up := profiles.System{FS: s.FS()}.Uptime()
	if !up.OK || up.V < longUptime {
		return ""
	}
	return fmt.Sprintf("reminder: the board has been up for %.0f h: reboot it before a series of measurements, so "+
		"that memory, page cache and power readings start alike (the uptime is recorded)", up.V.Hours())
}

// served names the model of a workload that runs any: that of Options.Weights, or the one that its server has loaded.
func served(s *session.Session, w workload.Workload) (workload.Workload, error) {
	if w.Serves() {
		w.Server.Remote = s.Remote
	}
	w, err := w.WithWeights(s.Weights)
	if err == nil && !s.Replays() && !s.Simulated(w) {
		ctx, cancel := context.WithTimeout(context.Background(), discoverWithin)
		defer cancel()
		w, err = w.Discover(ctx)
	}
	if err != nil {
		return w, usage.Of(err)
	}
	return w, nil
}

// discoverWithin bounds how long the question for a running server's model takes.
const discoverWithin = 20 * time.Second

// BoardOf names the device that a workload's numbers are of, marked when
// they are not measured.
func BoardOf(s *session.Session, w workload.Workload) string {
	b := s.Device.Board()
	if s.RunsOnHost(w) {
		return "times of this machine, power and clocks of a simulated " + b.Name
	}
	return strings.TrimSpace(b.Name + " " + tegra.VirtualMark(b.Origin()))
}

const WarningMark = "warning: "

// FanWarning says that the fan stays as it is although it should run at its maximum
// while modes are measured; "" where it can be set.
func FanWarning(s *session.Session, keep bool) string {
	unset := func(p tegra.Probe) bool { return p.Name == "fan" && !p.Found }
	if keep || !slices.ContainsFunc(s.Sysfs().Probes(), unset) {
		return ""
	}
	return WarningMark + "jtune cannot set a fan on this board (none found): make sure that it is cooled well, heat " +
		"slows a board and spoils what is measured"
}

// Blocked is the reason why a workload can certainly not run on this board, or "". It
// touches no file.
func Blocked(s *session.Session, w workload.Workload) string {
	switch {
	case s.Replays(), w.Elsewhere != nil:
	case s.Simulated(w):
		if !Simulates(w) {
			return "not here"
		}
		if s.Virtual.Fits(w.Name, w.Batch) != nil {
			return "no memory"
		}
	case len(w.Command) > 0, w.Serves():
	case w.Torch.Net == "":
		return "no command"
	case w.Torch.Data == "":
		return "no data"
	}
	return ""
}

// Refusal says in a sentence why a workload can certainly not run on this board, and what to do; "" where it may. It
// touches no file.
func Refusal(s *session.Session, w workload.Workload) string {
	why := Blocked(s, w)
	switch {
	case why == "":
		return ""
	case !s.Simulated(w):
		return fmt.Sprintf("%s cannot run on this board, %s: give data = \"FOLDER\" under [torch], or command under "+
			"[workload.%s], in the configuration file", w.Name, why, w.Name)
	}
	if err := s.Virtual.Fits(w.Name, w.Batch); err != nil {
		return err.Error()
	}
	if w.Serves() {
		return fmt.Sprintf("%s cannot run on a virtual board, which asks no server: give beside = \"llama\" in the "+
			"server of [workload.%s] in the configuration file: times of this machine, power of that simulated job",
			w.Name, w.Name)
	}
	return fmt.Sprintf("%s cannot run on a virtual board, which runs no commands: jtune run %s with %s times it on "+
		"this machine; torch = { net = \"resnet18\", set = \"imagenet-val\", beside = true } in [workload.%s] of the "+
		"configuration file adds the power of that simulated job, and searches work",
		w.Name, w.Name, usage.NoDevice, w.Name)
}

// Suggested is the workload to begin with where none was chosen: the first command of the user's own, else the largest
// that fits the board. The largest is the training job that may run here and has the largest data set on disk, the
// first of equals in the list. If no such data set is known, it is the first workload that may run; "" where none may.
func Suggested(s *session.Session, list []workload.Workload) string {
	name, most := "", 0.0
	for _, w := range list {
		if Blocked(s, w) != "" {
			continue
		}
		if w.Own && len(w.Command) > 0 {
			return w.Name
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
func RunsAs(s *session.Session, w workload.Workload) string {
	switch why := Blocked(s, w); {
	case why != "":
		return why
	case s.Replays():
		return "replayed"
	case w.Elsewhere != nil:
		return "joined"
	case !s.Simulated(w):
		return "yes"
	case s.Virtual.Estimated(w.Name):
		return Estimated
	}
	return "simulated"
}

// Simulates reports whether a virtual board simulates a workload: training and inference have their own names.
func Simulates(w workload.Workload) bool {
	return virtual.Simulates(w.Name) && w.Infers() == slices.Contains(virtual.InferenceJobs(), w.Name)
}

// CanRun refuses a workload that this board cannot start, before a
// password prompt.
func CanRun(s *session.Session, w workload.Workload) error {
	switch {
	case s.Bundled(): // whose values stand still
		return s.RefusesWrites("measure a workload")
	case s.Replays() && !w.Beside():
		return nil
	case s.Simulated(w) && w.Infers() && !Simulates(w):
		return fmt.Errorf("%w: workload %s: a virtual board simulates the inference of %s alone: measure others "+
			"on a Jetson, or replay a sweep of it with %s replay:FILE.csv", tegra.ErrUnsupported, w.Name,
			strings.Join(virtual.InferenceJobs(), " "), usage.Device)
	case s.Simulated(w):
		if err := s.Virtual.Fits(w.Name, w.Batch); err != nil {
			return fmt.Errorf("%w: %w", tegra.ErrUnsupported, err)
		}
		return nil
	case s.Virtual != nil && w.Server.Beside != "" && !virtual.Simulates(w.Server.Beside):
		return fmt.Errorf("%w: workload %s: no virtual board simulates beside = %q; take one of %s",
			tegra.ErrUnsupported, w.Name, text.Clip(w.Server.Beside), strings.Join(virtual.InferenceJobs(), " "))
	case w.OnHost:
		if s.Virtual.Clock().Speed() != 1 {
			return usage.Speed.Errorf("a virtual board cannot simulate a command, which runs in real time: use %s 1",
				usage.Speed)
		}
		return nil
	case s.Virtual != nil && w.Server.Beside == "" && !virtual.Simulates(w.SimulatedName()):
		return fmt.Errorf("%w: workload %s: beside = true takes the power of a simulated network: name it, as in "+
			"torch = { net = \"resnet18\", set = \"imagenet-val\", beside = true } (%s)",
			tegra.ErrUnsupported, w.Name, ConfigName(s))
	}
	err := w.Ready()
	switch {
	case errors.Is(err, workload.ErrNoWeights):
		return usage.Errorf("workload %s: %w", w.Name, err)
	case errors.Is(err, fs.ErrNotExist): // a folder that was named
		return fmt.Errorf("workload %s: %w (%s)", w.Name, err, ConfigName(s))
	case err != nil:
		return fmt.Errorf("%w: workload %s: %w (%s)", tegra.ErrUnsupported, w.Name, err, ConfigName(s))
	}
	return nil
}

// UnitOf is the unit of a workload's speed and energy, in batches of a size; 0 is its own.
func UnitOf(w workload.Workload, batch int) serving.Unit {
	return serving.Unit{Name: w.UnitName(), PerBatch: w.UnitsPerBatch(batch)}
}

// ServingOf is the load and the latency limit that the configuration gives a workload; false where it gives none.
func ServingOf(w workload.Workload) (v arrivals.Spec, given bool) {
	if !w.Infers() {
		return v, false
	}
	return arrivals.Spec{RatePerS: w.Load.Rate, Arrivals: w.Load.Arrivals, MaxWaitMS: w.Load.MaxWaitMS,
		LatencyMS: w.Limit.LatencyMS, Quantile: w.Limit.Quantile}, w.Load.Rate > 0 || w.Limit.LatencyMS > 0
}

// LoadFor is the load under which modes of a workload are chosen: the request's, and the configuration's where that
// leaves it open; zero where there is none, as for training.
func LoadFor(w workload.Workload, asked arrivals.Spec) arrivals.Spec {
	own, configured := ServingOf(w)
	switch {
	case !w.Infers():
		return arrivals.Spec{}
	case !configured:
		return asked
	}
	v := cmp.Or(asked, arrivals.Spec{Quantile: mix.UsualQuantile, PowerAs: string(mix.Peak)})
	return v.Configured(own, v.Gives)
}

// ConfigName is where the user's workloads belong, for advice.
func ConfigName(s *session.Session) string {
	if s.Config != "" {
		return s.Config
	}
	return config.DefaultConfig()
}

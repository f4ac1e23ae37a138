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
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session"
	"jtune/tui/session/config"
)

// List returns the workloads that can run here, at the batch size of Options.Batches if one is given: the built-in ones
// and those of the user's file. A replay has exactly one: whatever was measured when its file was made, under any name.
func List(s *session.Session) ([]workload.Workload, error) {
	file := s.Device.Board().Replay
	if file == "" {
		list, err := Configured(s.Options.Paths)
		for i, w := range list {
			list[i] = OnHost(s, loading(s, w))
		}
		list = withTyped(s.Typed.List(), list)
		for i, w := range list {
			list[i], _, _ = sized(s, w) // errors about several sizes appear when one is chosen
		}
		return list, err
	}
	w, err := FindAny(s, cmp.Or(s.Options.Workload, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))))
	if sizes := Sizes(s); sizes != nil {
		w.Batch = slices.Max(sizes)
	}
	return []workload.Workload{w}, err
}

// Configured returns the built-in workloads and those of the user's file.
func Configured(o config.Paths) ([]workload.Workload, error) {
	path, err := o.ConfigFile()
	if err != nil {
		return nil, err
	}
	return workload.Load(path)
}

// Find finds a workload by name or alias, at the batch size of Options.Batches if one is given. On a replay any name is
// valid: it is a label.
func Find(s *session.Session, name string) (workload.Workload, error) {
	w, sizes, err := FindSized(s, name)
	return w, cmp.Or(err, OneSize(s, sizes))
}

// OneSize refuses several requested batch sizes for what runs one; several of the workload's own are no request.
func OneSize(s *session.Session, sizes []int) error {
	if sizes == nil || Sizes(s) == nil {
		return nil
	}
	return usage.Batch.Errorf("%s %s: a job has one batch size", usage.Batch, text.JoinInts(sizes))
}

// FindSized is Find with a choice of batch sizes: those of Options.Batches, of the workload, or of a replay with
// several. sizes is ascending; nil if there is nothing to choose.
func FindSized(s *session.Session, name string) (w workload.Workload, sizes []int, err error) {
	if w, err = FindAny(s, name); err != nil {
		return w, nil, err
	}
	if _, _, named := workload.CutBatch(name); named && !s.Replays() {
		if len(s.Batches) > 0 || s.AllSizes {
			return w, nil, usage.Batch.Errorf("workload %s has its batch size in its name", text.Clip(name)).
				Advise("remove %s", usage.Batch)
		}
		return w, nil, nil
	}
	return sized(s, w)
}

// sized sets the requested batch size of a workload, or returns the sizes to choose among.
func sized(s *session.Session, w workload.Workload) (_ workload.Workload, sizes []int, err error) {
	sizes = Sizes(s)
	if sizes == nil && len(s.Batches) > 0 {
		w = w.AtBatch(s.Batches[0])
	} else if sizes == nil && !s.Replays() {
		sizes = tegra.Among(tegra.Sizes(w.Batches...))
	}
	if sizes == nil && s.AllSizes && !s.Replays() {
		return w, nil, usage.Batch.Errorf("%s all takes the sizes of a replayed file", usage.Batch).
			Advise("name those to choose among, such as %s %d,%d,%d", usage.Batch, max(1, w.Batch/2), w.Batch,
				2*w.Batch)
	}
	return w, sizes, CheckSizes(s, w, sizes)
}

// Sizes returns the batch sizes to choose among, ascending; nil if there are fewer than two.
func Sizes(s *session.Session) []int {
	if s.Replayed() != nil {
		return tegra.BatchSizes(s.Replayed())
	}
	return tegra.Among(tegra.Sizes(s.Batches...))
}

// CheckSizes rejects a choice of batch sizes for a workload with a fixed one.
func CheckSizes(s *session.Session, w workload.Workload, sizes []int) error {
	if sizes == nil || FixedBatch(s, w) == "" {
		return nil
	}
	return usage.Batch.Errorf("workload %s has a fixed batch size: give one %s, or let its command, "+
		"or a script that it names, read $JTUNE_BATCH (%s)", w.Name, usage.Batch, s.ConfigPath())
}

// FixedBatch returns the reason why a workload's batch size cannot be chosen; "" if it can.
func FixedBatch(s *session.Session, w workload.Workload) string {
	switch {
	case w.Elsewhere != nil:
		return "its job runs already"
	case s.Virtual != nil && !s.RunsOnHost(w), w.TakesBatch():
		return ""
	case w.Serves():
		return "its server batches requests itself"
	}
	return "this command has a fixed batch size"
}

// FindAny finds a workload; on a replay any name is valid.
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

// affectedL4T are the L4T majors of JetPack 5, whose PyTorch has the DataLoader-worker fault.
var affectedL4T = []int{34, 35}

// loading restores the usual number of DataLoader workers of a workload that avoids them, on boards without the fault
// and on machines other than a Jetson.
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

// LoaderNote says why a workload runs without DataLoader workers; "" if there is no reason.
func LoaderNote(w workload.Workload) string {
	why, _ := w.LoaderFault()
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s: no loader processes (workers 0): %s", w.Name, why)
}

// longUptime is the uptime after which a board should be rebooted before a series of measurements: in the study of
// 2022, power readings on L4T 32 drifted down after 16 h of polling.
const longUptime = 16 * time.Hour

// UptimeNote returns a reminder to reboot before a series of measurements; "" if the board booted recently.
func UptimeNote(s *session.Session) string {
	up := profiles.System{FS: s.FS()}.Uptime()
	if !up.OK || up.V < longUptime {
		return ""
	}
	return fmt.Sprintf("reminder: the board has been up for %.0f h: reboot it before a series of measurements, so "+
		"that memory, page cache and power readings start alike (the uptime is recorded)", up.V.Hours())
}

// served names the model of a workload that can run any model: that of Options.Weights, or the one loaded by its
// server.
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

// discoverWithin bounds the time to ask a running server for its model.
const discoverWithin = 20 * time.Second

// BoardOf names the device of a workload's numbers, with a mark if they are not measured.
func BoardOf(s *session.Session, w workload.Workload) string {
	b := s.Device.Board()
	if s.RunsOnHost(w) {
		return "times of this machine, power and clocks of a simulated " + b.Name
	}
	return strings.TrimSpace(b.Name + " " + tegra.VirtualMark(b.Origin()))
}

const WarningMark = "warning: "

// FanWarning warns that the fan cannot be set to its maximum while modes are measured; "" if it can.
func FanWarning(s *session.Session, keep bool) string {
	unset := func(p tegra.Probe) bool { return p.Name == "fan" && !p.Found }
	if keep || !slices.ContainsFunc(s.Sysfs().Probes(), unset) {
		return ""
	}
	return WarningMark + "jtune cannot set a fan on this board (none found): make sure that it is cooled well: " +
		"thermal throttling would invalidate the measurements"
}

// Blocked returns the reason why a workload certainly cannot run on this board, or "". It touches no file.
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
	case w.Torch.LacksData():
		return "no data"
	}
	return ""
}

// ReadyFirst returns a list in which those that lack nothing come first, and how many these are.
func ReadyFirst(list []workload.Workload, lacks func(w workload.Workload) string) (ordered []workload.Workload, n int) {
	ordered = slices.Clone(list)
	slices.SortStableFunc(ordered, func(a, b workload.Workload) int {
		return cmp.Compare(min(1, len(lacks(a))), min(1, len(lacks(b))))
	})
	for n < len(ordered) && lacks(ordered[n]) == "" {
		n++
	}
	return ordered, n
}

// Refusal explains why a workload certainly cannot run on this board, and what to do; "" if it may run. It touches no
// file.
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

// Suggested returns the default workload: the first of the user's own commands, else the training job that may run here
// and has the largest data set on disk (the first of equals). If no data set size is known, it is the first workload
// that may run; "" if none may.
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

// Estimated is the RunsAs word for a simulation that is not based on measurements of such a board.
const Estimated = "estimated"

// Runs is the RunsAs word for a job that the board itself runs, as far as can be said without a look at its files.
const Runs = "yes"

// RunsAs returns a word for how a workload runs on this board, or why it does not. It touches no file.
func RunsAs(s *session.Session, w workload.Workload) string {
	switch why := Blocked(s, w); {
	case why != "":
		return why
	case s.Replays():
		return "replayed"
	case w.Elsewhere != nil:
		return "joined"
	case !s.Simulated(w):
		return Runs
	case s.Virtual.Estimated(w.Name):
		return Estimated
	}
	return "simulated"
}

// Simulates reports whether a virtual board simulates a workload; training and inference have separate names.
func Simulates(w workload.Workload) bool {
	return virtual.Simulates(w.Name) && w.Infers() == slices.Contains(virtual.InferenceJobs(), w.Name)
}

// CanRun refuses a workload that this board cannot start, before any password prompt.
func CanRun(s *session.Session, w workload.Workload) error {
	switch {
	case s.Bundled(): // a bundle's values never change
		return s.RefusesWrites("measure a workload")
	case s.Replays() && !w.Beside():
		return nil
	case s.Simulated(w) && w.Infers() && !Simulates(w):
		return fmt.Errorf("%w: workload %s: a virtual board simulates the inference of %s alone: measure others "+
			"on a Jetson, time them on this machine with jtune run %s %s, or replay a sweep with %s replay:FILE.csv",
			tegra.ErrUnsupported, w.Name, strings.Join(virtual.InferenceJobs(), " "), w.Name, usage.NoDevice,
			usage.Device)
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
			tegra.ErrUnsupported, w.Name, s.ConfigPath())
	}
	err := w.Ready()
	switch {
	case errors.Is(err, workload.ErrNoWeights):
		return usage.Errorf("workload %s: %w", w.Name, err)
	case errors.Is(err, fs.ErrNotExist): // a folder given in the configuration
		return fmt.Errorf("workload %s: %w (%s)", w.Name, err, s.ConfigPath())
	case err != nil:
		return fmt.Errorf("%w: workload %s: %w (%s)", tegra.ErrUnsupported, w.Name, err, s.ConfigPath())
	}
	return nil
}

// UnitOf returns the unit of a workload's speed and energy at a batch size; 0: the workload's own.
func UnitOf(w workload.Workload, batch int) serving.Unit {
	return serving.Unit{Name: w.UnitName(), PerBatch: w.UnitsPerBatch(batch)}
}

// LoadFor returns the load for choosing modes of a workload: the request's, completed in what is not given, by the
// fields' names, from the configuration; zero without one, as for training.
func LoadFor(w workload.Workload, asked arrivals.Spec, given func(name string) bool) arrivals.Spec {
	own := arrivals.Spec{RatePerS: w.Load.Rate, Arrivals: w.Load.Arrivals, MaxWaitMS: w.Load.MaxWaitMS,
		LatencyMS: w.Limit.LatencyMS, Quantile: w.Limit.Quantile}
	switch {
	case !w.Infers():
		return arrivals.Spec{}
	case !own.Gives("rate") && !own.Gives("latency"):
		return asked
	}
	v := cmp.Or(asked, arrivals.Spec{Quantile: metric.UsualQuantile, PowerAs: string(mix.Peak)})
	return v.Configured(own, given)
}

// DemandOf returns how the requests of a load are sent to a workload: a server forms its own batches. It is zero for
// requests of a server's users.
func DemandOf(a mix.Ask, w workload.Workload) workload.Demand {
	out := workload.Demand{Rate: a.Load.RatePerS, Arrivals: string(a.Load.Pattern)}
	if !w.Serves() {
		out.MaxWaitMS = float64(a.MaxWait) / float64(time.Millisecond)
	}
	return out
}

// LoadFault returns why a workload takes no load; nil where it does, or there is none.
func LoadFault(w workload.Workload, v arrivals.Spec) error {
	if v.Any() && !w.Infers() {
		return usage.Errorf("rate and latency are only for inference; workload %s trains", w.Name)
	}
	return nil
}

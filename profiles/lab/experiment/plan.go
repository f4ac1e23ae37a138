package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// Experiment is one of the sweeps.
type Experiment struct {
	Name     string
	Title    string // what it compares
	Workload string // the default
	Epochs   int    // whole epochs per run by default; 0: minibatches of a warm run

	plan     func(Request, *Plan)
	columns  []string // of the text report
	perEpoch bool     // a line per epoch instead of one per run
	takeaway func(*Report) text.Lines
}

// All lists the experiments.
func All() []Experiment {
	return []Experiment{
		{
			Name:     "workers",
			Title:    "0, 1, 2, 4 or 8 loader processes",
			Workload: "mobilenet",
			plan:     planWorkers,
			takeaway: sayWorkers,
		},
		{
			Name:     "cache",
			Title:    "page cache cold, dropped each epoch, preloaded",
			Workload: "mobilenet",
			Epochs:   2,
			plan:     planCache,
			takeaway: sayCache,
			columns: strings.Fields("time_ms stall_ms compute_ms power_w energy_j " +
				"reads_per_s read_bytes_per_s cache_pct"),
		},
		{
			Name:     "storage",
			Title:    "storage media, cold and warm",
			Workload: "mobilenet",
			Epochs:   2,
			plan:     planStorage,
			takeaway: sayStorage,
			columns: strings.Fields("time_ms stall_ms epoch_s power_w energy_j " +
				"reads_per_s read_bytes_per_s cache_pct"),
		},
		{Name: "batch", Title: "batch sizes 1 to 128", Workload: "mobilenet", plan: planBatch, takeaway: sayBatch,
			columns: strings.Fields("time_ms stall_ms compute_ms epoch_s power_w epoch_j cpu_pct gpu_pct")},
		{
			Name:     "dvfs",
			Title:    "clocks locked or following the load",
			Workload: "resnet18",
			plan:     planDVFS,
			takeaway: sayDVFS,
			columns:  strings.Fields("time_ms power_w energy_j cpu_pct gpu_pct cpu_hz gpu_hz mem_hz"),
		},
		{
			Name:     "polling",
			Title:    "power read every 1 s, 100, 10 and 1 ms, clocks free",
			Workload: "mobilenet-infer",
			plan:     planPolling,
			takeaway: sayPolling,
			columns:  strings.Fields("time_ms power_w energy_j cpu_pct gpu_pct"),
		},
		{
			Name:     "baseload",
			Title:    "the idle board: logging and DVFS on or off",
			plan:     planBaseload,
			takeaway: sayBaseload,
			columns:  strings.Fields("power_w cpu_pct gpu_pct cpu_hz gpu_hz mem_hz"),
		},
		{
			Name:     "variability",
			Title:    "epoch after epoch of one training",
			Workload: "resnet18",
			Epochs:   5,
			plan:     planVariability,
			takeaway: sayVariability,
			perEpoch: true,
			columns:  strings.Fields("time_ms stall_ms compute_ms epoch_s power_w epoch_j"),
		},
		{
			Name:     "modes",
			Title:    "modes a to n of the paper, one clock or the cores at a time",
			Workload: "resnet18",
			plan:     planModes,
			takeaway: sayModes,
			columns:  strings.Fields("time_ms stall_ms compute_ms power_w energy_j base_share_pct gpu_pct"),
		},
	}
}

// spreadKey returns the number whose spread over repeats is reported.
func (e *Experiment) spreadKey() string {
	if slices.Contains(e.columns, "time_ms") || e.columns == nil {
		return "time_ms"
	}
	return "power_w"
}

// Minibatches returns how many a run takes by default.
func (e *Experiment) Minibatches() int {
	if e.Name == "polling" {
		return pollingMinibatches
	}
	return defaultMinibatches
}

// Find returns the experiment with that name.
func Find(name string) (Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("no experiment %q: there are %s", name, strings.Join(names, ", "))
}

// Request is the input of an experiment's plan.
type Request struct {
	Workload      workload.Workload
	Space         *tegra.Space
	Mode          tegra.Mode    // of the runs
	ScaledBatches bool          // simulated: times of batch sizes are scaled from another board's
	Simulated     bool          // a virtual board simulates the job, including page cache and drive
	Replayed      bool          // a table of measurements answers; it knows only modes
	Minibatches   int           // of a warm run; 0: 100
	Epochs        int           // whole epochs; 0: the experiment's own
	Data          []Medium      // folders of the same data on different media
	Media         []string      // that a virtual board simulates
	Medium        string        // of a virtual board: the requested one; "": none
	Units         int           // of a virtual board: the number to compare; 0: only the current one
	Labels        string        // of the modes a to n to run; "": all
	Pair          []tegra.Mode  // two modes to compare instead of a to n; nil: none
	Meter         []Metered     // readings of a meter at the supply in idle states
	Idle          time.Duration // length of an idle state; 0: a minute
	Base          time.Duration // idle time before each run, for the base load; 0: none
	Every         time.Duration // between power samples; 0: 1 s
}

// Medium is a folder of the data and the storage it is on.
type Medium struct{ Dir, Name string }

// Metered is a reading of a meter at the supply in one of the idle states i to iv.
type Metered struct {
	State string
	Watt  float64
}

// Setting is one setting to run.
type Setting struct {
	Name      string
	Mode      tegra.Mode
	Workload  workload.Workload
	Settings  record.Settings
	Governors tegra.Governors // of clocks that Settings leave free; "": the board's initial ones
	Idle      bool            // nothing runs
	// On a virtual board, for this setting: the medium of the data, "" for its own, and the number of the unit.
	Medium string
	Unit   tegra.Val[int]
}

// Skip is a part that was left out, and why.
type Skip struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Plan lists the settings to run, in order, and the skipped ones.
type Plan struct {
	Settings []Setting
	Skipped  []Skip
	same     map[string]string // label → label of an equal mode, which is run in its place
	meter    []Metered
}

func (p *Plan) skip(what, why string, args ...any) {
	p.Skipped = append(p.Skipped, Skip{what, fmt.Sprintf(why, args...)})
}

const (
	defaultMinibatches = 100
	defaultIdle        = time.Minute
	// leastTimeout is the shortest timeout of a run; long runs get epochTimeout per epoch. The papers' longest epoch
	// took 90 minutes.
	leastTimeout = 24 * time.Hour
	epochTimeout = 3 * time.Hour
)

// Plan returns the settings. A plan without settings has the reason in Skipped.
func (e Experiment) Plan(r Request) Plan {
	var p Plan
	if r.Epochs == 0 {
		r.Epochs = e.Epochs
	}
	if r.Replayed && e.Name != "modes" {
		p.skip(e.Name, "a replay answers by power mode alone, whatever the job does")
		return p
	}
	e.plan(r, &p)
	return p
}

// Digest returns a fingerprint of the plan: a resume must have the same.
func (p *Plan) Digest(repeat int) string {
	h := sha256.New()
	fmt.Fprintln(h, repeat)
	for _, s := range p.Settings {
		fmt.Fprintln(h, s.Name, s.Mode, s.Settings, s.Workload.Workers, s.Workload.Batch, s.Workload.Torch, s.Idle,
			s.Medium, s.Unit)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// holdsCache returns why the page cache of the workload's data cannot be controlled without root. It returns "" when it
// can be: on a virtual board, or with the built-in job, which asks the kernel to drop its files.
func (r *Request) holdsCache() (why string) {
	w := r.Workload
	switch {
	case r.Simulated:
		return ""
	case len(w.Command) > 0 || w.Torch.Net == "":
		return "the job is a command of your own: dropping the whole page cache takes root, which is not done " +
			"here; a built-in job drops its own files"
	case w.Torch.DataFolder() == "":
		return "synthetic data are not in a file"
	}
	return ""
}

// setting returns one run of the request's workload.
func (r *Request) setting(name string) Setting {
	s := Setting{
		Name:     name,
		Mode:     r.Mode,
		Workload: r.Workload,
		Settings: record.Settings{Minibatches: r.Minibatches, Base: r.Base, SampleEvery: r.Every},
	}
	if s.Settings.Minibatches == 0 {
		s.Settings.Minibatches = defaultMinibatches
	}
	cache := "preload"
	if r.Epochs > 0 {
		s.Settings.Epochs = r.Epochs
		s.Settings.ModeTimeout = max(leastTimeout, time.Duration(r.Epochs)*epochTimeout)
		cache = "drop-once"
	}
	if r.holdsCache() == "" {
		s.Workload.Torch.Cache = cache
	}
	return s
}

func planWorkers(r Request, p *Plan) {
	if why, _ := r.Workload.LoaderFault(); why != "" {
		p.skip("loader processes", "%s", why)
		return
	}
	for _, n := range []int{0, 1, 2, 4, 8} {
		s := r.setting(fmt.Sprintf("workers %d", n))
		s.Workload.Workers = n
		p.Settings = append(p.Settings, s)
	}
	r.needsVariable(p, "JTUNE_WORKERS", r.Workload.TakesWorkers())
}

// needsVariable notes that the settings have no effect when the user's command does not read a variable. A job that
// reports its settings in its hello is checked while it runs.
func (r *Request) needsVariable(p *Plan, variable string, reads bool) {
	if len(r.Workload.Command) > 0 && !r.Simulated && !reads {
		p.skip("an effect of the settings", "the command does not read %s: its runs are all alike", variable)
	}
}

func planBatch(r Request, p *Plan) {
	for n := 1; n <= 128; n *= 2 {
		s := r.setting(fmt.Sprintf("batch %d", n))
		s.Workload.Batch = n
		p.Settings = append(p.Settings, s)
	}
	r.needsVariable(p, "JTUNE_BATCH", r.Workload.TakesBatch())
	if r.ScaledBatches {
		p.skip(
			"this board's own response",
			"the virtual board scales its times by slopes that were published for an AGX Xavier",
		)
	}
}

// studyMedium is the storage of the 2022 study's cache experiments (section 5.1).
const studyMedium = "hdd"

func planCache(r Request, p *Plan) {
	if why := r.holdsCache(); why != "" {
		p.skip("cache", "%s", why)
		return
	}
	r.Epochs = max(2, r.Epochs)
	medium := ""
	if r.Simulated && r.Medium == "" && slices.Contains(r.Media, studyMedium) && r.Media[0] != studyMedium {
		medium = studyMedium
		p.skip("the board's "+r.Media[0], "as in the 2022 study the data lie on an HDD over USB: a faster disk hides "+
			"what the cache does; to choose: %s", usage.Medium.Value())
	}
	for _, c := range []struct{ name, how string }{
		{"cold at the start", "drop-once"},
		{"dropped each epoch", "drop"},
		{"preloaded", "preload"},
	} {
		s := r.setting(c.name)
		s.Workload.Torch.Cache, s.Medium = c.how, medium
		p.Settings = append(p.Settings, s)
	}
}

// Names of the two runs on each medium.
const (
	coldAlone    = "cold, workers 0"
	warmWithFour = "warm, workers 4"
)

func planStorage(r Request, p *Plan) {
	media := r.Data
	switch {
	case r.Simulated:
		media = nil
		for _, name := range r.Media {
			media = append(media, Medium{Name: name})
		}
	case len(media) == 0 && r.Workload.Torch.DataFolder() != "":
		media = []Medium{{Dir: r.Workload.Torch.Data, Name: "data folder"}}
	}
	if len(media) < 2 && !r.Simulated {
		p.skip("a second medium", "none is named: copy the data there and give %s for each medium", usage.Data.Value())
	}
	fault, _ := r.Workload.LoaderFault()
	if fault != "" {
		p.skip(warmWithFour, "%s", fault)
	}
	for _, m := range media {
		on := r
		if m.Dir != "" {
			on.Workload.Torch.Data = m.Dir
		}
		if why := on.holdsCache(); why != "" {
			p.skip(m.Name, "%s", why)
			continue
		}
		on.Epochs = 1
		cold := on.setting(m.Name + ": " + coldAlone)
		cold.Workload.Workers, cold.Workload.Torch.Cache = 0, "drop"
		if r.Simulated {
			cold.Medium = m.Name
		}
		p.Settings = append(p.Settings, cold)
		if fault != "" {
			continue
		}
		on.Epochs = max(2, r.Epochs)
		warm := on.setting(m.Name + ": " + warmWithFour)
		warm.Workload.Workers, warm.Workload.Torch.Cache, warm.Medium = 4, "drop-once", cold.Medium
		p.Settings = append(p.Settings, warm)
	}
}

// Names of the two states of DVFS.
const (
	dvfsOff = "DVFS off"
	dvfsOn  = "DVFS on"
)

func planDVFS(r Request, p *Plan) {
	for _, name := range []string{dvfsOff, dvfsOn} {
		s := r.setting(name)
		s.Settings.DVFS = name == dvfsOn
		p.Settings = append(p.Settings, s)
	}
}

// Names of the idle states (the 2022 study on the base load).
const (
	idleLogging = "(i) DVFS off, log 1 s"
	idleSeldom  = "DVFS off, log 10 s"
	idleDVFS    = "DVFS on, log 10 s"
)

func planBaseload(r Request, p *Plan) {
	span := r.Idle
	if span <= 0 {
		span = defaultIdle
	}
	for _, state := range []struct {
		name  string
		every time.Duration
		dvfs  bool
	}{{idleLogging, time.Second, false}, {idleSeldom, 10 * time.Second, false}, {idleDVFS, 10 * time.Second, true}} {
		// The interval between samples is so long that no window can be steady.
		set := record.Settings{
			Minibatches: max(1, int(span.Seconds())),
			SampleEvery: state.every,
			FixedWait:   5 * time.Second,
			DVFS:        state.dvfs,
			ModeTimeout: span + 10*time.Minute,
		}
		p.Settings = append(p.Settings, Setting{Name: state.name, Mode: r.Mode, Settings: set, Idle: true,
			Workload: workload.Workload{Name: "idle", Title: "nothing", Batch: 1}})
	}
	p.meter = r.Meter
	given := func(state string) bool {
		return slices.ContainsFunc(r.Meter, func(m Metered) bool { return m.State == state })
	}
	for _, state := range []struct{ name, title, why string }{
		{"ii", "logging off, DVFS off", "without reading the sensors the board's power is unknown: read a meter at " +
			"the supply and give " + usage.Meter.String() + " ii=W; a reading every 10 s comes near"},
		{"iii", "logging off, DVFS on", "as (ii): give " + usage.Meter.String() + " iii=W"},
		{"iv", "suspended",
			"a suspended board cannot measure itself: read a meter at the supply and give " +
				usage.Meter.String() + " iv=W"},
	} {
		if !given(state.name) {
			p.skip("("+state.name+") "+state.title, "%s", state.why)
		}
	}
	if r.Simulated {
		p.skip("the cost of logging", "the virtual board draws nothing for being read")
	}
}

func planVariability(r Request, p *Plan) {
	r.Epochs = max(2, r.Epochs)
	if r.Units == 0 {
		p.Settings = append(p.Settings, r.setting("unchanged"))
		p.skip("other boards", "one board runs here: run the same there and put the CSV files side by side")
	}
	for n := range r.Units {
		s := r.setting(fmt.Sprintf("unit %d", n))
		s.Unit = tegra.Some(n)
		p.Settings = append(p.Settings, s)
	}
}

func planModes(r Request, p *Plan) {
	if r.Pair != nil {
		for _, m := range r.Pair {
			s := r.setting(r.Space.Format(m))
			s.Mode = m
			p.Settings = append(p.Settings, s)
		}
		return
	}
	modes, like := r.Space.StudyModes()
	if like {
		p.skip(
			"the modes themselves",
			"they are an AGX Xavier's: here each clock, and the cores, is at the same share of its maximum, at the "+
				"nearest step",
		)
	}
	seen := map[tegra.Mode]string{}
	p.same = map[string]string{}
	for i, m := range modes {
		label := string(rune('a' + i))
		switch first, twice := seen[m]; {
		case r.Labels != "" && !strings.Contains(r.Labels, label):
		case !r.Space.Contains(m):
			p.skip("mode "+label, "%s is not among the modes here", r.Space.Format(m))
		case twice:
			p.same[label] = first
			p.skip("mode "+label, "it is the same as mode %s here, %s", first, r.Space.Format(m))
		default:
			seen[m] = label
			s := r.setting(label + " " + r.Space.Format(m))
			s.Mode = m
			p.Settings = append(p.Settings, s)
		}
	}
}

package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/outlook"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/models"
)

// FitRequest asks for a model of measured modes.
type FitRequest struct {
	Samples   string // sweep file or campaign folder
	Strict    bool   // a bad row is fatal
	Reference string // "" the shipped one if it fits, "none", a name or a path
	Method    learn.Method
	// Network changes the settings of powertrain and nn; nil leaves them.
	Network func(*nn.Config)
	// Minibatches learns from that many of each mode's recorded minibatches, as if it had been measured for a shorter
	// time; 0: all. It needs a campaign folder.
	Minibatches int
	// Phase is record.Prefill or record.Decode: the model is then of one token of that phase; "": of whole requests.
	Phase  string
	SkipCV bool // no cross-validation: the model's own error is not known
	// Training is called before networks are trained, which takes its time; may
	// be nil.
	Training func()
	// Replicated is called with what the networks learn from; may be nil.
	Replicated func([]Replicated)
}

// Samples are measured modes and what is known of their origin.
type Samples struct {
	Measured   []tegra.Measured // with their batch size where there are several
	Space      *tegra.Space     // of the campaign's device; nil for a bare file
	Batches    []int            // batch sizes, ascending, where there are several; else nil
	Provenance learn.Provenance
	Notes      []string         // rows skipped, and why
	Readings   []tegra.Measured // every reading behind Measured, for a fit
	Folder     string           // of the campaign; "" for a bare file
	Size       int              // of the minibatches, picked from a campaign of several; else 0
	Workload   string           // that a bare file names in its column "workload"; "" for none or several
	Imported   bool             // a campaign folder made of a foreign file: Space is the grid of its modes
	board      tegra.Board      // they were measured on, as far as known
}

// HasPower reports whether power was measured; a sweep file may hold time alone.
func (s *Samples) HasPower() bool { return len(s.Measured) > 0 && s.Measured[0].HasPower() }

// ReadSamples reads a sweep file or a campaign folder. Rows that are not usable are left out and noted. From a file
// with several batch sizes it takes the given ones, or all.
func ReadSamples(path string, batches []int, strict bool) (Samples, error) {
	return readSamples(path, batches, strict, "")
}

// readSamples is ReadSamples of one phase of a language model, or of its whole requests.
func readSamples(path string, batches []int, strict bool, phase string) (Samples, error) {
	if dir, ok := record.CampaignDir(path); ok {
		return readCampaign(dir, batches, strict, phase)
	}
	if phase != "" {
		return Samples{}, usage.Phase.Errorf("%s needs a campaign folder, whose rows have the phases of a "+
			"language model; %s is a bare file", usage.Phase, path)
	}
	t, err := sweep.ReadFile(path, sweep.Options{Strict: strict, TimeOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no samples %s: there is no such file; name a campaign folder or a CSV file of measured modes",
			path)
	}
	if err != nil {
		return Samples{}, err
	}
	if t, err = session.SomeBatches(t, batches); err != nil {
		return Samples{}, err
	}
	from := learn.Provenance{Workload: filepath.Base(path), Virtual: t.Virtual()}
	out := Samples{Provenance: from, Notes: session.Skipped(path, t),
		Workload: t.Workload()}
	out.take(t.Readings())
	return out, nil
}

// modesExperiment is the experiment whose runs differ in the power mode alone.
const modesExperiment = "modes"

func readCampaign(dir string, batches []int, strict bool, phase string) (Samples, error) {
	head, rows, notes, err := record.ReadNoted(dir)
	if err != nil {
		return Samples{}, err
	}
	if strict && len(notes) > 0 {
		return Samples{}, errors.New(notes[0])
	}
	if campaigns.OfEnergy(head.Plan) {
		rows = campaigns.ClockPairs(head, rows)
	} else if head.Plan.Kind == record.ExperimentKind && head.Plan.Source != modesExperiment {
		return Samples{}, fmt.Errorf("%s holds experiment %s, whose runs differ in more than the mode: a model takes "+
			"a campaign of jtune profile", dir, head.Plan.Source)
	}
	if rows, err = rowsOf(dir, head, rows, batches); err != nil {
		return Samples{}, err
	}
	out := Samples{Folder: dir, Provenance: campaigns.CampaignProvenance(dir, head)}
	if phase != "" {
		if rows, err = ofPhase(rows, phase); err != nil {
			return Samples{}, fmt.Errorf("%s: %w", dir, err)
		}
		out.Folder, out.Provenance.Workload = "", head.Workload.Name+" "+phase
	}
	rows, copies := record.Distinct(rows)
	if out.Notes = notes; copies > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %s to the last digit: one reading each", dir,
			session.Copied(copies)))
	}
	if err := sweep.Swapped(record.Usable(rows)); err != nil {
		return Samples{}, fmt.Errorf("%s: %w", dir, err)
	}
	out.take(record.Usable(rows))
	if sizes := tegra.BatchSizes(tegra.SettingsOf(record.Usable(rows))); len(sizes) == 1 {
		out.Size = sizes[0]
	}
	if out.Batches == nil {
		out.Provenance.Batch = cmp.Or(out.Size, head.Workload.Batch)
	}
	out.board = head.Device.Board()
	if len(rows) == 0 {
		return out, fmt.Errorf("%s: no mode has been recorded yet; jtune profile with %s %s %s goes on", dir,
			usage.Out, dir, usage.Resume)
	}
	if len(out.Measured) == 0 {
		return out, fmt.Errorf("%s: no usable row among %d", dir, len(rows))
	}
	for _, r := range rows {
		if !r.Status.Usable() {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: %s left out: %s: %s", dir, r.Mode, r.Status, r.Why))
		}
	}
	out.Imported = head.Plan.Kind == imports.Kind
	out.Space, err = head.Device.Space()
	return out, err
}

// ofPhase are rows whose time and power belong to one token of a phase: those with its power, where some have it.
func ofPhase(rows []record.Row, phase string) ([]record.Row, error) {
	if phase != record.Prefill && phase != record.Decode {
		return nil, usage.Phase.Errorf("%s %q: want %s or %s", usage.Phase, text.Clip(phase), record.Prefill,
			record.Decode)
	}
	var timed, powered []record.Row
	for _, r := range rows {
		p, ok := r.PhaseOf(phase)
		if !ok || !r.Status.Usable() {
			continue
		}
		r.TimeMS, r.PowerW, r.Batch = 1000/p.PerS.V, math.NaN(), 0
		if p.PowerW.OK && p.PowerW.V > 0 {
			r.PowerW = p.PowerW.V
			powered = append(powered, r)
		}
		timed = append(timed, r)
	}
	switch {
	case timed == nil:
		return nil, fmt.Errorf("no row has the speed of %s: only servers that report their phases, with one request "+
			"at a time, and llama-bench show it", phase)
	case powered == nil: // shorter than the time between two samples
		return timed, nil
	}
	return powered, nil
}

// rowsOf picks the rows of the given batch sizes from a campaign of several; all
// rows when none is given.
func rowsOf(dir string, head record.Header, rows []record.Row, asked []int) ([]record.Row, error) {
	if head.Plan.Batches == nil || len(asked) == 0 {
		return rows, nil
	}
	for _, b := range asked {
		if !slices.Contains(head.Plan.Batches, b) {
			return nil, session.NotHeld(dir, head.Plan.Batches, b)
		}
	}
	return slices.DeleteFunc(slices.Clone(rows),
		func(r record.Row) bool { return !slices.Contains(asked, r.Batch) }), nil
}

// Outlook is what was measured of each setting.
func (s *Samples) Outlook() *outlook.Outlook {
	return outlook.Measured(s.Readings, s.Provenance)
}

// take sets the measurements and the batch sizes where those are an input.
func (s *Samples) take(readings []tegra.Measured) {
	s.Readings, s.Batches = tegra.Sized(readings)
	s.Measured = tegra.OncePerSetting(s.Readings)
}

// Fit fits a model to samples and returns notes on rows left out. The model covers
// the campaign's device, when the samples come from a
// campaign folder; else the device named in o; else, for a bare file, the
// board that is here, or the default one, when it has every sampled mode; else
// the grid that the samples span, with a warning. The device of an imported
// campaign is not known. When ctx ends it returns ctx.Err().
func Fit(ctx context.Context, o session.Options, r FitRequest) (*learn.Model, []string, error) {
	samples, err := readSamples(r.Samples, o.Batches, r.Strict, r.Phase)
	if err != nil {
		return nil, nil, err
	}
	if samples.Batches != nil && r.Method != "" && r.Method != learn.Auto && r.Method != learn.GP {
		return nil, samples.Notes, usage.Batch.Errorf("%s holds batch sizes %s, which %s %s cannot take for an input",
			r.Samples, text.JoinInts(samples.Batches), usage.Method, r.Method).
			Advise("choose one with %s, or use %s gp", usage.Batch.Value(), usage.Method)
	}
	if samples.Batches != nil && r.Reference == "" {
		r.Reference = "none" // references know one size
	}
	if r.Minibatches > 0 {
		if err := samples.shorten(r.Minibatches); err != nil {
			return nil, samples.Notes, err
		}
	}
	space, err := spaceOf(o, &samples)
	if err != nil {
		return nil, samples.Notes, err
	}
	if r.Reference == "" && !Transfers(r.Method) {
		r.Reference = "none"
	} else if r.Method == learn.PowerTrain && r.Reference == "none" {
		return nil, samples.Notes, usage.Reference.Errorf("powertrain transfers from a reference").
			Advise("remove %s none, or use %s nn", usage.Reference, usage.Method)
	}
	ref, err := models.ReferenceOn(o.Paths, r.Reference, samples.board, space)
	if err != nil {
		return nil, samples.Notes, err
	}
	samples.Provenance.Jtune, samples.Provenance.When = session.Version, time.Now()
	options := learn.Options{Method: r.Method, Space: space, Reference: ref, Seed: o.Seed,
		Provenance: samples.Provenance, SkipCV: r.SkipCV}
	if r.Method == learn.PowerTrain || r.Method == learn.NN {
		if options.Entries, err = samples.entries(r.Minibatches); err != nil {
			return nil, samples.Notes, err
		}
		c := learn.NetworkDefaults(r.Method)
		if r.Method == learn.PowerTrain && options.Entries != nil {
			c.Epochs = entryPasses
		}
		if r.Network != nil {
			r.Network(&c)
		}
		options.Network = &c
		if r.Replicated != nil {
			r.Replicated(replicate(samples.Readings, options.Entries))
		}
		if r.Training != nil {
			r.Training()
		}
	}
	m, err := learn.Fit(ctx, samples.Readings, options)
	if err != nil {
		return nil, samples.Notes, fmt.Errorf("%s: %w", r.Samples, err)
	}
	return m, samples.Notes, nil
}

// shorten takes each mode's median from its first minibatches alone.
func (s *Samples) shorten(minibatches int) error {
	if s.Batches != nil {
		return usage.Minibatches.Errorf("%s is for one batch size", usage.Minibatches).
			Advise("choose one with %s", usage.Batch.Value())
	}
	raw := map[tegra.Mode]record.Entries{}
	if s.Folder != "" {
		var notes []string
		var err error
		if raw, notes, err = record.ReadEntries(s.Folder, s.Size); err != nil {
			return err
		}
		s.Notes = append(s.Notes, notes...)
	}
	if len(raw) == 0 {
		return usage.Minibatches.Errorf("%s needs the single minibatches of a campaign folder of jtune profile",
			usage.Minibatches)
	}
	fewer := 0
	for i, m := range s.Readings {
		e, ok := raw[m.Mode]
		if !ok {
			continue
		}
		if len(e.TimesMS) < minibatches {
			fewer++
		}
		short := nn.Sample{Mode: m.Mode, TimesMS: e.TimesMS, PowersW: e.PowersW}.First(minibatches).Median()
		s.Readings[i].TimeMS = short.TimeMS
		if short.HasPower() {
			s.Readings[i].PowerW = short.PowerW
		}
	}
	s.Measured = tegra.OncePerSetting(s.Readings)
	s.Notes = append(s.Notes, fmt.Sprintf("%s: from the first %d minibatches of each mode (%d modes have fewer)",
		s.Folder, minibatches, fewer))
	return nil
}

// entryPasses is how many passes a transfer makes over single minibatches, of which there are 40 for each median.
// On the virtual AGX Orin (MobileNet, 50 modes, judged by 120 others) 25 passes give 7.0 / 4.4 %, 100 passes
// 8.1 / 4.0 % at 3.7 times the cost.
const entryPasses = 25

// mostEntries bounds what networks learn from: 500 modes as PowerTrain measures
// them. The paper's reference, of 4,368 modes, is as good from medians.
const mostEntries = 20_000

// entries reads the single measurements of a campaign, which the networks
// learn from, the first minibatches of each mode where the request limits them,
// and notes how many there are.
func (s *Samples) entries(minibatches int) ([]nn.Sample, error) {
	if s.Folder == "" {
		return nil, nil
	}
	raw, notes, err := record.ReadEntries(s.Folder, s.Size)
	s.Notes = append(s.Notes, notes...)
	if err != nil {
		return nil, err
	}
	var out []nn.Sample
	times, powers := 0, 0
	for _, m := range s.Measured {
		e := raw[m.Mode]
		one := nn.Sample{Mode: m.Mode, TimesMS: e.TimesMS, PowersW: e.PowersW}
		if minibatches > 0 {
			one = one.First(minibatches)
		}
		out = append(out, one)
		times, powers = times+len(one.TimesMS), powers+len(one.PowersW)
	}
	switch {
	case times > mostEntries:
		s.Notes = append(s.Notes, fmt.Sprintf("%s: the networks learn from medians, %d single minibatches would take "+
			"very long", s.Folder, times))
		return nil, nil
	case times > 0:
		s.Notes = append(s.Notes, fmt.Sprintf("%s: the networks learn from %d single minibatches and %d power "+
			"readings of %d modes", s.Folder, times, powers, len(s.Measured)))
	}
	return out, nil
}

// Refit fits a model's own samples again by a method, and transfers from
// the model or reference in a file where one is named. When ctx ends it
// returns ctx.Err().
func Refit(ctx context.Context, old *learn.Model, method learn.Method, reference string) (*learn.Model, error) {
	o := learn.Options{Method: method, Space: old.Space, Seed: old.Seed, Provenance: old.Provenance, Means: old.Means}
	o.Provenance.Jtune, o.Provenance.When, o.Provenance.Pool = session.Version, time.Now(), "" // the pool's own stays
	if reference != "" {
		var err error
		if o.Reference, err = models.LoadReference(reference); err != nil {
			return nil, err
		}
	}
	return learn.Fit(ctx, old.Samples, o)
}

// ErrInaccurate: a model's own error is larger than the user allows.
var ErrInaccurate = errors.New("the model is not accurate enough")

// CheckError returns an error that wraps ErrInaccurate where the cross-validated error of
// time or power is above mostPct, or not known; 0 allows any.
func CheckError(m *learn.Model, mostPct float64) error {
	switch pct := m.ErrorPct(); {
	case mostPct == 0:
	case !pct.OK:
		return fmt.Errorf("%w: %s, and at most %g %% is allowed: measure more modes", ErrInaccurate, m.Weakness(),
			mostPct)
	case pct.V > mostPct:
		return fmt.Errorf("%w: its own error is %.1f %%, and at most %g %% is allowed: measure more modes",
			ErrInaccurate, pct.V, mostPct)
	}
	return nil
}

// Transfers reports whether a method uses a reference when nobody names one.
func Transfers(m learn.Method) bool {
	return m == "" || m == learn.Auto || m == learn.GP || m == learn.PowerTrain
}

// spaceOf finds the space that a model of the samples is to speak of, and
// notes the device; nil lets the samples span it.
func spaceOf(o session.Options, s *Samples) (*tegra.Space, error) {
	named := o.Device != "" && o.Device != "auto" || o.Sysroot != "" && o.Sysroot != "/"
	switch {
	case s.Imported && !named:
		return nil, nil
	case s.Space != nil && !s.Imported:
		return s.Space, nil
	}
	dev, err := session.Open(o)
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	if space := dev.Device.Space(); named || holdsAll(space, s.Measured) {
		s.board = dev.Device.Board()
		if !named && s.board.Virtual {
			s.Notes = append(s.Notes, fmt.Sprintf("no Jetson here: the model speaks of the %s of virtual:%s",
				text.Count(space.Len(), "mode"), session.DefaultVirtual))
			s.board.Virtual = false // it lends its modes; the numbers are the file's
		}
		s.Provenance.Device = s.board.Name
		return space, nil
	}
	return nil, nil
}

// holdsAll reports whether every sampled mode belongs to the space.
func holdsAll(space *tegra.Space, rows []tegra.Measured) bool {
	for _, r := range rows {
		if _, err := space.Snap(r.Mode); err != nil {
			return false
		}
	}
	return true
}

// PresetsFor are the presets of the present device when it has all sampled modes; none otherwise.
func PresetsFor(o session.Options, samples Samples) []tegra.Preset {
	s, err := session.Open(o)
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, m := range samples.Measured {
		if !s.Device.Space().Contains(m.Mode) {
			return nil
		}
	}
	return s.Device.Presets()
}

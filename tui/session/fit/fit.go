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
	Strict    bool   // an invalid row is fatal
	Reference string // "": the shipped one if it fits; "none"; a name or a path
	Method    learn.Method
	// Network changes the settings of powertrain and nn; nil: defaults.
	Network func(*nn.Config)
	// Minibatches learns from only that many recorded minibatches of each mode, as if it had been measured for a
	// shorter time; 0: all. It needs a campaign folder.
	Minibatches int
	// Phase is record.Prefill or record.Decode: the model then predicts one token of that phase; "": whole requests.
	Phase  string
	SkipCV bool // no cross-validation: the model's error stays unknown
	// Training is called before networks are trained, which takes time; may be nil.
	Training func()
	// Replicated is called with the data that the networks learn from; may be nil.
	Replicated func([]Replicated)
}

// Samples are measured modes and their origin.
type Samples struct {
	Measured   []tegra.Measured // with batch sizes if there are several
	Space      *tegra.Space     // of the campaign's device; nil for a bare file
	Batches    []int            // ascending, at least one
	Provenance learn.Provenance
	Notes      []string         // skipped rows and the reasons
	Readings   []tegra.Measured // all readings behind Measured, for a fit
	Folder     string           // of the campaign; "" for a bare file
	Size       int              // batch size picked from a campaign of several; else 0
	Workload   string           // from the column "workload" of a bare file; "" for none or several
	Imported   bool             // the folder was made from a foreign file: Space is the grid of its modes
	board      tegra.Board      // the measured board, as far as known
}

// HasPower reports whether power was measured; a sweep file may hold only times.
func (s *Samples) HasPower() bool { return len(s.Measured) > 0 && s.Measured[0].HasPower() }

// ReadSamples reads a sweep file or a campaign folder. Unusable rows are omitted and noted. From a file with several
// batch sizes it takes the given ones, or all.
func ReadSamples(path string, batches []int, strict bool) (Samples, error) {
	return readSamples(path, batches, strict, "")
}

// readSamples is ReadSamples for one phase of a language model; "" for whole requests.
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

// modesExperiment is the experiment whose runs differ only in the power mode.
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
			"a campaign of jtune lab profile", dir, head.Plan.Source)
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
	if len(out.Batches) == 1 {
		out.Provenance.Batch = cmp.Or(out.Size, head.Workload.Batch)
	}
	out.board = head.Device.Board()
	if len(rows) == 0 {
		return out, fmt.Errorf("%s: no mode has been recorded yet; jtune lab profile with %s %s %s resumes it", dir,
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

// ofPhase returns rows with the time and power of one token of a phase; only those with power, if any have it.
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
	case powered == nil: // the phase was shorter than the sampling interval
		return timed, nil
	}
	return powered, nil
}

// rowsOf picks the rows of the given batch sizes from a campaign of several; all rows if none is given.
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

// Outlook returns the measurements of each setting.
func (s *Samples) Outlook() *outlook.Outlook {
	return outlook.Measured(s.Readings, s.Provenance)
}

// take sets the measurements and their batch sizes.
func (s *Samples) take(readings []tegra.Measured) {
	s.Readings = tegra.OfOwn(readings)
	s.Batches = tegra.BatchSizes(tegra.SettingsOf(s.Readings))
	s.Measured = tegra.OncePerSetting(s.Readings)
}

// Fit fits a model to samples and returns notes on omitted rows. The model covers the device of the campaign folder; or
// else the device named in o; or else, for a bare file, the present or default board if it has every sampled mode; or
// else the grid that the samples span, with a warning. The device of an imported campaign is unknown. When ctx ends it
// returns ctx.Err().
func Fit(ctx context.Context, o session.Options, r FitRequest) (*learn.Model, []string, error) {
	samples, err := readSamples(r.Samples, o.Batches, r.Strict, r.Phase)
	if err != nil {
		return nil, nil, err
	}
	if len(samples.Batches) > 1 {
		if r.Method != "" && r.Method != learn.Auto && r.Method != learn.GP {
			return nil, samples.Notes, usage.Batch.Errorf("%s holds batch sizes %s, which %s %s cannot take for an "+
				"input", r.Samples, text.JoinInts(samples.Batches), usage.Method, r.Method).
				Advise("choose one with %s, or use %s gp", usage.Batch.Value(), usage.Method)
		}
		r.Reference = cmp.Or(r.Reference, "none") // references have one batch size
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
	if r.Method == learn.PowerTrain && r.Reference == "none" {
		return nil, samples.Notes, usage.Reference.Errorf("powertrain transfers from a reference").
			Advise("remove %s none, or use %s nn", usage.Reference, usage.Method)
	}
	ref, err := models.Reference(o.Paths, r.Reference)
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

// shorten recomputes each mode's median from its first minibatches.
func (s *Samples) shorten(minibatches int) error {
	if len(s.Batches) > 1 {
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
		return usage.Minibatches.Errorf("%s needs the single minibatches of a campaign folder of jtune lab profile",
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

// entryPasses is how many passes a transfer makes over single minibatches; there are 40 for each median. On the virtual
// AGX Orin (MobileNet, 50 modes, tested on 120 others) 25 passes give 7.0 / 4.4 %, and 100 passes 8.1 / 4.0 % at 3.7
// times the cost.
const entryPasses = 25

// mostEntries caps the data that networks learn from: 500 modes as PowerTrain measures them. The paper's reference,
// with 4,368 modes, is as good from medians.
const mostEntries = 20_000

// entries reads the single measurements of a campaign for the networks, and notes how many there are; if minibatches is
// set, only the first ones of each mode.
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

// Refit refits a model's own samples with a method, and transfers from the model or reference in a file if one is
// given. When ctx ends it returns ctx.Err().
func Refit(ctx context.Context, old *learn.Model, method learn.Method, reference string) (*learn.Model, error) {
	o := learn.Options{Method: method, Space: old.Space, Seed: old.Seed, Provenance: old.Provenance, Means: old.Means}
	o.Provenance.Jtune, o.Provenance.When, o.Provenance.Pool = session.Version, time.Now(), "" // not the pool's model
	if reference != "" {
		var err error
		if o.Reference, err = models.LoadReference(reference); err != nil {
			return nil, err
		}
	}
	return learn.Fit(ctx, old.Samples, o)
}

// ErrInaccurate reports that a model's error is larger than the user allows.
var ErrInaccurate = errors.New("the model is not accurate enough")

// CheckError returns an error that wraps ErrInaccurate if the cross-validated error of time or power is above mostPct,
// or unknown; 0 allows any.
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

// Transfers reports whether a method uses a reference by default.
func Transfers(m learn.Method) bool {
	return m == "" || m == learn.Auto || m == learn.GP || m == learn.PowerTrain
}

// spaceOf returns the space that a model of the samples covers, and sets the device; nil: the samples span it.
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
		s.Provenance.Device = s.board.Name
		s.Provenance.Presets, s.Provenance.Found = record.NewFoundHeader(dev.Device.Presets(), dev.Setup()).Read()
		if !named && s.board.Virtual {
			s.Notes = append(s.Notes, fmt.Sprintf("no Jetson here: the model is for the %s of virtual:%s",
				text.Count(space.Len(), "mode"), session.DefaultVirtual))
			// it only supplies its modes and presets; the numbers come from the file
			s.board.Virtual, s.Provenance.Found = false, tegra.Setup{}
		}
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

// PresetsFor returns the presets of the present device if it has all sampled modes; else none.
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

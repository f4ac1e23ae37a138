package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"jtune/internal/text"
	"jtune/learn/baseline"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// document is the JSON part of a model file.
type document struct {
	Method      Method      `json:"method"`
	Provenance  Provenance  `json:"provenance"`
	Seed        uint64      `json:"seed"`
	Space       spaceLists  `json:"space"`
	Fingerprint string      `json:"samples_sha256"`
	Samples     []row       `json:"samples"`
	Batches     []int       `json:"sample_batches,omitempty"` // batch size of each sample if it is an input
	CV          crossErrors `json:"cv"`
	Reference   string      `json:"reference"`
	RefSamples  []row       `json:"reference_samples,omitempty"`
	// RefReduced is a board's profile or a reduced reference, as earlier versions wrote it; it is not used.
	RefReduced json.RawMessage `json:"reference_compact,omitempty"`
	Warnings   []string        `json:"warnings"`
	Suspicious []modeRow       `json:"suspicious"`
	SuspectBs  []int           `json:"suspicious_batches,omitempty"`
	Repeated   []modeRow       `json:"repeated,omitempty"`
	RepeatBs   []int           `json:"repeated_batches,omitempty"`
	Means      []meanRow       `json:"means,omitempty"`    // of samples measured more than once
	Errors     []errorRow      `json:"errors,omitempty"`   // of the samples' readings; without, all are unknown
	Bands      *bands          `json:"bands,omitempty"`    // for methods other than gp
	Networks   *networkBytes   `json:"networks,omitempty"` // for nn and powertrain
	Fit        *keptFit        `json:"fit,omitempty"`      // for gp; none in files of older versions
}

// spaceLists is a space: its lists, and the indices of its members in the full product if not every combination exists.
type spaceLists struct {
	Cores   []int        `json:"cores"`
	CPUHz   []tegra.Freq `json:"cpu_hz"`
	GPUHz   []tegra.Freq `json:"gpu_hz"`
	MemHz   []tegra.Freq `json:"mem_hz"`
	Partial bool         `json:"partial,omitempty"`
	Members []int        `json:"members,omitempty"`
}

// modeRow is cores, cpu_hz, gpu_hz, mem_hz.
type modeRow = [tegra.NumKnobs]int64

// meanRow is the mean of a sample's N readings; the sample holds their median.
type meanRow struct {
	Sample int      `json:"sample"` // index of the sample
	N      int      `json:"n"`
	TimeMS float64  `json:"time_ms"`
	PowerW optional `json:"power_w"`
}

// errorRow holds the relative standard errors of time and power; null where unknown.
type errorRow [2]optional

// row is a measured mode: cores, cpu_hz, gpu_hz, mem_hz, time_ms, power_w.
type row [6]optional

// optional is null in a file if it is NaN, such as power that was not measured.
type optional float64

func (v optional) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func (v *optional) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = optional(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(v))
}

type crossErrors struct {
	TimeMAPEPct  float64  `json:"time_mape_pct"`
	PowerMAPEPct optional `json:"power_mape_pct"`
	How          string   `json:"how"`
}

type bands struct {
	LnTimeSD  float64  `json:"ln_time_sd"`
	LnPowerSD optional `json:"ln_power_sd"`
	DoF       int      `json:"dof"`
}

// networkBytes holds the networks as encoded by package nn; no power network if power was not measured.
type networkBytes struct {
	Time  []byte `json:"time"`
	Power []byte `json:"power,omitempty"`
}

// fingerprint is a checksum of the samples: models with equal fingerprints used the same measurements.
func (m *Model) fingerprint() string {
	var lines []byte
	for i, r := range rows(m.Samples) {
		lines = fmt.Append(lines, r)
		lines = fmt.Appendln(lines, text.IfAny(" %d", m.Samples[i].Batch))
	}
	return checksum(lines)
}

func (m *Model) document() (*document, error) {
	d := &document{
		Method:      m.Method,
		Provenance:  m.Provenance,
		Seed:        m.Seed,
		Space:       listsOf(m.Space),
		Fingerprint: m.fingerprint(),
		Samples:     rows(m.Samples),
		CV:          crossErrors{m.CV.TimeMAPEPct, optional(m.CV.PowerMAPEPct), m.CV.How},
		Reference:   m.Reference,
		RefSamples:  rows(m.reference),
		Warnings:    m.Warnings,
	}
	d.Suspicious, d.SuspectBs = settingRows(m.Suspicious)
	d.Repeated, d.RepeatBs = settingRows(m.Repeated)
	known := false
	for i, r := range m.Readings() {
		d.Batches = append(d.Batches, r.Batch)
		if r.N > 1 {
			d.Means = append(d.Means, meanRow{i, r.N, r.TimeMS, optional(r.PowerW)})
		}
		unknown := math.NaN()
		e := errorRow{optional(r.Errors.Time.Or(unknown)), optional(r.Errors.Power.Or(unknown))}
		known = known || r.Errors != tegra.Errors{}
		d.Errors = append(d.Errors, e)
	}
	if !known {
		d.Errors = nil
	}
	if slices.Equal(m.Batches, tegra.Own) { // as in files of older versions
		d.Batches, d.SuspectBs, d.RepeatBs = nil, nil, nil
	}
	if s, ok := m.surrogate(); ok {
		d.Fit = keep(s)
	}
	b, ok := m.predictor.(*banded)
	if !ok {
		return d, nil
	}
	d.Bands = &bands{b.timeSD, optional(b.powerSD), b.dof}
	pair, ok := b.Networks()
	if !ok {
		return d, nil
	}
	d.Networks = &networkBytes{}
	var err error
	if d.Networks.Time, err = pair.Time.MarshalBinary(); err == nil && pair.Power != nil {
		d.Networks.Power, err = pair.Power.MarshalBinary()
	}
	return d, err
}

// settingRows returns modes and batch sizes.
func settingRows(list []tegra.Setting) (modes []modeRow, batches []int) {
	for _, s := range list {
		modes, batches = append(modes, s.Mode.Values()), append(batches, s.Batch)
	}
	return modes, batches
}

func settingsIn(modes []modeRow, batches []int) []tegra.Setting {
	var out []tegra.Setting
	for i, s := range modes {
		a := tegra.Setting{Mode: tegra.ModeOfValues(s)}
		if i < len(batches) {
			a.Batch = batches[i]
		}
		out = append(out, a)
	}
	return out
}

func (d *document) model() (*Model, error) {
	m, err := d.unfitted()
	if err != nil {
		return nil, err
	}
	return m, d.restore(m)
}

// unfitted returns the model as the file describes it; it predicts nothing.
func (d *document) unfitted() (*Model, error) {
	space, err := d.Space.space()
	if err != nil {
		return nil, fmt.Errorf("space: %w", err)
	}
	m := &Model{
		Method:     d.Method,
		Space:      space,
		Samples:    measured(d.Samples),
		CV:         Errors{d.CV.TimeMAPEPct, float64(d.CV.PowerMAPEPct), d.CV.How},
		Reference:  d.Reference,
		Warnings:   d.Warnings,
		Provenance: d.Provenance,
		Seed:       d.Seed,
		reference:  measured(d.RefSamples),
	}
	m.Suspicious, m.Repeated = settingsIn(d.Suspicious, d.SuspectBs), settingsIn(d.Repeated, d.RepeatBs)
	if err := d.batches(m); err != nil {
		return nil, err
	}
	if len(m.Samples) < LeastJudged { // older versions estimated errors from fewer samples
		m.CV = Errors{}
	}
	if len(d.RefReduced) > 0 { // which changed its errors too
		m.Reference, m.CV = "", Errors{}
		m.warn("it was made with reference %s, which this version does not use: fitted again to its %d measured modes",
			d.Reference, len(m.Samples))
	}
	if err := d.means(m); err != nil {
		return nil, err
	}
	return m, d.check(m)
}

// batches sets the batch sizes of the samples.
func (d *document) batches(m *Model) error {
	n := len(d.Batches)
	if n > 0 && n != len(m.Samples) {
		return fmt.Errorf("%d batch sizes for %d samples", n, len(m.Samples))
	}
	for i, b := range d.Batches {
		m.Samples[i].Batch = b
	}
	return m.setSizes(m.Samples)
}

// means sets the means of samples measured more than once, and the errors of all readings.
func (d *document) means(m *Model) error {
	if len(d.Errors) > 0 && len(d.Errors) != len(m.Samples) {
		return fmt.Errorf("%d errors of %d samples", len(d.Errors), len(m.Samples))
	}
	for i, e := range d.Errors {
		m.Samples[i].Errors = tegra.Errors{Time: tegra.Finite(float64(e[0])), Power: tegra.Finite(float64(e[1]))}
	}
	for _, r := range d.Means {
		if r.Sample < 0 || r.Sample >= len(m.Samples) || r.N < 2 {
			return fmt.Errorf("a mean of %d readings of sample %d", r.N, r.Sample)
		}
		mean := m.Samples[r.Sample]
		mean.TimeMS, mean.PowerW = r.TimeMS, float64(r.PowerW)
		if err := checkSample(m.Space, mean); err != nil {
			return err
		}
		m.Means = append(m.Means, tegra.Mean{Measured: mean, N: r.N})
	}
	return nil
}

// check rejects documents that no fit can produce.
func (d *document) check(m *Model) error {
	if len(m.Samples) == 0 {
		return errors.New("it has no samples")
	}
	for i, p := range m.Provenance.Presets {
		if !complete(p.Mode) {
			return fmt.Errorf("preset %d is no power mode", i+1)
		}
		m.Provenance.Presets[i].Name = text.Clip(p.Name)
	}
	if found := m.Provenance.Found.Mode; found.OK && !complete(found.V) {
		return errors.New("the mode that its board was in is none")
	}
	for i, s := range slices.Concat(m.Samples, m.reference) {
		if err := checkSample(m.Space, s); err != nil {
			return fmt.Errorf("sample %d: %w", i+1, err)
		}
	}
	if d.Fingerprint != m.fingerprint() {
		return errors.New("its samples do not match its fingerprint")
	}
	if err := checkPower(m.Samples); err != nil {
		return err
	}
	for _, v := range []float64{m.CV.TimeMAPEPct, m.CV.PowerMAPEPct} {
		if absent := math.IsNaN(v) && !m.HasPower(); !absent && (!(v >= 0) || math.IsInf(v, 0)) {
			return fmt.Errorf("a cross-validated error of %g %%", v)
		}
	}
	b := d.Bands
	if b == nil {
		return nil
	}
	timeOK, powerOK := inside(b.LnTimeSD, 0, mostSD), !m.HasPower() || inside(float64(b.LnPowerSD), 0, mostSD)
	if !timeOK || !powerOK || b.DoF < 1 {
		return fmt.Errorf("error bars of %g and %g with %d degrees of freedom", b.LnTimeSD, b.LnPowerSD, b.DoF)
	}
	return nil
}

// complete reports whether all knobs of a mode have values.
func complete(m tegra.Mode) bool { return m.Cores > 0 && m.CPU > 0 && m.GPU > 0 && m.EMC > 0 }

// restore creates the predictor: it refits gp and the simple methods, and decodes stored networks.
func (d *document) restore(m *Model) error {
	if d.Method == GP {
		t := &fitter{model: m, options: Options{Method: GP, Seed: d.Seed}}
		if d.Fit != nil && d.Fit.Version == fitVersion {
			t.kept = d.Fit
		}
		var err error
		if len(m.reference) > 0 {
			if t.residual, err = newResidual(m.Space, m.reference); err != nil {
				return err
			}
		}
		m.predictor, err = t.fit(context.Background(), m.Samples)
		return err
	}
	fitted, err := d.pair(m)
	if err != nil {
		return err
	}
	if d.Bands == nil {
		return errors.New("it has no error bars")
	}
	m.predictor = &banded{
		Pair:    fitted,
		timeSD:  d.Bands.LnTimeSD,
		powerSD: float64(d.Bands.LnPowerSD),
		dof:     d.Bands.DoF,
	}
	return nil
}

func (d *document) pair(m *Model) (*baseline.Pair, error) {
	if fit, ok := baseline.Of(string(d.Method)); ok {
		return baseline.FitPair(context.Background(), m.Samples, d.Seed, fit)
	}
	if d.Method != NN && d.Method != PowerTrain {
		return nil, fmt.Errorf("its method is %q", text.Clip(string(d.Method)))
	}
	if d.Networks == nil || (len(d.Networks.Power) > 0) != m.HasPower() {
		return nil, errors.New("its networks are missing or do not match its samples")
	}
	pair := nn.Pair{Time: new(nn.Net)}
	if err := pair.Time.UnmarshalBinary(d.Networks.Time); err != nil {
		return nil, err
	}
	if m.HasPower() {
		pair.Power = new(nn.Net)
		if err := pair.Power.UnmarshalBinary(d.Networks.Power); err != nil {
			return nil, err
		}
	}
	return baseline.OfNetworks(pair), nil
}

func rows(samples []tegra.Measured) []row {
	var out []row
	for _, s := range samples {
		r := row{4: optional(s.TimeMS), 5: optional(s.PowerW)}
		for k, v := range s.Mode.Values() {
			r[k] = optional(v)
		}
		out = append(out, r)
	}
	return out
}

func measured(rows []row) []tegra.Measured {
	var out []tegra.Measured
	for _, r := range rows {
		var v modeRow
		for k := range v {
			v[k] = int64(r[k])
		}
		at := tegra.Setting{Mode: tegra.ModeOfValues(v)}
		out = append(out, tegra.Measured{Setting: at, TimeMS: float64(r[4]), PowerW: float64(r[5])})
	}
	return out
}

func listsOf(s *tegra.Space) spaceLists {
	l := spaceLists{Cores: s.Cores, CPUHz: s.CPU, GPUHz: s.GPU, MemHz: s.EMC, Partial: !s.Full()}
	if l.Partial {
		if full, err := l.product(); err == nil {
			for _, m := range s.All() {
				i, _ := full.Index(m)
				l.Members = append(l.Members, i)
			}
		}
	}
	return l
}

func (l *spaceLists) product() (*tegra.Space, error) {
	s, err := tegra.NewSpace(l.Cores, l.CPUHz, l.GPUHz, l.MemHz)
	if err == nil {
		err = s.Bounded()
	}
	return s, err
}

func (l *spaceLists) space() (*tegra.Space, error) {
	full, err := l.product()
	if err != nil || !l.Partial {
		return full, err
	}
	if len(l.Members) == 0 {
		return nil, errors.New("it has no modes")
	}
	modes := make([]tegra.Mode, len(l.Members))
	for k, i := range l.Members {
		if i < 0 || i >= full.Len() {
			return nil, fmt.Errorf("member %d of a space of %d modes", i, full.Len())
		}
		modes[k] = full.At(i)
	}
	return full.Restrict(modes)
}

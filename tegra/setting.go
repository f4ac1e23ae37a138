package tegra

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"jtune/internal/stats"
	"jtune/internal/text"
)

// Setting is a power mode and a batch size.
type Setting struct {
	Mode  Mode
	Batch int // samples per minibatch; 0: the job's own, among no others
}

// Per returns what settings are compared by: a sample where the batch size is chosen, else the job's own unit.
func (a Setting) Per(unit string) string {
	if a.Batch == 0 {
		return unit
	}
	return "sample"
}

// Own lists the batch sizes of a job without others to choose among: its own.
var Own = []int{0}

// Sizes returns batch sizes ascending, each once; Own without any.
func Sizes(list ...int) []int {
	if len(list) == 0 {
		return Own
	}
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// Among returns batch sizes if there are several to choose among, which is when they are shown; else none.
func Among(sizes []int) []int {
	if len(sizes) < 2 {
		return nil
	}
	return sizes
}

// WithBatch returns the setting with own, at least 1, as the batch size of a job without others.
func (a Setting) WithBatch(own int) Setting {
	a.Batch = cmp.Or(a.Batch, max(1, own))
	return a
}

// OfOwn returns rows as of a job without other batch sizes, unless they have several; a row's size is its job's.
func OfOwn(rows []Measured) []Measured {
	if len(BatchSizes(SettingsOf(rows))) > 1 {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Batch = 0
	}
	return rows
}

// NameOfSettings names a setting over these batch sizes: "mode" with one.
func NameOfSettings(batches []int) string {
	if len(batches) > 1 {
		return "setting"
	}
	return "mode"
}

// PerBatch names the unit of a time, a minibatch of the setting's size; "" without a size.
func (a Setting) PerBatch() string { return text.IfAny(" per minibatch of %d", a.Batch) }

// BatchSizes lists the distinct batch sizes of settings, ascending; Own without settings.
func BatchSizes(list []Setting) []int {
	sizes := make([]int, len(list))
	for i, a := range list {
		sizes[i] = a.Batch
	}
	return Sizes(sizes...)
}

// Settings lists every mode with every batch size, mode by mode.
func Settings(modes []Mode, batches []int) []Setting {
	out := make([]Setting, 0, len(modes)*len(batches))
	for _, m := range modes {
		for _, b := range batches {
			out = append(out, Setting{Mode: m, Batch: b})
		}
	}
	return out
}

// Places indexes the modes of a space times the batch sizes, in the order of Settings.
type Places struct {
	Space   *Space
	Batches []int // ascending, at least one
}

// PlacesOf returns the places of a space at batch sizes; at Own without any.
func PlacesOf(space *Space, batches []int) Places {
	return Places{Space: space, Batches: Sizes(batches...)}
}

// Len returns the number of settings.
func (p Places) Len() int { return p.Space.Len() * len(p.Batches) }

// At returns the setting at an index.
func (p Places) At(i int) Setting {
	n := len(p.Batches)
	return Setting{Mode: p.Space.At(i / n), Batch: p.Batches[i%n]}
}

// Index returns the index of a setting; false if it is not a member.
func (p Places) Index(a Setting) (int, bool) {
	i, ok := p.Space.Index(a.Mode)
	k, found := slices.BinarySearch(p.Batches, a.Batch)
	return i*len(p.Batches) + k, ok && found
}

// All lists all settings.
func (p Places) All() []Setting { return Settings(p.Space.Modes(), p.Batches) }

// Absent returns the indexes of the settings that a list lacks; nil: none.
func (p Places) Absent(only []Setting) map[int]bool {
	out := map[int]bool{}
	if only == nil {
		return out
	}
	for i := range p.Len() {
		out[i] = true
	}
	for _, a := range only {
		if i, ok := p.Index(a); ok {
			delete(out, i)
		}
	}
	return out
}

// Sample draws n settings without replacement, or all in random order if n is larger.
func (p Places) Sample(n int, seed uint64) []Setting {
	if len(p.Batches) == 1 { // the draws of earlier versions
		return Settings(p.Space.Sample(n, seed), p.Batches)
	}
	out := make([]Setting, min(n, p.Len()))
	for k, i := range rand.New(rand.NewPCG(seed, 0x73657474696e6773)).Perm(p.Len())[:len(out)] {
		out[k] = p.At(i)
	}
	return out
}

// SettingsOf returns the settings of measurements.
func SettingsOf(samples []Measured) []Setting {
	out := make([]Setting, len(samples))
	for i, s := range samples {
		out[i] = s.Setting
	}
	return out
}

// ModesOf returns the modes of settings.
func ModesOf(list []Setting) []Mode {
	out := make([]Mode, len(list))
	for i, a := range list {
		out[i] = a.Mode
	}
	return out
}

// Repeats holds all measurements of one setting.
type Repeats struct {
	Setting
	TimesMS, PowersW []float64
	Errors           []Errors
	all              []Measured
}

// Median returns the medians of time and power; their error is unknown unless there is one.
func (r *Repeats) Median() Measured {
	m := Measured{Setting: r.Setting, TimeMS: stats.Median(r.TimesMS), PowerW: stats.Median(r.PowersW)}
	if len(r.Errors) == 1 {
		m.Errors = r.Errors[0]
	}
	return m.With(r.values(stats.Median)...)
}

// values returns the further quantities that every measurement has.
func (r *Repeats) values(mean func([]float64) float64) (out []Value) {
	for _, v := range r.all[0].Further() {
		var list []float64
		for _, m := range r.all {
			if x := m.Value(v.Metric, v.On); x.OK {
				list = append(list, x.V)
			}
		}
		if v.V = mean(list); len(list) == len(r.all) {
			out = append(out, v)
		}
	}
	return out
}

// Mean returns the means of time and power.
func (r *Repeats) Mean() Mean {
	m := Measured{Setting: r.Setting, TimeMS: stats.Mean(r.TimesMS), PowerW: stats.Mean(r.PowersW)}
	for i, e := range r.Errors {
		n := float64(i)
		m.Errors = m.Errors.plus(n/(n+1), e, 1/(n+1))
	}
	return Mean{m.With(r.values(stats.Mean)...), len(r.TimesMS)}
}

// Mean is the mean of N measurements of a setting.
type Mean struct {
	Measured
	N int
}

// And returns the combined mean of two means of the same setting; either N may be 0.
func (m Mean) And(more Mean) Mean {
	switch {
	case m.N == 0:
		return more
	case more.N == 0:
		return m
	}
	share := float64(more.N) / float64(m.N+more.N)
	m.TimeMS += share * (more.TimeMS - m.TimeMS)
	m.PowerW += share * (more.PowerW - m.PowerW)
	m.Errors = m.Errors.plus(1-share, more.Errors, share)
	for _, v := range m.Further() {
		v.V += share * (more.Value(v.Metric, v.On).Or(v.V) - v.V)
		m.Measured = m.With(v)
	}
	m.N += more.N
	return m
}

// BySetting groups measurements by setting, in the order of first appearance.
func BySetting(rows []Measured) []Repeats {
	var out []Repeats
	at := map[Setting]int{}
	for _, r := range rows {
		i, seen := at[r.Setting]
		if !seen {
			i = len(out)
			at[r.Setting], out = i, append(out, Repeats{Setting: r.Setting})
		}
		out[i].TimesMS, out[i].PowersW = append(out[i].TimesMS, r.TimeMS), append(out[i].PowersW, r.PowerW)
		out[i].Errors, out[i].all = append(out[i].Errors, r.Errors), append(out[i].all, r)
	}
	return out
}

// OncePerSetting returns one measurement per setting, the median of its repeats, in order of first appearance.
func OncePerSetting(rows []Measured) []Measured {
	groups := BySetting(rows)
	out := make([]Measured, len(groups))
	for i, g := range groups {
		out[i] = g.Median()
	}
	return out
}

// MeansOf returns the mean of each setting's samples.
func MeansOf(samples []Measured) []Mean {
	groups := BySetting(samples)
	out := make([]Mean, len(groups))
	for i, g := range groups {
		out[i] = g.Mean()
	}
	return out
}

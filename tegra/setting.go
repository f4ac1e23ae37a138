package tegra

import (
	"math/rand/v2"
	"slices"

	"jtune/internal/stats"
)

// Setting is what is chosen for a workload: a power mode and, where that is an
// input as well, the batch size.
type Setting struct {
	Mode  Mode
	Batch int // samples per minibatch; 0 where the batch size is not an input
}

// Sized decides whether the batch size is an input of measurements: it is where they have several. Then it returns them
// unchanged, and the sizes ascending; else the sizes are nil and the measurements have Batch 0.
func Sized(rows []Measured) ([]Measured, []int) {
	sizes := BatchSizes(SettingsOf(rows))
	if len(sizes) > 1 {
		return rows, sizes
	}
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Batch = 0
	}
	return rows, nil
}

// BatchSizes lists the batch sizes of settings, ascending, one alone too; nil
// where they have none.
func BatchSizes(list []Setting) []int {
	var sizes []int
	for _, a := range list {
		if a.Batch > 0 {
			sizes = append(sizes, a.Batch)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// Settings lists every mode with every batch size, mode by mode; a size of
// 0 where there is none.
func Settings(modes []Mode, batches []int) []Setting {
	if len(batches) == 0 {
		batches = []int{0}
	}
	out := make([]Setting, 0, len(modes)*len(batches))
	for _, m := range modes {
		for _, b := range batches {
			out = append(out, Setting{Mode: m, Batch: b})
		}
	}
	return out
}

// Places are the modes of a space, each with every batch size, by
// index in the order of Settings. Without sizes they are the space.
type Places struct {
	Space   *Space
	Batches []int // ascending; nil where the size is not an input
}

// Len counts the settings.
func (p Places) Len() int { return p.Space.Len() * max(1, len(p.Batches)) }

// At is the setting of an index.
func (p Places) At(i int) Setting {
	if n := len(p.Batches); n > 0 {
		return Setting{Mode: p.Space.At(i / n), Batch: p.Batches[i%n]}
	}
	return Setting{Mode: p.Space.At(i)}
}

// Index finds a setting; false when it is none of these.
func (p Places) Index(a Setting) (int, bool) {
	i, ok := p.Space.Index(a.Mode)
	n := len(p.Batches)
	if n == 0 {
		return i, ok && a.Batch == 0
	}
	k, found := slices.BinarySearch(p.Batches, a.Batch)
	return i*n + k, ok && found
}

// All lists them.
func (p Places) All() []Setting { return Settings(p.Space.Modes(), p.Batches) }

// Sample draws n of them without replacement, or all in random order when n is
// larger.
func (p Places) Sample(n int, seed uint64) []Setting {
	if len(p.Batches) == 0 {
		return Settings(p.Space.Sample(n, seed), nil)
	}
	out := make([]Setting, min(n, p.Len()))
	for k, i := range rand.New(rand.NewPCG(seed, 0x73657474696e6773)).Perm(p.Len())[:len(out)] {
		out[k] = p.At(i)
	}
	return out
}

// SettingsOf are the settings of measurements.
func SettingsOf(samples []Measured) []Setting {
	out := make([]Setting, len(samples))
	for i, s := range samples {
		out[i] = s.Setting
	}
	return out
}

// ModesOf are the modes of settings.
func ModesOf(list []Setting) []Mode {
	out := make([]Mode, len(list))
	for i, a := range list {
		out[i] = a.Mode
	}
	return out
}

// Repeats are all measurements of one setting.
type Repeats struct {
	Setting
	TimesMS, PowersW []float64
}

// Median is the measurement that counts.
func (r *Repeats) Median() Measured {
	return Measured{Setting: r.Setting, TimeMS: stats.Median(r.TimesMS), PowerW: stats.Median(r.PowersW)}
}

// Mean is the mean of all measurements.
func (r *Repeats) Mean() Mean {
	m := Measured{Setting: r.Setting, TimeMS: stats.Mean(r.TimesMS), PowerW: stats.Mean(r.PowersW)}
	return Mean{m, len(r.TimesMS)}
}

// Mean is the mean of N measurements of a setting.
type Mean struct {
	Measured
	N int
}

// And is the mean with those of another one of the same setting; N may be 0 in either.
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
	}
	return out
}

// OncePerSetting is one measurement per setting, the median of its repeats, in
// the order of first appearance.
func OncePerSetting(rows []Measured) []Measured {
	groups := BySetting(rows)
	out := make([]Measured, len(groups))
	for i, g := range groups {
		out[i] = g.Median()
	}
	return out
}

// MeansOf are the means of samples, setting by setting.
func MeansOf(samples []Measured) []Mean {
	groups := BySetting(samples)
	out := make([]Mean, len(groups))
	for i, g := range groups {
		out[i] = g.Mean()
	}
	return out
}

package virtual

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"jtune/tegra"
	"jtune/tegra/boards"
	"jtune/tegra/sweep"
)

// replay answers from a measured table.
type replay struct {
	name  string
	sizes map[int]*answers // by samples per minibatch; 0 is the only key if there are not several
	space *tegra.Space
	lists lists
	// foreign: the table is not from an AGX Orin, so its lists differ.
	foreign bool
}

// answers are a table's rows of one batch size.
type answers struct {
	rows  map[tegra.Mode]tegra.Measured
	order []tegra.Measured              // in the order of the file
	place [][tegra.NumKnobs]float64     // position of each of order, in octaves
	near  map[tegra.Mode]tegra.Measured // cached answers for states between the modes
}

// newReplay takes the median per mode of a table, and per batch size if it has several.
func newReplay(t *sweep.Table, board lists) (*replay, error) {
	r := &replay{name: filepath.Base(t.Name), sizes: map[int]*answers{}}
	var err error
	if r.space, err = tegra.NewSubspace(t.Modes()); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	all := t.Measured()
	if len(t.Batches()) > 1 {
		all = t.Settings()
	}
	for _, m := range all {
		if m.Mode.CPU%tegra.KHz != 0 || m.Mode.EMC%tegra.KHz != 0 {
			return nil, fmt.Errorf("%s: power mode %s has a CPU or memory clock that is not a whole number of "+
				"kHz, as the kernel counts them",
				t.Name, m.Mode)
		}
		a := r.sizes[m.Batch]
		if a == nil {
			a = &answers{rows: map[tegra.Mode]tegra.Measured{}, near: map[tegra.Mode]tegra.Measured{}}
			r.sizes[m.Batch] = a
		}
		a.rows[m.Mode] = m
		a.order, a.place = append(a.order, m), append(a.place, octaves(m.Mode))
	}
	r.lists = lists{cores: slices.Max(r.space.Cores), cpu: r.space.CPU, gpu: r.space.GPU, emc: r.space.EMC}
	r.foreign = !r.lists.within(board)
	return r, nil
}

// widen extends an AGX Orin's facts to the cores of a table that has more.
func widen(f *boards.Facts, cores int) {
	for i := len(f.CPU.Leaders); i < cores; i++ {
		if i%4 == 0 {
			f.Conf.Clusters = append(f.Conf.Clusters, fmt.Sprintf("CPU_A78_%d %d", i/4, i))
		}
		f.CPU.Leaders = append(f.CPU.Leaders, i-i%4)
		f.Conf.Order = append(f.Conf.Order, i)
	}
}

// of returns the answers for a batch size; false if the table has several but not this one.
func (r *replay) of(batch int) (*answers, bool) {
	if only, ok := r.sizes[0]; ok {
		return only, true
	}
	a, ok := r.sizes[batch]
	return a, ok
}

// row returns the answer for a mode at a batch size in the table.
func (r *replay) row(m tegra.Mode, batch int) tegra.Measured {
	a, ok := r.of(batch)
	if !ok {
		panic("virtual: a job of a batch size that its table has not")
	}
	return a.row(m)
}

// within reports whether other has every setting of l.
func (l *lists) within(other lists) bool {
	in := func(some, all []tegra.Freq) bool {
		return !slices.ContainsFunc(some, func(f tegra.Freq) bool { return !slices.Contains(all, f) })
	}
	return l.cores <= other.cores && in(l.cpu, other.cpu) && in(l.gpu, other.gpu) && in(l.emc, other.emc)
}

// row returns a mode's row, or the nearest if it has none, such as when governors choose the clocks.
func (r *answers) row(m tegra.Mode) tegra.Measured {
	if own, ok := r.rows[m]; ok {
		return own
	}
	if known, ok := r.near[m]; ok {
		return known
	}
	at, best, least := octaves(m), 0, math.Inf(1)
	for i, p := range r.place {
		d := 0.0
		for k := range p {
			d += math.Abs(p[k] - at[k])
		}
		if d < least {
			best, least = i, d
		}
	}
	r.near[m] = r.order[best]
	return r.order[best]
}

func octaves(m tegra.Mode) (at [tegra.NumKnobs]float64) {
	for k := range tegra.NumKnobs {
		at[k] = math.Log2(m.Value(k))
	}
	return at
}

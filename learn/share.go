package learn

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra"
)

// Users build board profiles together: each shares a profile of one workload, and anyone can merge several. A share
// holds no measured value, and no time can be computed from it.

// Constants of a shared profile: the parameter deviations and residual shares were chosen with the workloads of an AGX
// Orin (docs/decisions/023-board-profiles-and-learned-priors.md).
var (
	sharedPriors = [2]Prior{
		{SD: []float64{0.4, 0.5, 0.7, 0.5, 0.5, 0.5, 0.5, 0.33}, LevelSD: 3},
		{SD: []float64{0.2, 0.45, 0.35, 0.35, 0.55, 0.8, 0.8, 0.8, 0.8}, LevelSD: 0.05},
	}
	severalCarry = [2]Share{{Mean: 0.9, SD: 0.3}, {Mean: 1, SD: 0.2}}
	oneCarries   = [2]Share{{Mean: 0.5, SD: 0.4}, {Mean: 0.6, SD: 0.4}}
)

const (
	severalShares = 3   // workloads from which a profile has priors and nearly full residual shares
	leastLike     = 0.1 // correlation of a workload's power residual with the others' mean, below which it is odd
	mostApart     = 6.0 // RMS distance of the parameters from the others', in deviations, above which it is odd
)

// NewShare reduces one workload to a profile under a given name. The modes of its model span the board in space;
// LeastReference of them must be measured.
func NewShare(name string, note ReferenceNote, space *tegra.Space, measured []tegra.Measured) (*Profile, error) {
	note.Name, note.Workload = name, name
	return newProfile(space, note, oneCarries, &sharedPriors, []ProfileSweep{{Network: name, Workload: name,
		Measured: measured}})
}

// LoadProfile reads a file written by Profile.Save. Its names are safe to print.
func LoadProfile(path string) (*Profile, error) {
	data, err := safefile.Read(path, mostFileBytes)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	p, err := decodeProfile(data)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", filepath.Base(path), err)
	}
	n := &p.ReferenceNote
	for _, s := range []*string{&n.Name, &n.Workload, &n.Device, &n.Source, &n.Licence, &n.Command} {
		*s = text.Clip(*s)
	}
	for i := range p.Workloads {
		w := &p.Workloads[i]
		w.Network, w.Workload = text.Clip(w.Network), text.Clip(w.Workload)
	}
	return p, nil
}

// MergeProfiles merges several profiles of one board. The error names a profile of another board, a simulated one among
// measured ones, a duplicate, or one that contradicts the others.
func MergeProfiles(name string, list []*Profile) (*Profile, error) {
	if len(list) == 0 {
		return nil, errors.New("a profile needs a shared workload")
	}
	first := list[0]
	out := *first
	out.Name, out.Workloads = name, nil
	for _, p := range list {
		switch {
		case p.Device != first.Device:
			return nil, fmt.Errorf("%s is of another board (%s) than %s (%s)", p.Name, p.Device, first.Name,
				first.Device)
		case p.Max != first.Max:
			return nil, fmt.Errorf("%s describes a board with other highest clocks than %s", p.Name, first.Name)
		case p.Virtual != first.Virtual:
			return nil, fmt.Errorf("%s and %s: one describes a simulated board, the other a real one", p.Name,
				first.Name)
		case p.Octaves != first.Octaves || !slices.Equal(p.Centres, first.Centres):
			return nil, fmt.Errorf("%s has other modes than %s: both must come from a model of the whole board", p.Name,
				first.Name)
		case p.Priors == nil:
			return nil, fmt.Errorf("%s lacks the parameters of its workloads", p.Name)
		}
		for _, w := range p.Workloads {
			if slices.ContainsFunc(out.Workloads, func(o Profiled) bool {
				return o.Network == w.Network || slices.Equal(o.Power, w.Power)
			}) {
				return nil, fmt.Errorf("workload %s is there twice", w.Network)
			}
			if w.Modes < LeastReference {
				return nil, fmt.Errorf("workload %s was learned from %d modes, at least %d are needed", w.Network,
					w.Modes, LeastReference)
			}
			out.Workloads = append(out.Workloads, w)
		}
	}
	out.Carries, out.Priors = oneCarries, &sharedPriors
	var names []string
	for _, w := range out.Workloads {
		names = append(names, w.Network)
	}
	out.Workload = strings.Join(names, "; ")
	if err := out.check(); err != nil {
		return nil, err
	}
	if len(out.Workloads) >= severalShares {
		out.Carries = severalCarry
		return &out, out.odd()
	}
	return &out, nil
}

// Learned returns the profile as a reference, with priors only if it has enough workloads.
func (p *Profile) Learned() *Compact {
	c := p.Compact("")
	if len(p.Workloads) < severalShares {
		c.Priors = nil
	}
	return c
}

// odd returns an error for the workload that the others contradict most; next to a wrong one, correct workloads look
// odd too.
func (p *Profile) odd() error {
	var unlike, far string
	least, most := leastLike, mostApart
	for _, w := range p.Workloads {
		others := p.Compact(w.Network)
		own := (&Profile{ReferenceNote: p.ReferenceNote, Max: p.Max, Octaves: p.Octaves, Centres: p.Centres,
			Priors: p.Priors, Workloads: []Profiled{w}}).Compact("")
		like := stat.Correlation(own.powerAtCentres(), others.powerAtCentres(), nil)
		if math.IsNaN(like) {
			like = -1
		}
		if like < least {
			unlike, least = w.Network, like
		}
		for target := range w.Theta {
			if d := p.distance(w, others, target); d > most {
				far, most = w.Network, d
			}
		}
	}
	switch {
	case far != "":
		return fmt.Errorf("the parameters of %s lie %.0f deviations from the others': leave it out", far, most)
	case unlike != "":
		return fmt.Errorf("what %s says of the board's power contradicts the others (correlation %.2f): leave it out",
			unlike, least)
	}
	return nil
}

// distance returns the root mean square distance of a workload's amplitudes from the others' mean, in deviations.
func (p *Profile) distance(w Profiled, others *Compact, target int) float64 {
	sum, q := 0.0, &others.Priors[target]
	n := len(q.Mean) - 1
	for i := range n {
		sum += square((w.Theta[target][i]-q.Mean[i])/p.Priors[target].SD[i]) / float64(n)
	}
	return math.Sqrt(sum)
}

// powerAtCentres returns the residual of ln power at the centres.
func (c *Compact) powerAtCentres() []float64 {
	f := family{octaves: c.octaves()}
	n := len(c.Centres)
	sum := kernelSum{octaves: f.octaves, time: make([]float64, n), power: make([]float64, n)}
	at := make([]point, n)
	for i, x := range c.Centres {
		at[i] = x.point()
		sum.x = append(sum.x, f.scaled(at[i]))
		sum.power[i] = float64(c.Power[i])
	}
	time, power := make([]float64, n), make([]float64, n)
	sum.add(at, time, power)
	return power
}

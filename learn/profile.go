package learn

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"jtune/tegra"
)

// Profile describes what workloads have in common on one kind of board: the residuals of several measured workloads,
// around shared kernels, and the parameters of their mean functions. The mean over all workloads is a reference with a
// prior (docs/method.md, Board profiles); the mean over all but one serves to test on the one left out. Its file is a
// line of text and JSON, like that of a Compact:
//
//	jtune-board VERSION SHA-256-of-the-JSON
type Profile struct {
	ReferenceNote
	Max       modeRow                 `json:"max"`     // largest settings of the device: 0 octaves
	Octaves   [tegra.NumKnobs]float64 `json:"octaves"` // lengthscales
	Centres   []centre                `json:"centres"`
	Carries   [2]Share                `json:"carries"`          // transferred share of the residual of time and power
	Priors    *[2]Prior               `json:"priors,omitempty"` // only the deviations; the means come from the workloads
	Workloads []Profiled              `json:"workloads"`
}

// Profiled is one workload's part of a profile.
type Profiled struct {
	Network  string    `json:"network"`  // name used for leaving it out
	Workload string    `json:"workload"` // measured workload
	Modes    int       `json:"modes"`    // number measured
	Time     []float32 `json:"time"`     // weights of ln time, one per centre
	Power    []float32 `json:"power"`
	// Theta are the parameters of the mean functions of time and power: ln amplitudes, those of time relative to their
	// mean, so that no time can be computed, and ln p. Nil without priors.
	Theta *[2][]float64 `json:"theta,omitempty"`
}

// ProfileSweep is a measured workload for a profile.
type ProfileSweep struct {
	Network, Workload string
	Measured          []tegra.Measured
}

const (
	profileMagic   = "jtune-board"
	profileVersion = 1
	thetaSample    = 200 // modes for learning a workload's parameters
	thetaOwnSD     = 1.5 // wide prior of that fit
	thetaLevelSD   = 5.0
	mostProfiled   = 20 // workloads in a file
)

// NewProfile builds a profile from sweeps of at least LeastReference modes each; the first spans the board. carries is
// the transferred share of the mean residual. priors are the deviations of the parameters from the workloads' mean;
// nil: no priors.
func NewProfile(note ReferenceNote, carries [2]Share, priors *[2]Prior, sweeps []ProfileSweep) (*Profile, error) {
	if len(sweeps) == 0 {
		return nil, errors.New("a profile needs a measured workload")
	}
	space, err := tegra.Spanned(tegra.ModesOf(tegra.SettingsOf(sweeps[0].Measured)))
	if err != nil {
		return nil, err
	}
	return newProfile(space, note, carries, priors, sweeps)
}

func newProfile(space *tegra.Space, note ReferenceNote, carries [2]Share, priors *[2]Prior,
	sweeps []ProfileSweep) (*Profile, error) {
	top := space.Max()
	p := &Profile{ReferenceNote: note, Max: top.Values(), Octaves: compactOctaves, Carries: carries, Priors: priors}
	f := family{octaves: (&Compact{Octaves: p.Octaves}).octaves()}
	scale := newScale(space)
	x := scale.points(space.Modes())
	for i := range x {
		x[i] = f.scaled(x[i])
	}
	var centres []point
	p.Centres, centres = centresOf(x, f, p.Octaves)
	for _, s := range sweeps {
		w, err := profiled(space, s, x, centres, priors != nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Network, err)
		}
		p.Workloads = append(p.Workloads, w)
	}
	return p, p.check()
}

// profiled reduces a workload's residual on a board to kernels around the centres.
func profiled(space *tegra.Space, s ProfileSweep, x, centres []point, theta bool) (Profiled, error) {
	w := Profiled{Network: s.Network, Workload: s.Workload}
	whole, err := newResidual(space, s.Measured)
	if err != nil {
		return w, err
	}
	w.Modes = whole.modes
	time, power := whole.over(space)
	if w.Time, err = narrowWeights(centres, x, time); err != nil {
		return w, err
	}
	if w.Power, err = narrowWeights(centres, x, power); err != nil || !theta {
		return w, err
	}
	wideTime, widePower := timeFamily, powerFamily
	for _, f := range []*family{&wideTime, &widePower} {
		f.prior.SD = slices.Clone(f.prior.SD)
		for i := range f.amplitudes() {
			f.prior.SD[i] = thetaOwnSD
		}
		f.prior.LevelSD = thetaLevelSD
	}
	fit, err := fitSurrogate(space, thin(s.Measured, thetaSample, 1), SurrogateOptions{Robust: 1},
		hyperparameters{&wideTime, &widePower})
	if err != nil {
		return w, err
	}
	ofTimes, ofPowers := slices.Clone(fit.time.curves[0].theta), slices.Clone(fit.power.curves[0].theta)
	k := timeFamily.amplitudes()
	level := 0.0
	for _, a := range ofTimes[:k] {
		level += a / float64(k)
	}
	for i := range k {
		ofTimes[i] -= level
	}
	w.Theta = &[2][]float64{ofTimes, ofPowers}
	return w, nil
}

// Networks lists the networks that can be left out.
func (p *Profile) Networks() []string {
	var out []string
	for _, w := range p.Workloads {
		out = append(out, w.Network)
	}
	return out
}

// Only returns the profile of one network as a reference.
func (p *Profile) Only(network string) *Reference {
	one := *p
	one.Workloads = slices.DeleteFunc(slices.Clone(p.Workloads), func(w Profiled) bool { return w.Network != network })
	return one.Compact("").reference()
}

// Compact returns the mean of the profile's workloads without those of one network ("" for none left out); nil if no
// workload remains.
func (p *Profile) Compact(without string) *Compact {
	var kept []Profiled
	for _, w := range p.Workloads {
		if w.Network != without {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	c := &Compact{
		ReferenceNote: p.ReferenceNote,
		Max:           p.Max,
		Octaves:       p.Octaves,
		Centres:       p.Centres,
		Carries:       &p.Carries,
		Time:          make([]float32, len(p.Centres)),
		Power:         make([]float32, len(p.Centres)),
	}
	var names []string
	for _, w := range kept {
		c.Modes += w.Modes
		names = append(names, w.Workload)
		for i := range p.Centres {
			c.Time[i] += w.Time[i] / float32(len(kept))
			c.Power[i] += w.Power[i] / float32(len(kept))
		}
	}
	c.Workload = strings.Join(names, "; ")
	if len(kept) < len(p.Workloads) {
		c.Name += leftOut + without
	}
	if p.Priors != nil {
		c.Priors = p.priors(kept)
	}
	return c
}

// leftOut separates the name of a profile from the network that it was made without.
const leftOut = "-without-"

// priors returns the mean parameters of some workloads, with the profile's deviations narrowed to their scatter
// (docs/decisions/030-as-narrow-as-the-workloads-lie.md). p of the power mean is the family's: a learned value was no
// better for held-out workloads (docs/decisions/023-board-profiles-and-learned-priors.md).
func (p *Profile) priors(kept []Profiled) *[2]Prior {
	var out [2]Prior
	for target, f := range []*family{ofTime: &timeFamily, ofPower: &powerFamily} {
		mean := slices.Clone(f.prior.Mean)
		for i := range f.amplitudes() {
			mean[i] = 0
			for _, w := range kept {
				mean[i] += w.Theta[target][i] / float64(len(kept))
			}
		}
		sd := slices.Clone(p.Priors[target].SD)
		by := scatter(kept, target, mean, sd)
		for i := range f.amplitudes() {
			sd[i] *= by
		}
		out[target] = Prior{Mean: mean, SD: sd, LevelSD: p.Priors[target].LevelSD, Scatter: by}
	}
	return &out
}

// leastScatter prevents a rigid prior from a few workloads that happen to be similar.
const leastScatter = 0.25

// scatter returns the expected root mean square distance of another workload's amplitudes from their mean, in
// deviations; at most 1, and 1 with a single known workload.
func scatter(kept []Profiled, target int, mean, sd []float64) float64 {
	n, sum, count := float64(len(kept)), 0.0, 0.0
	for i := range sd[:min(len(sd), len(mean)-1)] { // without p
		for _, w := range kept {
			sum += square((w.Theta[target][i] - mean[i]) / sd[i])
		}
		count += n - 1
	}
	if count == 0 {
		return 1
	}
	return min(max(math.Sqrt(sum/count*(1+1/n)), leastScatter), 1)
}

// Reference returns the profile as a reference for gp, without the workloads of one network ("" for none left out); nil
// if none remains.
func (p *Profile) Reference(without string) *Reference {
	c := p.Compact(without)
	if c == nil {
		return nil
	}
	r := c.reference()
	r.Profile = p
	return r
}

// check rejects values that NewProfile cannot produce.
func (p *Profile) check() error {
	n := len(p.Centres)
	if len(p.Workloads) == 0 || len(p.Workloads) > mostProfiled {
		return fmt.Errorf("%d workloads", len(p.Workloads))
	}
	if q := p.Priors; q != nil &&
		(len(q[ofTime].SD) != timeFamily.params() || len(q[ofPower].SD) != powerFamily.params()) {
		return fmt.Errorf("priors of %d and %d deviations", len(q[ofTime].SD), len(q[ofPower].SD))
	}
	for _, w := range p.Workloads {
		if w.Network == "" || len(w.Time) != n || len(w.Power) != n {
			return fmt.Errorf("workload %q with %d and %d weights of %d", w.Network, len(w.Time), len(w.Power), n)
		}
		if p.Priors != nil && (w.Theta == nil || len(w.Theta[ofTime]) != timeFamily.amplitudes()+1 ||
			len(w.Theta[ofPower]) != powerFamily.amplitudes()+1) {
			return fmt.Errorf("workload %q lacks parameters for the priors", w.Network)
		}
	}
	for _, without := range append(p.Networks(), "") {
		if c := p.Compact(without); c != nil {
			if err := c.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Save writes the profile to a file.
func (p *Profile) Save(path string) error {
	return save("profile", path, profileMagic, profileVersion, p)
}

func decodeProfile(data []byte) (*Profile, error) {
	var p Profile
	body, _, err := unframe(profileMagic, data, profileVersion)
	if err == nil {
		err = json.Unmarshal(body, &p)
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReferenceDamaged, err)
	}
	return &p, nil
}

//go:embed ref/*.board
var shippedProfiles embed.FS

// Profiles holds the boards' profiles shipped in this program, ordered by name.
var Profiles = sync.OnceValue(func() []*Profile {
	entries, err := shippedProfiles.ReadDir("ref")
	var out []*Profile
	for _, e := range entries {
		var data []byte
		if data, err = shippedProfiles.ReadFile("ref/" + e.Name()); err != nil {
			break
		}
		var p *Profile
		if p, err = decodeProfile(data); err != nil {
			break
		}
		out = append(out, p)
	}
	if err != nil {
		panic(fmt.Sprintf("learn: a built-in board profile: %v", err))
	}
	return out
})

// ProfileNames lists the boards with a shipped profile: the names of the files, since every command's help lists them
// and decoding the profiles takes a millisecond.
func ProfileNames() []string {
	entries, err := shippedProfiles.ReadDir("ref")
	if err != nil {
		panic(fmt.Sprintf("learn: the built-in board profiles: %v", err))
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".board"))
	}
	return out
}

// ProfileReference returns a shipped profile by name: a board's, "agx-orin", or one with a network left out,
// "agx-orin-without-mobilenet"; nil if there is none.
func ProfileReference(name string) *Reference {
	board, without, some := strings.Cut(name, leftOut)
	for _, p := range Profiles() {
		if p.Name == board && (!some || slices.Contains(p.Networks(), without)) {
			return p.Reference(without)
		}
	}
	return nil
}

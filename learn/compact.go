package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"jtune/tegra"
)

// Compact is a reference workload's residual reduced to a few kernels, small enough to ship, to store in a model file
// and to share. It contains no measured value, and none can be computed from it: it lacks the amplitudes of the mean
// functions and has far fewer numbers than the measured modes. Its file is a line of text and JSON:
//
//	jtune-reference VERSION SHA-256-of-the-JSON
//	{"name": …, "centres": …, "time": …, "power": …}
type Compact struct {
	ReferenceNote
	Modes   int                     `json:"modes"`   // number measured
	Max     modeRow                 `json:"max"`     // largest settings of the device: 0 octaves
	Octaves [tegra.NumKnobs]float64 `json:"octaves"` // lengthscales
	Centres []centre                `json:"centres"`
	Time    []float32               `json:"time"` // weights of ln time, one per centre
	Power   []float32               `json:"power"`
	// Carries is the transferred share of the residual of time and power; nil: that of a single workload.
	Carries *[2]Share `json:"carries,omitempty"`
	Priors  *[2]Prior `json:"priors,omitempty"` // of time and power on this board; nil: none
	// Root mean squares of ln over the modes of the sweep's grid: of the residual, and of the error of its reduction.
	Says [2]float64 `json:"says_rms_ln_time_power"`
	Lost [2]float64 `json:"lost_rms_ln_time_power"`
}

// ReferenceNote is the origin of a reference.
type ReferenceNote struct {
	Name     string `json:"name"`
	Version  int    `json:"version"`           // version of these numbers
	Workload string `json:"workload"`          // measured workload
	Device   string `json:"device"`            // name of the board, as tegra gives it
	Source   string `json:"source"`            // source of the measurements
	Licence  string `json:"licence"`           // of the measurements
	Command  string `json:"command"`           // command that made the reference
	Virtual  bool   `json:"virtual,omitempty"` // measured on a simulated board
}

// centre is a point in octaves below the device's largest settings.
type centre [tegra.NumKnobs]float32

const (
	referenceMagic   = "jtune-reference"
	referenceVersion = 1
	// compactCentres kernels reproduce the residual of 1,000 modes with an error of about a tenth; see the README of
	// the shipped reference.
	compactCentres = 192
	mostCentres    = 1000
	// mostResidual bounds deviations of ln values; those of a real device are below 0.3.
	mostResidual = 1.0
)

// compactOctaves are lengthscales shared by the kernels of both targets.
var compactOctaves = [tegra.NumKnobs]float64{1.5, 1.5, 2.5, 2}

// NewCompact computes the residual of a reference's measured modes (at least 100) and reduces it to compactCentres
// kernels spread over those modes.
func NewCompact(note ReferenceNote, reference []tegra.Measured) (*Compact, error) {
	space, err := tegra.Spanned(tegra.ModesOf(tegra.SettingsOf(reference)))
	if err != nil {
		return nil, err
	}
	whole, err := newResidual(space, reference)
	if err != nil {
		return nil, err
	}
	top := space.Max()
	c := &Compact{
		ReferenceNote: note,
		Modes:         len(whole.samples),
		Max:           top.Values(),
		Octaves:       compactOctaves,
	}
	f := family{octaves: c.octaves()}
	x := whole.scale.points(space.Modes())
	for i := range x {
		x[i] = f.scaled(x[i])
	}
	var centres []point
	c.Centres, centres = centresOf(x, f, c.Octaves)
	time, power := whole.over(space)
	if c.Time, err = narrowWeights(centres, x, time); err != nil {
		return nil, err
	}
	if c.Power, err = narrowWeights(centres, x, power); err != nil {
		return nil, err
	}
	reduced, err := c.residual(space)
	if err != nil {
		return nil, err
	}
	nearTime, nearPower := reduced.over(space)
	zero := make([]float64, len(time))
	c.Says = [2]float64{rms(time, zero), rms(power, zero)}
	c.Lost = [2]float64{rms(time, nearTime), rms(power, nearPower)}
	return c, c.check()
}

// centresOf selects compactCentres of the points, which are scaled by f's octaves. It returns them unscaled, as stored,
// and scaled by octaves.
func centresOf(x []point, f family, octaves [tegra.NumKnobs]float64) (stored []centre, scaled []point) {
	for _, i := range spreadOut(x, compactCentres) {
		var at centre
		for k := range at {
			at[k] = float32(x[i][k] * octaves[k])
		}
		stored, scaled = append(stored, at), append(scaled, f.scaled(at.point()))
	}
	return stored, scaled
}

// narrowWeights converts fitWeights to float32.
func narrowWeights(centres, at []point, values []float64) ([]float32, error) {
	weights, err := fitWeights(centres, at, values)
	out := make([]float32, len(weights))
	for i, w := range weights {
		out[i] = float32(w)
	}
	return out, err
}

func rms(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += square(v - b[i])
	}
	return math.Sqrt(sum / float64(len(a)))
}

// reference returns c as a Reference.
func (c *Compact) reference() *Reference {
	from := Provenance{Device: c.Device, Workload: c.Workload, Virtual: c.Virtual}
	return &Reference{Name: c.Name, Compact: c, Provenance: from}
}

func (c centre) point() point {
	var x point
	for k, v := range c {
		x[k] = float64(v)
	}
	return x
}

func (c *Compact) octaves() point {
	var x point
	copy(x[:], c.Octaves[:])
	x[batchInput] = noBatch
	return x
}

// residual returns the residual for a device with this space.
func (c *Compact) residual(space *tegra.Space) (*Residual, error) {
	r := &Residual{space: space, scale: newScale(space), modes: c.Modes, carries: refShare}
	r.sums = []kernelSum{{octaves: c.octaves()}}
	if !c.suits(space) {
		return nil, errForeignModes
	}
	for k := range tegra.NumKnobs {
		r.scale.log2Max[k] = math.Log2(float64(c.Max[k]))
	}
	if c.Carries != nil {
		r.carries = *c.Carries
	}
	if c.sameTop(space) {
		r.priors = c.Priors
	}
	f := family{octaves: c.octaves()}
	sum := &r.sums[0]
	for i, at := range c.Centres {
		sum.x = append(sum.x, f.scaled(at.point()))
		sum.time, sum.power = append(sum.time, float64(c.Time[i])), append(sum.power, float64(c.Power[i]))
	}
	return r, nil
}

// suits reports whether the space may belong to the measured kind of device: its largest settings are similar.
func (c *Compact) suits(space *tegra.Space) bool {
	for k := range tegra.NumKnobs {
		largest, here := float64(c.Max[k]), slices.Max(space.Values(k))
		if here > 1.02*largest || here < 0.49*largest {
			return false
		}
	}
	return true
}

// sameTop reports whether the space has the same largest settings as the measured device, where amplitudes are defined.
func (c *Compact) sameTop(space *tegra.Space) bool {
	for k := range tegra.NumKnobs {
		if slices.Max(space.Values(k)) < 0.98*float64(c.Max[k]) {
			return false
		}
	}
	return true
}

// check rejects values that NewCompact cannot produce.
func (c *Compact) check() error {
	n := len(c.Centres)
	if err := c.checkTransfer(); err != nil {
		return err
	}
	if n == 0 || n > mostCentres || len(c.Time) != n || len(c.Power) != n {
		return fmt.Errorf("%d centres with %d and %d weights", n, len(c.Time), len(c.Power))
	}
	for k := range tegra.NumKnobs {
		if c.Max[k] <= 0 || !inside(c.Octaves[k], 0.1, 100) {
			return fmt.Errorf("largest setting %d and lengthscale %g of %v", c.Max[k], c.Octaves[k], k)
		}
	}
	f := family{octaves: c.octaves()}
	sum := kernelSum{octaves: f.octaves, time: make([]float64, n), power: make([]float64, n)}
	at := make([]point, n)
	for i, x := range c.Centres {
		for _, v := range x {
			if !inside(float64(v), -maxOctavesBelow, maxOctavesAbove) {
				return fmt.Errorf("centre %d is at %g octaves", i+1, v)
			}
		}
		at[i] = x.point()
		sum.x = append(sum.x, f.scaled(at[i]))
		sum.time[i], sum.power[i] = float64(c.Time[i]), float64(c.Power[i])
	}
	time, power := make([]float64, n), make([]float64, n)
	sum.add(at, time, power)
	for i := range at {
		if !inside(time[i], -mostResidual, mostResidual) || !inside(power[i], -mostResidual, mostResidual) {
			return fmt.Errorf("deviations of %g and %g at centre %d", time[i], power[i], i+1)
		}
	}
	return nil
}

// checkTransfer rejects out-of-range shares and priors.
func (c *Compact) checkTransfer() error {
	if c.Carries != nil {
		for _, s := range c.Carries {
			if !inside(s.Mean, 0, 2) || !inside(s.SD, 0, 2) {
				return fmt.Errorf("a share of %g ± %g carries over", s.Mean, s.SD)
			}
		}
	}
	if c.Priors == nil {
		return nil
	}
	return errors.Join(timeFamily.checkPrior(&c.Priors[ofTime]), powerFamily.checkPrior(&c.Priors[ofPower]))
}

// Save writes a file that LoadReference reads; like Model.Save, it is atomic.
func (c *Compact) Save(path string) error {
	return save("reference", path, referenceMagic, referenceVersion, c)
}

// Errors of an unreadable reference file.
var (
	ErrReferenceVersion = errors.New("reference file of another version")
	ErrReferenceDamaged = errors.New("reference file is damaged, cut off or changed")
)

func decodeCompact(data []byte) (*Compact, error) {
	var c Compact
	body, found, err := unframe(referenceMagic, data, referenceVersion)
	switch {
	case errors.Is(err, errOtherVersion):
		return nil, fmt.Errorf("%w: it has version %s, this jtune reads version %d",
			ErrReferenceVersion, found, referenceVersion)
	case err != nil:
		return nil, ErrReferenceDamaged
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReferenceDamaged, err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReferenceDamaged, err)
	}
	return &c, nil
}

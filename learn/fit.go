package learn

import (
	"time"

	"jtune/tegra"
)

// Method names a way to predict.
type Method string

// Methods.
const (
	Auto       Method = "auto"       // gp
	GP         Method = "gp"         // physics and Gaussian process, the default
	PowerTrain Method = "powertrain" // the paper's network, transferred from a reference workload
	NN         Method = "nn"         // the paper's network, trained on the samples alone
	Linear     Method = "linear"     // linear regression on the raw knobs
)

// Methods lists them in the order to show them.
func Methods() []Method { return []Method{Auto, GP, PowerTrain, NN, Linear} }

// Options say how to fit. The zero value with a Space works.
type Options struct {
	Method Method // "" means auto
	// Space is the device's: its largest values scale the knobs, its modes are
	// those a sample may have. nil: the modes of the samples.
	Space *tegra.Space
	// Reference is another workload on the same device (gp) or the networks
	// to transfer from (powertrain); nil: none.
	Reference  *Reference
	Seed       uint64
	Provenance Provenance
}

// Provenance says where a model's samples come from.
type Provenance struct {
	Device   string    `json:"device"`
	Workload string    `json:"workload"`
	Virtual  bool      `json:"virtual"` // samples of a virtual board, never a measurement
	Jtune    string    `json:"jtune"`   // version of the program that fitted
	When     time.Time `json:"when"`
}

// Errors are cross-validated errors of a model.
type Errors struct {
	TimeMAPEPct, PowerMAPEPct float64 // NaN when nothing could be left out
	How                       string  // "leave-one-out", "10 folds"; "" when not done
}

// Fit learns to predict time and power from measured modes.
func Fit(samples []tegra.Measured, o Options) (*Model, error) { panic("not yet") }

// Model is a fitted predictor with all that is known about it.
type Model struct {
	Method     Method
	Space      *tegra.Space
	Samples    []tegra.Measured
	CV         Errors
	Reference  string // what the reference was and whether it counted; "" for none
	Warnings   []string
	Suspicious []tegra.Mode // measure these again: they disagree with all others
	Provenance Provenance
	Seed       uint64
}

var _ Predictor = (*Model)(nil)

// Predict predicts the given modes.
func (m *Model) Predict(modes []tegra.Mode) []Prediction { panic("not yet") }

// Surrogate gives the model below a gp model; false for other methods.
func (m *Model) Surrogate() (*Surrogate, bool) { panic("not yet") }

// Save writes the model to a file, replacing it atomically.
func (m *Model) Save(path string) error { panic("not yet") }

// Load reads a model file.
func Load(path string) (*Model, error) { panic("not yet") }

// Reference is another workload to lean on: measured modes of the same
// device, or trained networks.
type Reference struct {
	Name       string
	Space      *tegra.Space // nil when not known
	Samples    []tegra.Measured
	Provenance Provenance
}

// LoadReference reads a reference: a sweep file, a campaign folder or a model
// file.
func LoadReference(path string) (*Reference, error) { panic("not yet") }

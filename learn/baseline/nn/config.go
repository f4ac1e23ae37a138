package nn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Loss is the training loss.
type Loss int

const (
	// MSE is the squared error of the standardised target, as in the paper.
	MSE Loss = iota
	// MAPE is the absolute error relative to the observed value; the paper uses it for the transfer to an Orin Nano.
	MAPE
)

func (l Loss) String() string {
	switch l {
	case MSE:
		return "MSE"
	case MAPE:
		return "MAPE"
	}
	return fmt.Sprintf("Loss(%d)", int(l))
}

// MarshalText writes the name.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name.
func (l *Loss) UnmarshalText(text []byte) error {
	for _, known := range []Loss{MSE, MAPE} {
		if string(text) == known.String() {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("nn: unknown loss %q, want %s or %s", text, MSE, MAPE)
}

// Config configures training. The zero value uses the paper's settings, and for what the paper leaves open the choices
// in docs/method.md.
type Config struct {
	// Layers are the widths of the hidden layers. Zero means PaperLayers, or in a transfer those of the source network,
	// which cannot change.
	Layers Layers `json:"layers,omitzero"`
	// Dropout is the share of activations dropped after each hidden layer except the last. 0 means 0.1; negative means
	// none.
	Dropout float64 `json:"dropout"`
	// LearnRate is Adam's; 0 means 0.001.
	LearnRate float64 `json:"learn_rate"`
	// Batch is the number of rows per step; 0 means 64. A smaller training set is one full batch.
	Batch int `json:"batch"`
	// Epochs is the fewest passes; 0 means 100.
	Epochs int `json:"epochs"`
	// MinSteps raises Epochs to reach about that many optimiser steps: 100 passes over 50 modes are too few. 0 means
	// 3000; negative: no minimum.
	MinSteps int `json:"min_steps"`
	// Holdout is the share of randomly drawn modes that select the checkpoint; 0 means 0.1. Rows of one mode stay on
	// one side. With fewer than minHoldout held-out modes the training loss selects it.
	Holdout float64 `json:"holdout"`
	Loss    Loss    `json:"loss"`
	// Freeze trains only the new last layer in a transfer.
	Freeze bool `json:"freeze,omitempty"`
	// LogTarget fits the logarithm: relative errors have equal weight in fast and slow modes. The paper fits plain
	// values.
	LogTarget bool `json:"log_target,omitempty"`
	// RawTarget fits plain milliseconds or watts instead of standardised values. The paper does not say which; see
	// FromScratch.
	RawTarget bool   `json:"raw_target,omitempty"`
	Seed      uint64 `json:"seed"`
}

// FromScratch returns the settings for training from scratch that reproduce the results of PowerTrain's authors best
// (MobileNet, their ten sets of 50 modes: 22.6 / 6.4 % here, 22.5 / 10.1 % there). With standardised targets and 3,000
// steps the error in time doubles, which would flatter the other methods. Transfers use ForTransfer.
func FromScratch() Config { return Config{RawTarget: true, Batch: 16, MinSteps: 12000} }

// ForTransfer returns the settings for a transfer. On the authors' ten sets of 10, 20, 50 and 100 MobileNet modes the
// errors in time / power are 23.9 / 6.1, 18.3 / 6.2, 10.6 / 3.2 and 8.1 / 2.3 %; the zero Config has 12.2 / 3.6 from
// 50, at four times the cost. More steps change nothing (2,000: 23.7, 18.7, 10.6, 8.2 in time); 100 passes alone are
// too few for 20 modes (22.3).
func ForTransfer() Config { return Config{Batch: 16, MinSteps: 1000} }

// Defaults for Config's zero values; Adam's constants are Keras' defaults.
const (
	defaultDropout   = 0.1
	defaultLearnRate = 1e-3
	defaultBatch     = 64
	defaultEpochs    = 100
	defaultMinSteps  = 3000
	defaultHoldout   = 0.1
	beta1, beta2     = 0.9, 0.999
	epsilon          = 1e-7
	// minHoldout: with fewer held-out modes the choice of checkpoint would be random (10 modes leave one).
	minHoldout = 2
)

// withDefaults fills in the defaults and rejects invalid settings.
func (c Config) withDefaults() (Config, error) {
	c.Layers = cmp.Or(c.Layers, PaperLayers())
	c.Dropout = cmp.Or(c.Dropout, defaultDropout)
	c.LearnRate = cmp.Or(c.LearnRate, defaultLearnRate)
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.Epochs = cmp.Or(c.Epochs, defaultEpochs)
	c.MinSteps = cmp.Or(c.MinSteps, defaultMinSteps)
	c.Holdout = cmp.Or(c.Holdout, defaultHoldout)
	switch {
	case !(c.Dropout < 0.95):
		return c, fmt.Errorf("nn: dropout %g, must be below 0.95", c.Dropout)
	case !(c.LearnRate > 0) || math.IsInf(c.LearnRate, 0):
		return c, fmt.Errorf("nn: learning rate %g, must be positive", c.LearnRate)
	case c.Batch < 1 || c.Epochs < 1:
		return c, fmt.Errorf("nn: batch %d, epochs %d: must be positive", c.Batch, c.Epochs)
	case !(c.Holdout < 0.9):
		return c, fmt.Errorf("nn: holdout %g, must be below 0.9", c.Holdout)
	case c.Loss != MSE && c.Loss != MAPE:
		return c, fmt.Errorf("nn: unknown loss %d", int(c.Loss))
	case c.LogTarget && c.RawTarget:
		return c, errors.New("nn: a target is either its logarithm or raw, not both")
	}
	return c, c.Layers.check()
}

// Set changes one setting by an assignment such as "learn_rate=0.01"; names are the fields' JSON names.
func (c *Config) Set(assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("nn: %q: want KEY=VALUE such as learn_rate=0.01", assignment)
	}
	if !slices.Contains(Settings(), key) {
		return fmt.Errorf("nn: no setting %q; there are %s", key, strings.Join(Settings(), ", "))
	}
	written := value
	switch key {
	case "loss":
		value = strconv.Quote(strings.ToUpper(value))
	case "layers":
		value = "[" + value + "]"
	}
	changed := *c
	if key == "epochs" { // the requested number, even if it gives few steps
		changed.MinSteps = -1
	}
	err := json.Unmarshal([]byte(fmt.Sprintf("{%q:%s}", key, value)), &changed)
	if err == nil {
		_, err = changed.withDefaults()
	}
	if !json.Valid([]byte(value)) { // rejects text such as 3,"seed":7
		err = errNoValue
	}
	switch {
	case err != nil && key == "layers":
		return fmt.Errorf("nn: layers cannot be %s: want 1 to %d widths such as 256,128,64, multiples of %d up to %d",
			written, maxHidden, widthStep, maxWidth)
	case err != nil:
		return fmt.Errorf("nn: %s cannot be %s", key, written)
	}
	*c = changed
	return nil
}

var errNoValue = errors.New("nn: not one value")

// Settings returns the names that Set accepts.
func Settings() (names []string) {
	for f := range reflect.TypeFor[Config]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// plan holds the numbers of rows, steps and passes of a training.
type plan struct{ train, holdout, batch, epochs, steps int }

// heldOut returns how many of n modes select the checkpoint: never all of them.
func (c *Config) heldOut(n int) int {
	if h := min(int(math.Round(c.Holdout*float64(n))), n-1); h >= minHoldout {
		return h
	}
	return 0
}

func (c *Config) plan(train, holdout int) plan {
	p := plan{train: train, holdout: holdout, batch: min(c.Batch, train), epochs: c.Epochs}
	if c.MinSteps > 0 {
		need := (c.MinSteps*p.batch + p.train - 1) / p.train
		p.epochs = max(p.epochs, need)
	}
	p.steps = p.epochs * ((p.train + p.batch - 1) / p.batch)
	return p
}

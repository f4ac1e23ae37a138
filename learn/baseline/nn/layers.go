package nn

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Limits of the kernels: a unit index is a byte, and weights are processed eight at a time.
const (
	maxHidden = 8
	maxWidth  = 256
	widthStep = 8
)

// Layers are the widths of a network's hidden layers, followed by zeros. The zero value means PaperLayers.
type Layers [maxHidden]int

// PaperLayers returns PowerTrain's hidden layers.
func PaperLayers() Layers { return Layers{256, 128, 64} }

// widths returns the widths without the trailing zeros.
func (l Layers) widths() []int {
	for i, w := range l {
		if w == 0 {
			return l[:i]
		}
	}
	return l[:]
}

// sizes returns the widths of inputs, hidden layers and output.
func (l Layers) sizes() []int {
	return append(append([]int{inputs}, l.widths()...), 1)
}

// Weights returns the number of trainable parameters, including biases.
func (l Layers) Weights() (n int) {
	sizes := l.sizes()
	for i, out := range sizes[1:] {
		n += sizes[i]*out + out
	}
	return n
}

func (l Layers) check() error {
	for _, w := range l.widths() {
		if err := checkWidth(w); err != nil {
			return err
		}
	}
	return nil
}

func checkWidth(w int) error {
	if w < widthStep || w > maxWidth || w%widthStep != 0 {
		return fmt.Errorf("nn: a layer of %d units: want a multiple of %d up to %d", w, widthStep, maxWidth)
	}
	return nil
}

// String prints the form that Config.Set accepts, such as 256,128,64.
func (l Layers) String() string {
	var words []string
	for _, w := range l.widths() {
		words = append(words, strconv.Itoa(w))
	}
	return strings.Join(words, ",")
}

// MarshalJSON writes the hidden layers.
func (l Layers) MarshalJSON() ([]byte, error) { return json.Marshal(l.widths()) }

// UnmarshalJSON reads a list of 1 to maxHidden widths.
func (l *Layers) UnmarshalJSON(text []byte) error {
	var list []int
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("nn: layers: want a list of widths")
	}
	return l.set(list)
}

func (l *Layers) set(list []int) error {
	if len(list) < 1 || len(list) > maxHidden {
		return fmt.Errorf("nn: %d hidden layers: want 1 to %d", len(list), maxHidden)
	}
	var next Layers
	for i, w := range list {
		if err := checkWidth(w); err != nil {
			return err
		}
		next[i] = w
	}
	*l = next
	return nil
}

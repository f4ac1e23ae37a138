package nn

type params struct{}

// Train learns a network from scratch.
func Train(x [][inputs]float64, y []float64, c Config) (*Net, error) { panic("not yet") }

// Transfer learns a new workload starting from n.
func (n *Net) Transfer(x [][inputs]float64, y []float64, c Config) (*Net, error) { panic("not yet") }

// Predict gives one value per row.
func (n *Net) Predict(x [][inputs]float64) []float64 { panic("not yet") }

// MarshalBinary encodes the network with float32 weights, losslessly.
func (n *Net) MarshalBinary() ([]byte, error) { panic("not yet") }

// MarshalCompact encodes the network with float16 weights.
func (n *Net) MarshalCompact() ([]byte, error) { panic("not yet") }

// UnmarshalBinary decodes either encoding.
func (n *Net) UnmarshalBinary(data []byte) error { panic("not yet") }

// Provenance says where the shipped reference networks come from.
type Provenance struct{}

// ResNetReference gives the shipped reference networks: ResNet-18 training on an AGX Orin.
func ResNetReference() (Pair, Provenance) { panic("not yet") }

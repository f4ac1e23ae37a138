package nn

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// An encoded network is, all little endian:
//
//	"JTNN"                       4 bytes
//	version                      uint16, now 1
//	length of the header         uint32
//	header                       JSON, see header
//	weights                      float32 or float16, in the order of params.all
//	CRC-32 (IEEE) of the above   uint32
//
// A float32 network with the paper's layers is 170 kB and decodes to an identical network; a float16 one is 85 kB.
const (
	magic         = "JTNN"
	formatVersion = 1
	maxHeader     = 1 << 16
	fixedBytes    = len(magic) + 2 + 4
	crcBytes      = 4
)

var (
	_ encoding.BinaryMarshaler   = (*Net)(nil)
	_ encoding.BinaryUnmarshaler = (*Net)(nil)
)

// ErrFormat is wrapped by every error of UnmarshalBinary.
var ErrFormat = errors.New("nn: not a readable network")

// header is the JSON part. Inputs have the order and units of Features. Layers is Net.Layers, which Config lacks here.
type header struct {
	Layers  []int          `json:"layers"`
	Weights precision      `json:"weights"`
	Inputs  [inputs]Scaler `json:"inputs"`
	Target  Scaler         `json:"target"`
	Floor   float64        `json:"floor"`
	Config  Config         `json:"config"`
	Report  Report         `json:"report"`
}

// precision of stored weights.
type precision string

const (
	full precision = "float32"
	half precision = "float16"
)

func (p precision) bytes() int {
	if p == half {
		return 2
	}
	return 4
}

// MarshalBinary encodes the network without loss.
func (n *Net) MarshalBinary() ([]byte, error) { return n.encode(full) }

// MarshalCompact encodes the network with weights rounded to float16, in half the bytes.
func (n *Net) MarshalCompact() ([]byte, error) { return n.encode(half) }

func (n *Net) encode(p precision) ([]byte, error) {
	if n.w == nil {
		return nil, errors.New("nn: a network that was never trained has nothing to save")
	}
	c := n.Config
	c.Layers = Layers{}
	text, err := json.Marshal(header{n.Layers(), p, n.in, n.target, n.floor, c, n.Report})
	if err != nil {
		return nil, fmt.Errorf("nn: encoding the header: %w", err)
	}
	out := make([]byte, 0, fixedBytes+len(text)+len(n.w.all)*p.bytes()+crcBytes)
	out = append(out, magic...)
	out = binary.LittleEndian.AppendUint16(out, formatVersion)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = append(out, text...)
	for i, w := range n.w.all {
		if p == full {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(w))
			continue
		}
		h := toHalf(w)
		if h&halfExponent == halfExponent {
			return nil, fmt.Errorf("nn: weight %d is %g, too large for float16", i, w)
		}
		out = binary.LittleEndian.AppendUint16(out, h)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out)), nil
}

// UnmarshalBinary decodes the output of MarshalBinary or MarshalCompact. Errors wrap ErrFormat and leave n unchanged.
func (n *Net) UnmarshalBinary(data []byte) error {
	if len(data) < fixedBytes+crcBytes || string(data[:len(magic)]) != magic {
		return fmt.Errorf("%w: it does not begin like one", ErrFormat)
	}
	if v := binary.LittleEndian.Uint16(data[len(magic):]); v != formatVersion {
		return fmt.Errorf("%w: format version %d, this program reads version %d", ErrFormat, v, formatVersion)
	}
	body, sum := data[:len(data)-crcBytes], binary.LittleEndian.Uint32(data[len(data)-crcBytes:])
	if crc32.ChecksumIEEE(body) != sum {
		return fmt.Errorf("%w: checksum differs (cut short or damaged)", ErrFormat)
	}
	size := int(binary.LittleEndian.Uint32(body[len(magic)+2:]))
	if size > maxHeader || size > len(body)-fixedBytes {
		return fmt.Errorf("%w: header of %d bytes", ErrFormat, size)
	}
	h, err := parseHeader(body[fixedBytes : fixedBytes+size])
	if err != nil {
		return err
	}
	w, err := parseWeights(body[fixedBytes+size:], h.Config.Layers, h.Weights)
	if err != nil {
		return err
	}
	*n = Net{Config: h.Config, Report: h.Report, w: w, in: h.Inputs, target: h.Target, floor: h.Floor}
	return nil
}

func parseHeader(text []byte) (header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return h, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	hidden := len(h.Layers) - 2
	if hidden < 1 || h.Layers[0] != inputs || h.Layers[hidden+1] != 1 {
		return h, fmt.Errorf("%w: layers %v, want %d inputs, hidden layers and 1 output", ErrFormat, h.Layers, inputs)
	}
	if err := h.Config.Layers.set(h.Layers[1 : hidden+1]); err != nil {
		return h, fmt.Errorf("%w: layers %v: %w", ErrFormat, h.Layers, err)
	}
	if h.Weights != full && h.Weights != half {
		return h, fmt.Errorf("%w: weights are %q, want %s or %s", ErrFormat, h.Weights, full, half)
	}
	for _, s := range append(h.Inputs[:], h.Target) {
		if !(s.SD > 0) {
			return h, fmt.Errorf("%w: a scaler's deviation is %g, must be positive", ErrFormat, s.SD)
		}
	}
	if !(h.Floor > 0) {
		return h, fmt.Errorf("%w: floor is %g, must be positive", ErrFormat, h.Floor)
	}
	if _, err := h.Config.withDefaults(); err != nil {
		return h, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return h, nil
}

func parseWeights(data []byte, l Layers, p precision) (*params, error) {
	if want := l.Weights() * p.bytes(); len(data) != want {
		return nil, fmt.Errorf("%w: %d bytes of %s weights, want %d", ErrFormat, len(data), p, want)
	}
	w := newParams(l)
	for i := range w.all {
		if p == full {
			w.all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		} else {
			w.all[i] = fromHalf(binary.LittleEndian.Uint16(data[2*i:]))
		}
		if v := float64(w.all[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: weight %d is %g", ErrFormat, i, v)
		}
	}
	return w, nil
}

package tegra

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Mode is a power mode: how many cores are online and at which CPU, GPU and
// memory (EMC) frequency the module runs. Cores = n means the n
// lowest-numbered present cores.
type Mode struct {
	Cores         int
	CPU, GPU, EMC Freq
}

// ModeUnits is a mode in JSON documents, where every key names its unit.
type ModeUnits struct {
	Cores  int       `json:"cores"`
	CPUKHz int64     `json:"cpu_khz"`
	GPUHz  Freq      `json:"gpu_hz"`
	MemHz  Val[Freq] `json:"mem_hz"` // absent where a preset means the top rate, which root alone may read
}

// Units is the mode as documents print it.
func (m Mode) Units() ModeUnits {
	return ModeUnits{m.Cores, m.CPU.KHz(), m.GPU, Val[Freq]{m.EMC, m.EMC != 0}}
}

// MarshalJSON prints Units.
func (m Mode) MarshalJSON() ([]byte, error) { return json.Marshal(m.Units()) }

// UnmarshalJSON reads what MarshalJSON prints.
func (m *Mode) UnmarshalJSON(data []byte) error {
	var u ModeUnits
	if err := json.Unmarshal(data, &u); err != nil {
		return err
	}
	*m = Mode{Cores: u.Cores, CPU: Freq(u.CPUKHz) * KHz, GPU: u.GPUHz, EMC: u.MemHz.V}
	return nil
}

// Knob names one of the four dimensions of a power mode.
type Knob int

// The knobs, in the order that every vector of knob values uses.
const (
	KnobCores Knob = iota
	KnobCPU
	KnobGPU
	KnobEMC
	NumKnobs
)

func (k Knob) String() string {
	return [...]string{"cores", "CPU", "GPU", "EMC"}[k]
}

// Value returns the knob's setting as a number: a core count, or hertz.
func (m Mode) Value(k Knob) float64 { return float64(m.Values()[k]) }

// Values are the settings of all knobs, in their order.
func (m Mode) Values() [NumKnobs]int64 {
	return [...]int64{int64(m.Cores), int64(m.CPU), int64(m.GPU), int64(m.EMC)}
}

// ModeOfValues is the mode with these settings, the inverse of Values.
func ModeOfValues(v [NumKnobs]int64) Mode { return Mode{int(v[0]), Freq(v[1]), Freq(v[2]), Freq(v[3])} }

// String prints the compact notation with two decimals of a gigahertz:
// "12c/2.20C/1.30G/3.20M". Space.Format uses more where a device needs them.
func (m Mode) String() string { return m.format([NumKnobs]int{0, 2, 2, 2}) }

// format writes a dash for a clock that is not known, as a preset's that means
// the top memory rate where root alone may read it.
func (m Mode) format(decimals [NumKnobs]int) string {
	g := func(f Freq, k Knob) string {
		if f == 0 {
			return "–"
		}
		return strconv.FormatFloat(f.GHz(), 'f', decimals[k], 64)
	}
	return fmt.Sprintf("%dc/%sC/%sG/%sM", m.Cores, g(m.CPU, KnobCPU), g(m.GPU, KnobGPU), g(m.EMC, KnobEMC))
}

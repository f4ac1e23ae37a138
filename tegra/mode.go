package tegra

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Mode is a power mode: the number of online cores and the CPU, GPU and memory (EMC) frequencies. Cores = n means the
// first n cores in the board's order: ascending, except on the TX2.
type Mode struct {
	Cores int  `csv:"cores"`
	CPU   Freq `csv:"cpu_khz,1000"`
	GPU   Freq `csv:"gpu_hz"`
	EMC   Freq `csv:"mem_hz"`
}

// ModeUnits is the JSON form of a mode, with the unit in every key.
type ModeUnits struct {
	Cores  int       `json:"cores"`
	CPUKHz int64     `json:"cpu_khz"`
	GPUHz  Freq      `json:"gpu_hz"`
	MemHz  Val[Freq] `json:"mem_hz"` // absent for a preset's top rate, which only root can read
}

// units returns the JSON form of the mode.
func (m Mode) units() ModeUnits {
	return ModeUnits{m.Cores, m.CPU.KHz(), m.GPU, Val[Freq]{m.EMC, m.EMC != 0}}
}

// MarshalJSON prints Units.
func (m Mode) MarshalJSON() ([]byte, error) { return json.Marshal(m.units()) }

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

// Knobs in the order of every knob vector.
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

// Value returns a knob's setting: a core count, or hertz.
func (m Mode) Value(k Knob) float64 { return float64(m.Values()[k]) }

// Values returns the settings of all knobs in Knob order.
func (m Mode) Values() [NumKnobs]int64 {
	return [...]int64{int64(m.Cores), int64(m.CPU), int64(m.GPU), int64(m.EMC)}
}

// ModeOfValues is the inverse of Values.
func ModeOfValues(v [NumKnobs]int64) Mode { return Mode{int(v[0]), Freq(v[1]), Freq(v[2]), Freq(v[3])} }

// String prints the compact notation with two decimals of a gigahertz: "12c/2.20C/1.30G/3.20M". Space.Format adds
// decimals if the device needs them.
func (m Mode) String() string { return m.format([NumKnobs]int{0, 2, 2, 2}) }

// format prints a dash for an unknown clock, such as a preset's top memory rate without root.
func (m Mode) format(decimals [NumKnobs]int) string {
	g := func(f Freq, k Knob) string {
		if f == 0 {
			return "–"
		}
		return strconv.FormatFloat(f.GHz(), 'f', decimals[k], 64)
	}
	return fmt.Sprintf("%dc/%sC/%sG/%sM", m.Cores, g(m.CPU, KnobCPU), g(m.GPU, KnobGPU), g(m.EMC, KnobEMC))
}

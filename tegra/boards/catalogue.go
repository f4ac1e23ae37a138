package boards

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Device is one entry of the catalogue: a Jetson by its tree, or a machine to compare with by stated values alone.
// Zero and "" mean not known.
type Device struct {
	Name      string
	Tree      string // whose cores, clocks, modes and presets it has; "" for no Jetson
	Cores     int
	CPUGHz    float64  `toml:"cpu_ghz"` // highest clocks
	GPUGHz    float64  `toml:"-"`
	MemoryGHz float64  `toml:"mem_ghz"`
	Modes     int      `toml:"-"` // of which the memory's clocks are those that the tree lists
	Presets   []string `toml:"-"` // names, by id
	CUDA      int      `toml:"cuda_cores"`
	MemoryGB  int      `toml:"memory_gb"`
	Storage   string
	PeakW     int    `toml:"peak_w"`
	PriceUSD  int    `toml:"price_usd"`
	SizeMM    string `toml:"size_mm"`
	Stated    string // what the comparison with it says

	// Unchecked are the columns whose value no recording or paper shows, by their keys in JSON.
	Unchecked []string
}

//go:embed catalogue.toml
var catalogueTOML string

// Catalogue lists the devices, newest Jetson first, then other machines.
func Catalogue() []Device {
	var c struct{ Device []Device }
	must(toml.Unmarshal([]byte(catalogueTOML), &c))
	for i := range c.Device {
		d := &c.Device[i]
		if d.Tree == "" {
			continue
		}
		f := Of(d.Tree)
		cpu, gpu, memory := strings.Fields(f.CPU.Clocks), strings.Fields(f.GPU.Clocks), strings.Fields(f.Memory.Rates)
		d.Cores, d.CPUGHz, d.GPUGHz = len(f.CPU.Leaders), top(cpu, 1e6), top(gpu, 1e9)
		if len(memory) > 0 { // else its rates are not all known
			d.MemoryGHz = top(memory, 1e6)
			d.Modes = d.Cores * len(cpu) * len(gpu) * len(memory)
		}
		for line := range strings.Lines(strings.TrimSpace(f.Conf.Modes)) {
			d.Presets = append(d.Presets, strings.Fields(line)[1])
		}
	}
	return c.Device
}

// top is the last of an ascending list, in GHz.
func top(list []string, perGHz float64) float64 {
	v, err := strconv.ParseFloat(list[len(list)-1], 64)
	must(err)
	return v / perGHz
}

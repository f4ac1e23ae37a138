package boards

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Device is one entry of the catalogue: a Jetson described by its tree, or another machine described only by stated
// values, for comparison. Zero and "" mean unknown.
type Device struct {
	Name      string
	Tree      string // tree of cores, clocks, modes and presets; "": no Jetson
	Cores     int
	CPUGHz    float64  `toml:"cpu_ghz"` // highest clocks
	GPUGHz    float64  `toml:"gpu_ghz"`
	MemoryGHz float64  `toml:"mem_ghz"`
	Modes     int      // number of modes, counting only the memory clocks that the tree lists
	Presets   []string `toml:"-"` // names, ordered by id
	CUDA      int      `toml:"cuda_cores"`
	Tensor    int      `toml:"tensor_cores"`
	Others    string   `toml:"accelerators"` // besides the GPU
	MemoryGB  int      `toml:"memory_gb"`
	Storage   string
	PeakW     int    `toml:"peak_w"`
	PriceUSD  int    `toml:"price_usd"`
	SizeMM    string `toml:"size_mm"`
	Stated    string // source of the stated values

	// Unchecked lists the JSON keys of values that no recording or paper shows.
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
		if len(memory) > 0 { // otherwise some rates are unknown
			d.MemoryGHz = top(memory, 1e6)
			d.Modes = d.Cores * len(cpu) * len(gpu) * len(memory)
		}
		for line := range strings.Lines(strings.TrimSpace(f.Conf.Modes)) {
			d.Presets = append(d.Presets, strings.Fields(line)[1])
		}
	}
	return c.Device
}

// top returns the last value of an ascending list, in GHz.
func top(list []string, perGHz float64) float64 {
	v, err := strconv.ParseFloat(list[len(list)-1], 64)
	must(err)
	return v / perGHz
}

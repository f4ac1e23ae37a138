package virtual

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/tegra"
	"jtune/tegra/boards"
	"jtune/tegra/virtual/heat"
	"jtune/tegra/virtual/physics"
)

// model is a kind of board: its recorded files, and what they do not show.
type model struct {
	name     string // also the name of its physics.Chip
	facts    string // see package boards
	boot     int    // id of the power mode after boot
	memoryGB float64
	media    []string   // possible drives for the data, the default first
	spread   [2]float64 // of time and power between units, one standard deviation
	drift    float64    // of time between epochs, one standard deviation
	firstMS  float64
	stepMA   int64    // least significant bit of a rail's current
	supplyMV int64    // for rails whose voltage was not recorded
	idle     []string // names of a core's idle states
	emc      []tegra.Freq
	supply   supply       // of the rail that feeds the module; zero: the rails' default sag
	cooling  heat.Cooling // zero: the default of its name
}

// models are the boards of New. Estimates: first minibatches of all but the AGX Orin and the Orin Nano, sensor steps of
// AGX Xavier, Nano, TX2 and AGX Thor, unit spread except for AGX Xavier, Xavier NX and Nano.
var models = []model{
	{name: AGXOrin, facts: "virtual-agx-orin", memoryGB: 32, media: []string{"ssd", "emmc", "sd", "hdd"},
		spread: [2]float64{0.002, 0.012}, drift: 0.002, firstMS: 1200, stepMA: 20,
		idle: []string{"WFI", "c7"}},
	{name: "agx-xavier", facts: "agx-xavier-32", memoryGB: 32, media: []string{"ssd", "emmc", "sd", "hdd"},
		spread: [2]float64{0.002, 0.012}, drift: 0.002, firstMS: 2000, stepMA: 16, supplyMV: 19904,
		idle: []string{"WFI", "c7"}},
	{name: "xavier-nx", facts: "xavier-nx-32", boot: 8, memoryGB: 8, media: []string{"ssd", "sd", "hdd"},
		spread: [2]float64{0.012, 0.012}, drift: 0.010, firstMS: 2000, stepMA: 8,
		supplyMV: 5000, idle: []string{"WFI", "c7"}},
	{name: "nano", facts: "nano-32", memoryGB: 4, media: []string{"sd", "hdd"},
		spread: [2]float64{0.018, 0.015}, drift: 0.002, firstMS: 5000, stepMA: 8, supplyMV: 5000,
		idle: []string{"WFI", "c7"}, // its memory rates are unknown: these are from other Tegra X1
		emc: []tegra.Freq{204 * tegra.MHz, 408 * tegra.MHz, 800 * tegra.MHz, 1066 * tegra.MHz, 1333 * tegra.MHz,
			1600 * tegra.MHz}},
	{name: "orin-nano", facts: "orin-nano-35", memoryGB: 8, media: []string{"ssd", "sd"},
		spread: [2]float64{0.002, 0.012}, drift: 0.002, firstMS: 2600, stepMA: 8,
		idle: []string{"WFI", "c7"}},
	{name: "tx2", facts: "tx2-32", memoryGB: 8, media: []string{"emmc", "ssd", "sd", "hdd"},
		spread: [2]float64{0.012, 0.012}, drift: 0.010, firstMS: 2000, stepMA: 8, supplyMV: 19000,
		idle: []string{"C1", "c6", "c7"}},
	{name: "orin-nx", facts: "orin-nx-super-36", boot: 4, memoryGB: 16, media: []string{"ssd", "sd"},
		spread: [2]float64{0.002, 0.012}, drift: 0.002, firstMS: 2600, stepMA: 8,
		idle: []string{"WFI", "c7"}, supply: supply{5195, 29}},
	{name: "orin-nano-super", facts: "orin-nano-36", boot: 1, memoryGB: 8, media: []string{"ssd", "sd"},
		spread: [2]float64{0.002, 0.012}, drift: 0.002, firstMS: 2600, stepMA: 8,
		idle: []string{"WFI", "c7"}},
	{name: "agx-thor", facts: "virtual-agx-thor", boot: 1, memoryGB: 128, media: []string{"ssd"},
		spread: [2]float64{0.002, 0.012}, drift: 0.002, firstMS: 1200, stepMA: 8, supplyMV: 20000,
		idle: []string{"WFI", "cc7"}, emc: []tegra.Freq{665600 * tegra.KHz, 4266 * tegra.MHz}},
}

// medium is a kind of drive with a data set of many small files: reading time of a megabyte, and the gain of several
// readers (see physics.Reading).
type medium struct{ msPerMB, queue float64 }

// The eMMC's numbers are not based on any figure.
var media = map[string]medium{"ssd": {5.3, 0}, "emmc": {8, 0}, "sd": {66, 0.23}, "hdd": {156, 0.23}}

// Media returns the possible drives for job data, the default first.
func (b *Board) Media() []string { return slices.Clone(b.model.media) }

// Medium returns the current drive of the data.
func (b *Board) Medium() string {
	defer b.enter()()
	return b.on
}

// SetMedium sets the drive for jobs that start from now on.
func (b *Board) SetMedium(name string) error {
	defer b.enter()()
	return b.setMedium(name)
}

func (b *Board) setMedium(name string) error {
	if !slices.Contains(b.model.media, name) {
		return fmt.Errorf("virtual:%s has no %q: give one of %s", b.model.name, name, strings.Join(b.model.media, ", "))
	}
	b.drive, b.on = media[name], name
	return nil
}

// ScalesBatches reports whether times at non-default batch sizes are extrapolated from another board: the slopes of
// physics.Workload.Sized are published for an AGX Xavier.
func (b *Board) ScalesBatches() bool { return b.table == nil && b.model.name != "agx-xavier" }

// Instance returns the number of this unit.
func (b *Board) Instance() int {
	defer b.enter()()
	return b.nth
}

// SetInstance switches to another unit of the board; 0 is the mean of all.
func (b *Board) SetInstance(n int) {
	defer b.enter()()
	b.setInstance(n)
	b.retarget()
}

func (b *Board) setInstance(n int) {
	b.nth, b.unit = n, [2]float64{1, 1}
	for i, sd := range b.model.spread {
		if n > 0 {
			b.unit[i] += sd * clamp(normal(hashOf(b.model.name), uint64(n), uint64(i)), 1.6)
		}
	}
}

// Names lists the boards of New.
func Names() (names []string) {
	for _, m := range models {
		names = append(names, m.name)
	}
	return names
}

func modelNamed(name string) (model, bool) {
	i := slices.IndexFunc(models, func(m model) bool { return m.name == name })
	if i < 0 {
		return model{}, false
	}
	return models[i], true
}

// lists returns the settings in a board's files.
func (m *model) lists(f boards.Facts) lists {
	l := lists{cores: len(f.CPU.Leaders), cpu: clocks(f.CPU.Clocks, tegra.KHz), gpu: clocks(f.GPU.Clocks, tegra.Hz),
		emc: clocks(f.Memory.Rates, tegra.KHz)}
	if len(l.emc) == 0 {
		l.emc = m.emc
	}
	return l
}

// clocks parses a list of numbers in a unit; package boards contains no other form.
func clocks(text string, unit tegra.Freq) (out []tegra.Freq) {
	for field := range strings.FieldsSeq(text) {
		v, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			panic("virtual: " + err.Error())
		}
		out = append(out, tegra.Freq(v)*unit)
	}
	return out
}

// railPower maps rail labels to the power they supply (docs/boards.md lists which rails sum on which board).
var railPower = map[string]func(physics.Power) float64{
	"VDD_GPU_SOC":     func(p physics.Power) float64 { return p.GPU },
	"VDD_CPU_CV":      func(p physics.Power) float64 { return p.CPU },
	"VIN_SYS_5V0":     func(p physics.Power) float64 { return p.Sys },
	"VDDQ_VDD2_1V8AO": func(p physics.Power) float64 { return p.RAM },

	"VIN":             physics.Power.Total, // AGX Thor; which of its rails feeds what is UNVERIFIED
	"VDD_GPU":         func(p physics.Power) float64 { return p.GPU - p.SoC },
	"VDD_CPU_SOC_MSS": func(p physics.Power) float64 { return p.CPU + p.SoC },

	"VDD_IN":         physics.Power.Total,
	"VDD_CPU_GPU_CV": func(p physics.Power) float64 { return p.GPU - p.SoC + p.CPU },
	"VDD_SOC":        func(p physics.Power) float64 { return p.SoC + p.RAM },

	"GPU":   func(p physics.Power) float64 { return p.GPU - p.SoC },
	"CPU":   func(p physics.Power) float64 { return p.CPU },
	"SOC":   func(p physics.Power) float64 { return p.SoC + p.RAM/4 },
	"CV":    func(physics.Power) float64 { return 0 },
	"VDDRQ": func(p physics.Power) float64 { return p.RAM * 3 / 4 },
	"SYS5V": func(p physics.Power) float64 { return p.Sys - p.RAM },

	"POM_5V_IN":  physics.Power.Total,
	"POM_5V_GPU": func(p physics.Power) float64 { return p.GPU - p.SoC },
	"POM_5V_CPU": func(p physics.Power) float64 { return p.CPU },

	"VDD_SYS_GPU":  func(p physics.Power) float64 { return p.GPU - p.SoC },
	"VDD_SYS_SOC":  func(p physics.Power) float64 { return p.SoC },
	"VDD_4V0_WIFI": func(physics.Power) float64 { return 0 },
	"VDD_SYS_CPU":  func(p physics.Power) float64 { return p.CPU },
	"VDD_SYS_DDR":  func(p physics.Power) float64 { return p.RAM },
}

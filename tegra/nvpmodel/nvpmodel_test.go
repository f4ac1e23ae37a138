package nvpmodel_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra/nvpmodel"
	"jtune/tegra/sweep/sweeptest"
)

// sample is a text of our own with every oddity of real files: an unspaced
// header, double and trailing spaces, a gap in the ids, blank lines, a
// parameter that no mode uses, paths of newer kernels only.
const sample = `# comment
< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_0 /sys/devices/system/cpu/cpu0/online
CORE_1 /sys/devices/system/cpu/cpu1/online
CORE_2 /sys/devices/system/cpu/cpu2/online
CORE_3 /sys/devices/system/cpu/cpu3/online

< PARAM TYPE=FILE NAME=TPC_POWER_GATING >
TPC_PG_MASK /sys/devices/gpu.0/tpc_pg_mask
< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_ENABLE >
GPU_PWR_CNTL_EN /sys/devices/gpu.0/power/control
< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_DISABLE >
GPU_PWR_CNTL_DIS /sys/devices/gpu.0/power/control
< PARAM TYPE=CLOCK NAME=CPU_A78_0 >
MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
MIN_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq
< PARAM TYPE=CLOCK NAME=CPU_A78_1 >
MAX_FREQ /sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq
MIN_FREQ /sys/devices/system/cpu/cpu2/cpufreq/scaling_min_freq
< PARAM TYPE=CLOCK NAME=GPU >
MAX_FREQ_KNEXT /sys/devices/platform/17000000.gpu/devfreq_dev/max_freq
MIN_FREQ_KNEXT /sys/devices/platform/17000000.gpu/devfreq_dev/min_freq
<PARAM TYPE=CLOCK NAME=EMC >
MAX_FREQ /sys/kernel/nvpmodel_emc_cap/emc_iso_cap
< PARAM TYPE=CLOCK NAME=DLA0_CORE >
MAX_FREQ /sys/devices/platform/nvdla0/clk_cap/dla0_core
< PARAM TYPE=HWMON NAME=VDDIN_OC_LIMIT >
WARN /sys/devices/platform/i2c-7/7-0040/hwmon curr1_max
< POWER_MODEL ID=0 NAME=MAXN >
CPU_ONLINE CORE_0 1
CPU_ONLINE CORE_1 1
CPU_ONLINE CORE_2 1
CPU_ONLINE CORE_3 1
TPC_POWER_GATING TPC_PG_MASK 0
GPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on
CPU_A78_0 MIN_FREQ  729600
CPU_A78_0 MAX_FREQ -1
CPU_A78_1 MIN_FREQ 729600
CPU_A78_1 MAX_FREQ -1 
GPU MIN_FREQ 0
GPU MAX_FREQ -1
GPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto
EMC MAX_FREQ 0
DLA0_CORE MAX_FREQ -1

< POWER_MODEL ID=7 NAME=MODE_7W >
CPU_ONLINE CORE_0 1
CPU_ONLINE CORE_1 1
CPU_ONLINE CORE_2 0
CPU_ONLINE CORE_3 0
TPC_POWER_GATING TPC_PG_MASK 252
CPU_A78_0 MAX_FREQ 960000
GPU MAX_FREQ 408000000
EMC MAX_FREQ 2133000000
DLA0_CORE MAX_FREQ 614400000
< PM_CONFIG DEFAULT=7 >
< FAN_CONFIG DEFAULT=quiet >
`

func parse(t *testing.T, text string) *nvpmodel.Config {
	t.Helper()
	return must.Get(nvpmodel.Parse(strings.NewReader(text)))(t)
}

func TestParseKeepsTheFactsOfTheFileInJSON(t *testing.T) {
	t.Parallel()
	data := must.Get(json.Marshal(parse(t, sample)))(t)
	var got map[string]any
	must.NoError(t, json.Unmarshal(data, &got))
	params := got["params"].(map[string]any)
	if n := len(params); n != 10 {
		t.Errorf("%d params, want 10", n)
	}
	delete(got, "params")
	var want map[string]any
	must.NoError(t, json.Unmarshal(
		[]byte(`{"default":7,"fan_default":"quiet","mode_pairs_that_need_a_reboot":[[0,7]],"errors":[],
		"modes":[
		 {"id":0,"name":"MAXN","cores_on":[0,1,2,3],"cores_off":[],"gpu_hz":{"min_freq":0,"max_freq":-1},"emc_max_hz":0,"masks":{"TPC_PG_MASK":0},
		  "cpu_khz":{"CPU_A78_0":{"min_freq":729600,"max_freq":-1},"CPU_A78_1":{"min_freq":729600,"max_freq":-1}}},
		 {"id":7,"name":"MODE_7W","cores_on":[0,1],"cores_off":[2,3],"gpu_hz":{"min_freq":null,"max_freq":408000000},"emc_max_hz":2133000000,"masks":{"TPC_PG_MASK":252},
		  "cpu_khz":{"CPU_A78_0":{"min_freq":null,"max_freq":960000}}}]}`),
		&want,
	))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("JSON (-want +got):\n%s", d)
	}
}

func TestLinesThatMakeNoSenseAreNamedAndSkipped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"a value without a section":      {"CORE_0 /sys/x\n", 1},
		"an unknown section":             {"< NONSENSE A=1 >\nfoo bar\n", 1},
		"a parameter of an unknown type": {"\n< PARAM TYPE=MAGIC NAME=A >\nX /y\n", 2},
		"a parameter without a path":     {"< PARAM TYPE=FILE NAME=A >\nX y\n", 2},
		"a mode without an id":           {"< POWER_MODEL ID=x NAME=A >\nGPU MAX_FREQ 1\n", 1},
		"a mode without a name":          {"< POWER_MODEL ID=1 >\n", 1},
		"an undeclared parameter":        {"< POWER_MODEL ID=1 NAME=A >\nGPU MAX_FREQ 1\n", 2},
		"an undeclared argument": {"< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ /x\n" +
			"< POWER_MODEL ID=1 NAME=A >\nGPU MID_FREQ 1\n", 4},
		"a clock that is not a number": {"< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ /x\n" +
			"< POWER_MODEL ID=1 NAME=A >\nGPU MAX_FREQ fast\n", 4},
		"a setting cut short": {"< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ /x\n" +
			"< POWER_MODEL ID=1 NAME=A >\nGPU MAX_FREQ\n", 4},
		"a header that is never closed":   {"< POWER_MODEL ID=1 NAME=A\n", 1},
		"the same id twice":               {"< POWER_MODEL ID=1 NAME=A >\n< POWER_MODEL ID=1 NAME=B >\n", 2},
		"the same parameter twice":        {"< PARAM TYPE=FILE NAME=A >\n< PARAM TYPE=FILE NAME=A >\n", 2},
		"a default that is no id":         {"< PM_CONFIG DEFAULT=MAXN >\n", 1},
		"bytes that are no configuration": {"\x00\x01\x02\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, c.text).Errors; len(got) != 1 || got[0].Line != c.line {
				t.Errorf("errors %v, want one in line %d", got, c.line)
			}
		})
	}
}

func TestWindowsLineEndsAndByteOrderMarksAreNoErrors(t *testing.T) {
	t.Parallel()
	if c := parse(t, "\ufeff"+strings.ReplaceAll(sample, "\n", "\r\n")); len(c.Errors) > 0 || len(c.Modes) != 2 {
		t.Errorf("%d modes, errors %v", len(c.Modes), c.Errors)
	}
}

func TestParseTakesAnEmptyFileAsAnEmptyConfiguration(t *testing.T) {
	t.Parallel()
	data := must.Get(json.Marshal(parse(t, "")))(t)
	const want = `{"default":null,"fan_default":null,"params":{},"modes":[],"mode_pairs_that_need_a_reboot":[],` +
		`"errors":[]}`
	if string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
}

func TestLineOfAMegabyteIsAnErrorNotACrash(t *testing.T) {
	t.Parallel()
	if _, err := nvpmodel.Parse(strings.NewReader(strings.Repeat("x", 1<<20))); err == nil {
		t.Error("no error")
	}
}

func target() nvpmodel.Target {
	return nvpmodel.Target{CoresOn: []int{0, 1}, CPUKHz: 1113600, GPUHz: 624750000, EMCHz: 2133000000,
		Masks: map[string]int64{"TPC_PG_MASK": 252}}
}

func TestBlockReadsBackAsTheModeItWasMadeFrom(t *testing.T) {
	t.Parallel()
	c := parse(t, sample)
	block := must.Get(nvpmodel.Block(c, target(), "pm_new"))(t)
	const want = `# current limits and other parameters: from MAXN (id 0), the smallest mode that contains it
< POWER_MODEL ID=8 NAME=PM_NEW >
CPU_ONLINE CORE_0 1
CPU_ONLINE CORE_1 1
CPU_ONLINE CORE_2 0
CPU_ONLINE CORE_3 0
TPC_POWER_GATING TPC_PG_MASK 252
GPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on
CPU_A78_0 MIN_FREQ 1113600
CPU_A78_0 MAX_FREQ 1113600
GPU MIN_FREQ 624750000
GPU MAX_FREQ 624750000
GPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto
EMC MAX_FREQ 2133000000
DLA0_CORE MAX_FREQ -1
`
	if d := cmp.Diff(want, block); d != "" {
		t.Errorf("block (-want +got):\n%s", d)
	}
	before, after, _ := strings.Cut(sample, "< PM_CONFIG")
	again := parse(t, before+block+"< PM_CONFIG"+after)
	if len(again.Errors) > 0 {
		t.Fatalf("the block does not parse: %v", again.Errors)
	}
	m, ok := again.Mode(8)
	if !ok {
		t.Fatal("no mode 8")
	}
	if on, _ := again.Cores(m); !slices.Equal(on, []int{0, 1}) {
		t.Errorf("cores %v", on)
	}
}

func TestBlockWritesNoCapAsTheFileItselfDoes(t *testing.T) {
	t.Parallel()
	tg := target()
	tg.EMCHz = 0
	for _, c := range []struct{ text, want string }{
		{sample, "EMC MAX_FREQ 0\n"},
		{strings.Replace(sample, "EMC MAX_FREQ 0", "EMC MAX_FREQ -1", 1), "EMC MAX_FREQ -1\n"},
	} {
		block, err := nvpmodel.Block(parse(t, c.text), tg, "A")
		if err != nil || !strings.Contains(block, c.want) {
			t.Errorf("%v: block lacks %q:\n%s", err, c.want, block)
		}
	}
}

func TestBlockThatCannotBeRightIsRefused(t *testing.T) {
	t.Parallel()
	c := parse(t, sample)
	five := target()
	five.CoresOn = []int{0, 1, 2, 3, 4}
	for name, f := range map[string]func() (string, error){
		"a name with a space": func() (string, error) { return nvpmodel.Block(c, target(), "MY MODE") },
		"no name":             func() (string, error) { return nvpmodel.Block(c, target(), "") },
		"a header in the name": func() (string, error) {
			return nvpmodel.Block(c, target(),
				"A >\n< PM_CONFIG DEFAULT=0")
		},
		"a name that is taken":       func() (string, error) { return nvpmodel.Block(c, target(), "maxn") },
		"a core that is not there":   func() (string, error) { return nvpmodel.Block(c, five, "A") },
		"an empty mode":              func() (string, error) { return nvpmodel.Block(c, nvpmodel.Target{}, "A") },
		"a file without a parameter": func() (string, error) { return nvpmodel.Block(parse(t, ""), target(), "A") },
	} {
		if block, err := f(); err == nil {
			t.Errorf("%s: no error, but\n%s", name, block)
		}
	}
}

// TestParseTakesTheExtractedFactsFromTheVendorsFiles compares every file next to the checkout with the table that a
// separate script extracted.
func TestParseTakesTheExtractedFactsFromTheVendorsFiles(t *testing.T) {
	t.Parallel()
	table := sweeptest.Shared(t, "data/nvpmodel/modes.tsv")
	f := must.Get(os.Open(table))(t)
	defer f.Close()
	configs, rows := map[string]*nvpmodel.Config{}, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(cells[0], "#") || cells[0] == "file" {
			continue
		}
		c := configs[cells[0]]
		if c == nil {
			data := must.Read(t, filepath.Join(filepath.Dir(table), cells[0]))
			c = parse(t, string(data))
			if len(c.Errors) > 0 {
				t.Errorf("%s: %v", cells[0], c.Errors)
			}
			configs[cells[0]] = c
		}
		if d := cmp.Diff(cells[1:], facts(c, cells[1])); d != "" {
			t.Errorf("%s (-table +parsed):\n%s", cells[0], d)
		}
		rows++
	}
	if rows < 50 || len(configs) != 13 {
		t.Errorf("%d modes in %d files compared", rows, len(configs))
	}
}

// facts prints a mode as the table does.
func facts(c *nvpmodel.Config, id string) []string {
	n, _ := strconv.Atoi(id)
	m, _ := c.Mode(n)
	num := func(v *int64) string {
		if v == nil {
			return "-"
		}
		return strconv.FormatInt(*v, 10)
	}
	isDefault := ""
	if c.Default != nil && *c.Default == n {
		isDefault = "*"
	}
	on, off := c.Cores(m)
	var cpu nvpmodel.Range
	for _, r := range c.CPU(m) {
		cpu = r
	}
	gpu, _ := c.GPU(m)
	emc := "-"
	if v, ok := c.EMC(m); ok {
		emc = fmt.Sprint(v)
	}
	mask := func(name string) string {
		if v, ok := c.Masks(m)[name]; ok {
			return fmt.Sprint(v)
		}
		return "-"
	}
	return []string{id, m.Name, isDefault, fmt.Sprint(len(on)), fmt.Sprint(len(on) + len(off)), num(cpu.Min),
		num(cpu.Max), num(gpu.Min), num(gpu.Max), emc, mask("TPC_PG_MASK"), mask("FBP_PG_MASK")}
}

// Pairs that need a reboot, by device (device notes, section 5).
func TestReboots(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]int{
		"nvpmodel_p3701_0000.conf":       5, // all pairs of MAXN 15W 30W 50W but MAXN–50W
		"nvpmodel_p3767_0003.conf":       1,
		"nvpmodel_p3767_0003_super.conf": 0,
		"nvpmodel_t186.conf":             0,
		"nvpmodel_t194.conf":             7, // MODE_10W against each other
	} {
		data := must.Read(t, sweeptest.Shared(t, "data/nvpmodel/"+file))
		c := parse(t, string(data))
		got := 0
		for i, a := range c.Modes {
			for _, b := range c.Modes[i+1:] {
				if nvpmodel.NeedsReboot(c.Masks(a), c.Masks(b)) {
					got++
				}
			}
		}
		if got != want {
			t.Errorf("%s: %d pairs need a reboot, want %d", file, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(
		"< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ /x\n< POWER_MODEL ID=1 NAME=A >\nGPU MAX_FREQ 99999999999999999999\n")
	f.Add("<<<>>>\n< PM_CONFIG DEFAULT=-1 >")
	f.Add(strings.Replace(sample, "NAME=CPU_ONLINE", "NAME=<CPU_ONLINE", 1))
	f.Add(strings.ReplaceAll(sample, "CPU_ONLINE", "<CPU_ONLINE"))
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		c, err := nvpmodel.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		if data, err := json.Marshal(c); err != nil || !json.Valid(data) {
			t.Errorf("JSON: %v", err)
		}
		block, err := nvpmodel.Block(c, target(), "FUZZ")
		if err != nil {
			return
		}
		again := must.Get(nvpmodel.Parse(strings.NewReader(text + "\n" + block)))(t)
		if len(again.Errors) != len(c.Errors) && len(c.Errors) < 100 {
			t.Errorf("the block makes errors: %v\n%s", again.Errors[len(c.Errors):], block)
		}
	})
}

// limited is a configuration in which modes of equal cores and masks differ in a current limit.
const limited = `< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_0 /sys/devices/system/cpu/cpu0/online
CORE_1 /sys/devices/system/cpu/cpu1/online
< PARAM TYPE=CLOCK NAME=CPU_DENVER_0 >
MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
MIN_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq
< PARAM TYPE=CLOCK NAME=GPU >
MAX_FREQ /sys/devices/gpu.0/devfreq/max_freq
MIN_FREQ /sys/devices/gpu.0/devfreq/min_freq
< PARAM TYPE=CLOCK NAME=EMC >
MAX_FREQ /sys/kernel/nvpmodel_emc_cap/emc_iso_cap
< PARAM TYPE=HWMON NAME=VDDIN_OC_LIMIT >
WARN /sys/bus/i2c/devices/7-0040/hwmon curr1_max
`

func TestCurrentLimitsAreOfTheSmallestModeThatContainsTheNewOne(t *testing.T) {
	t.Parallel()
	text := limited
	for i, m := range []struct {
		name               string
		cores              int
		cpu, gpu, emc, amp int64
	}{{"A15", 2, 1400000, 1100000000, 1600000000, 3000}, {"A20", 2, 1400000, 1100000000, 1866000000, 4000},
		{"A10", 1, 1900000, 800000000, 1600000000, 2500}, {"TOP", 2, -1, 1100000000, 0, 4500}} {
		text += fmt.Sprintf("< POWER_MODEL ID=%d NAME=%s >\nCPU_ONLINE CORE_0 1\nCPU_ONLINE CORE_1 %d\n"+
			"CPU_DENVER_0 MAX_FREQ %d\nGPU MAX_FREQ %d\nEMC MAX_FREQ %d\nVDDIN_OC_LIMIT WARN %d\n",
			i, m.name, m.cores-1, m.cpu, m.gpu, m.emc, m.amp)
	}
	c := parse(t, text)
	three := 3
	for name, v := range map[string]struct {
		t          nvpmodel.Target
		warn, says string
	}{
		"within all of two cores": {nvpmodel.Target{CoresOn: []int{0, 1}, CPUKHz: 1400000, GPUHz: 1100000000,
			EMCHz: 1600000000}, "3000", "WARN is 3000 here, 4000 in A20 (id 1), 4500 in TOP (id 3)"},
		"faster memory": {nvpmodel.Target{CoresOn: []int{0, 1}, CPUKHz: 1200000, GPUHz: 800000000, EMCHz: 1866000000},
			"4000", "A20 (id 1), the smallest"},
		"faster cores": {nvpmodel.Target{CoresOn: []int{0, 1}, CPUKHz: 1900000, GPUHz: 800000000, EMCHz: 1600000000},
			"4500", "TOP (id 3), the smallest"},
		"one core": {nvpmodel.Target{CoresOn: []int{0}, CPUKHz: 1900000, GPUHz: 800000000, EMCHz: 1600000000}, "2500",
			"4500 in TOP (id 3)"},
		"a faster GPU than any": {nvpmodel.Target{CoresOn: []int{0}, CPUKHz: 1400000, GPUHz: 1200000000,
			EMCHz: 1600000000}, "4500", "the largest mode: none contains it"},
		"as chosen": {nvpmodel.Target{CoresOn: []int{0}, CPUKHz: 1900000, GPUHz: 800000000, EMCHz: 1600000000,
			Like: &three}, "4500", "as chosen"},
	} {
		block, err := nvpmodel.Block(c, v.t, "NEW")
		if err != nil || !strings.Contains(block, "VDDIN_OC_LIMIT WARN "+v.warn+"\n") ||
			!strings.Contains(block, v.says) {
			t.Errorf("%s: %v, want %s and %q in\n%s", name, err, v.warn, v.says, block)
		}
	}
}

func TestParseReadsTheFormOfL4T28AndWrongUnits(t *testing.T) {
	t.Parallel()
	c := parse(t, `< POWER_MODEL ID=0 NAME=MAXN >
/sys/devices/system/cpu/cpu1/online 1
/sys/devices/system/cpu/cpu2/online 0
/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq 2035200
/sys/devices/17000000.gp10b/devfreq/17000000.gp10b/max_freq 1300500
/sys/kernel/nvpmodel_emc_cap/emc_iso_cap 0
/sys/kernel/other 7
`)
	m := c.Modes[0]
	on, off := c.Cores(m)
	gpu, _ := c.GPU(m)
	emc, capped := c.EMC(m)
	if !slices.Equal(on, []int{0, 1}) || !slices.Equal(off, []int{2}) || *c.CPU(m)["CPU_0"].Max != 2035200 ||
		*gpu.Max != 1300500 || emc != 0 || !capped || len(m.Settings) != 6 {
		t.Errorf("%+v", m)
	}
	if len(c.Errors) != 1 || c.Errors[0].Line != 5 || !strings.Contains(c.Errors[0].Message, "another unit") {
		t.Errorf("errors %v, want the GPU's kHz", c.Errors)
	}
}

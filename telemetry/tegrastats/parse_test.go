package tegrastats

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// Parse parses a line that is one record. It returns false for a line that is not from tegrastats.
func Parse(text string) (Line, bool) {
	l, _, _ := parse(strings.Fields(text))
	l.total()
	return l, l.sampled()
}

// Lines with made-up numbers in the form of each release.
const (
	oldTX2 = "RAM 1000/7852MB (lfb 7x2MB) cpu [17%,13%,off]@408 EMC 1%@408 GR3D 3%@76 APE 150 MTS fg 0% bg 3% " +
		"PLL@34C PMIC@100C VDD_IN 1876/1900 VDD_SYS_GPU 153/150"
	nano32 = "RAM 534/3964MB (lfb 1x512kB) SWAP 5/1982MB (cached 1MB) IRAM 0/252kB(lfb 252kB) CPU " +
		"[16%@204,9%@204,0%@204,off] EMC_FREQ 0% GR3D_FREQ 99% PLL@34.5C GPU@36C POM_5V_IN 1022/1000 POM_5V_GPU 0/0"
	xavier32 = "RAM 721/31927MB CPU [2%@1190,off] EMC_FREQ 0%@665 GR3D_FREQ 0%@318 GPU@37.5C CPU@37.5C GPU 10/10 CPU " +
		"311/310 SOC 932/930 CV 0/0 VDDRQ 621/620 SYS5V 1482/1480"
	orin35 = "04-24-2023 00:01:24 RAM 1282/62795MB (lfb 15152x4MB) SWAP 0/31398MB (cached 0MB) CPU [0%@729,3%@730]  " +
		" EMC_FREQ 0%@2133 GR3D_FREQ 0%@0 GR3D2_FREQ 5%@7 VIC_FREQ 729 NVDLA0_FREQ @1600 APE 174 CV0@-256C " +
		"CPU@42.593C tj@42.593C VDD_GPU_SOC 2399mW/2300mW VDD_CPU_CV 400mW/401mW " +
		"VIN_SYS_5V0 4032mW/4000mW NC 0mW/0mW VDDQ_VDD2_1V8AO 301mW/300mW NC 0mW/0mW"
	orin39 = "07-25-2026 09:08:28 RAM 20642/62817MB (lfb 1x2MB) CPU [23%@2201] EMC_FREQ @4266 GR3D_FREQ " +
		"12%@[1300,1301] NVENC0 79%@166 NVDEC0 off FUTURE_TOKEN value PVA0_FREQ off cpu@52.968C/53C " +
		"VDD_GPU_SOC 5139mW/5000mW/6000mW VDD_CPU_CV 3268mW/3000mW/4000mW VIN_SYS_5V0 5500mW/5400mW/5600mW"
	thor38 = "RAM 105265/125772MB (lfb 34x4MB) CPU [0%@972] EMC_FREQ 0%@2750 GR3D_FREQ @[314,315,314] VDD_GPU " +
		"1962mW/1900mW VIN_SYS_5V0 5635mW/5600mW VIN 19780mW/19700mW"
	cut = "[7%@729,off] EMC_FREQ 0% GR3D_FREQ 0%"
)

// asJSON returns the line as scripts see it.
func asJSON(t *testing.T, text string) map[string]any {
	t.Helper()
	l, ok := Parse(text)
	if !ok {
		t.Fatalf("no line of tegrastats: %s", text)
	}
	b := must.Get(json.Marshal(l))(t)
	var out map[string]any
	must.NoError(t, json.Unmarshal(b, &out))
	return out
}

func TestParseReadsLinesOfEveryRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, line, key, want string }{
		{"no timestamp", oldTX2, "timestamp", `null`},
		{"a timestamp", orin35, "timestamp", `"04-24-2023 00:01:24"`},
		{"memory", oldTX2, "ram", `{"lfb_block_mb":2,"lfb_blocks":7,"total_mb":7852,"used_mb":1000}`},
		{"a largest block in kB", nano32, "ram", `{"lfb_block_mb":0.5,"lfb_blocks":1,"total_mb":3964,"used_mb":534}`},
		{"memory without its largest block", xavier32, "ram",
			`{"lfb_block_mb":null,"lfb_blocks":null,"total_mb":31927,"used_mb":721}`},
		{"no swap", oldTX2, "swap", `null`},
		{"swap", nano32, "swap", `{"cached_mb":1,"total_mb":1982,"used_mb":5}`},
		{"IRAM", nano32, "iram", `{"lfb_kb":252,"total_kb":252,"used_kb":0}`},
		{"no IRAM", orin39, "iram", `null`},
		{"one clock for all cores", oldTX2, "cpu",
			`[{"freq_mhz":408,"load_pct":17,"online":true},{"freq_mhz":408,"load_pct":13,"online":true},` +
				`{"freq_mhz":null,"load_pct":null,"online":false}]`},
		{"a clock per core", xavier32, "cpu",
			`[{"freq_mhz":1190,"load_pct":2,"online":true},{"freq_mhz":null,"load_pct":null,"online":false}]`},
		{"a line cut before its cores", cut, "cpu",
			`[{"freq_mhz":729,"load_pct":7,"online":true},{"freq_mhz":null,"load_pct":null,"online":false}]`},
		{"memory clock", oldTX2, "emc", `{"freq_mhz":408,"load_pct":1}`},
		{"memory load alone", nano32, "emc", `{"freq_mhz":null,"load_pct":0}`},
		{"memory clock alone", orin39, "emc", `{"freq_mhz":4266,"load_pct":null}`},
		{"GPU with one clock", oldTX2, "gpu", `{"freq_mhz":[76],"load_pct":3}`},
		{"GPU load alone", nano32, "gpu", `{"freq_mhz":[],"load_pct":99}`},
		{"GPU clocks per cluster", orin39, "gpu", `{"freq_mhz":[1300,1301],"load_pct":12}`},
		{"GPU without a load", thor38, "gpu", `{"freq_mhz":[314,315,314],"load_pct":null}`},
		{"a second GPU", orin35, "gpu2", `{"freq_mhz":[7],"load_pct":5}`},
		{"temperatures", orin35, "temps_c", `{"CPU":42.593,"tj":42.593}`},
		{"sensors that are off", orin35, "temps_off", `["CV0"]`},
		{"maxima", orin39, "temps_max_c", `{"cpu":53}`},
		{"no maxima", orin35, "temps_max_c", `{}`},
		{"rails without a unit", oldTX2, "rails",
			`[{"avg_mw":1900,"cur_mw":1876,"max_mw":null,"name":"VDD_IN"},{"avg_mw":150,"cur_mw":153,"max_mw":null,` +
				`"name":"VDD_SYS_GPU"}]`},
		{"rails with a maximum", thor38, "rails",
			`[{"avg_mw":1900,"cur_mw":1962,"max_mw":null,"name":"VDD_GPU"},{"avg_mw":5600,"cur_mw":5635,` +
				`"max_mw":null,"name":"VIN_SYS_5V0"},{"avg_mw":19700,"cur_mw":19780,"max_mw":null,"name":"VIN"}]`},
		{"engines", orin39, "engines",
			`{"NVDEC0":{"freq_mhz":null,"load_pct":null,"on":false},"NVENC0":{"freq_mhz":166,"load_pct":79,` +
				`"on":true},"PVA0":{"freq_mhz":null,"load_pct":null,"on":false}}`},
		{"engines in older forms; MTS is none", oldTX2, "engines",
			`{"APE":{"freq_mhz":150,"load_pct":null,"on":true}}`},
		{"the module's input is its total", oldTX2, "total_power_rule", `"VDD_IN"`},
		{"Nano", nano32, "total_power_mw", `1022`},
		{"six rails of an AGX Xavier", xavier32, "total_power_mw", `3356`},
		{"their rule", xavier32, "total_power_rule", `"SUM:GPU,CPU,SOC,CV,VDDRQ,SYS5V"`},
		{"three rails of an AGX Orin, not the one fed from them", orin35, "total_power_mw", `6831`},
		{"their rule", orin35, "total_power_rule", `"SUM:VDD_GPU_SOC,VDD_CPU_CV,VIN_SYS_5V0"`},
		{"Thor's input", thor38, "total_power_mw", `19780`},
		{"no rails, no total", cut, "total_power_mw", `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(asJSON(t, c.line)[c.key])
			if err != nil || string(got) != c.want {
				t.Errorf("%s: got %s, want %s", c.key, got, c.want)
			}
		})
	}
	if _, there := asJSON(t, orin39)["gpu2"]; there {
		t.Error("gpu2 was read from a line that has none")
	}
	if rails, _ := json.Marshal(asJSON(t, orin35)["rails"]); strings.Count(string(rails), `"NC"`) != 2 {
		t.Errorf("unconnected rails are kept as printed: %s", rails)
	}
}

// A fork prints clocks in kHz or Hz, or rails in lower case: the line means the same.
func TestParseReadsClocksInAnyUnitAndRailsInAnyCase(t *testing.T) {
	t.Parallel()
	clocks, rails := regexp.MustCompile(`%@(\d+)|\]@(\d+)`), regexp.MustCompile(`\b[A-Z0-9_]+ \d`)
	for _, line := range []string{oldTX2, nano32, xavier32, orin35, orin39, thor38, cut} {
		want, _ := Parse(line)
		for _, zeros := range []string{"000", "000000"} {
			other := clocks.ReplaceAllStringFunc(line, func(s string) string {
				if strings.HasSuffix(s, "@0") || strings.HasSuffix(s, "@7") { // no clock of a Jetson
					return s
				}
				return s + zeros
			})
			if got, _ := Parse(other); !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n%+v, want\n%+v", other, got, want)
			}
		}
		got, _ := Parse(rails.ReplaceAllStringFunc(line, func(s string) string {
			switch name, _, _ := strings.Cut(s, " "); name {
			case "RAM", "SWAP", "IRAM", "EMC_FREQ", "GR3D_FREQ", "GR3D", "EMC", "VIC_FREQ", "APE", "GR3D2_FREQ",
				"NVENC0":
				return s
			}
			return strings.ToLower(s)
		}))
		if (got.TotalPowerMW == nil) != (want.TotalPowerMW == nil) ||
			want.TotalPowerMW != nil && *got.TotalPowerMW != *want.TotalPowerMW {
			t.Errorf("%s: total of the rails in lower case %v, want %v", line, got.TotalPowerMW, want.TotalPowerMW)
		}
	}
}

func TestParseRejectsOtherText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "   ", "Epoch 3/5: loss 0.4", `{"event":"minibatch"}`, "RAM is full",
		"VDD_IN 3/4", "CPU [x]", "[0%@5,", "\x00\xff"} {
		if l, ok := Parse(text); ok {
			t.Errorf("%q was taken for %+v", text, l)
		}
	}
}

func TestParseGoesOnAfterABrokenField(t *testing.T) {
	t.Parallel()
	l, ok := Parse(
		"RAM x/yMB SWAP IRAM 1/2 CPU [1%@2] EMC_FREQ EMC_FREQ GR3D_FREQ GR3D_FREQ 5% cpu@C tj@nanC gpu@40C VDD_IN 5/ " +
			"VDD_IN 7/8 MTS fg",
	)
	if !ok || len(l.CPU) != 1 || l.EMC != nil || l.GPU == nil || *l.GPU.LoadPct != 5 || len(l.TempsC) != 1 ||
		len(l.Rails) != 1 ||
		*l.TotalPowerMW != 7 {
		t.Errorf("got %+v", l)
	}
}

func TestLineReadingHasTheUnitsOfADevice(t *testing.T) {
	t.Parallel()
	l, _ := Parse(orin39)
	r := l.Reading()
	if r.TotalW != tegra.Some(13.907) || r.GPU.Actual != tegra.Some(1301*tegra.MHz) ||
		r.CPU.Actual != tegra.Some(2201*tegra.MHz) ||
		r.EMC.LoadPct.OK ||
		r.Temps[0] != (tegra.TempReading{Name: "cpu", C: 52.968}) ||
		r.RAMUsed != tegra.Some(int64(20642<<20)) {
		t.Errorf("got %+v", r)
	}
	empty, _ := Parse(cut)
	if r := empty.Reading(); r.TotalW.OK || r.RAMUsed.OK || r.GPU.Actual.OK || !r.Cores[0].Online || r.Cores[1].Online {
		t.Errorf("got %+v; want absent what the line does not tell", r)
	}
}

func TestParseReadsEveryWordOfRecordedLines(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(sweeptest.Shared(t, "data/tegrastats/SOURCES.md"))
	files, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	lines := 0
	for _, path := range files {
		f := must.Get(os.Open(path))(t)
		for in := bufio.NewScanner(f); in.Scan(); lines++ {
			l, unknown, rest := parse(strings.Fields(in.Text()))
			if names := []string{"FUTURE_TOKEN"}; len(unknown) > 0 && !slices.Equal(unknown, names) || len(rest) > 0 {
				t.Errorf("%s: unread %q, and then %q", filepath.Base(path), unknown, rest)
			}
			parsed, ok := Parse(in.Text())
			if !ok || l.RAM == nil || len(l.CPU) == 0 || l.GPU == nil {
				t.Errorf("%s: memory, cores or GPU missing in %+v", filepath.Base(path), l)
			}
			if rails := len(l.Rails); (rails > 0) != (parsed.TotalPowerMW != nil) && rails > 1 {
				t.Errorf("%s: %d rails and no total", filepath.Base(path), rails)
			}
		}
		f.Close()
	}
	if lines < 30 {
		t.Errorf("%d lines read, want all 30 and more", lines)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{oldTX2, nano32, xavier32, orin35, orin39, thor38, cut,
		"RAM 99999999999999999999/1MB (lfb 9x9MB) cpu@1e9C"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		l, _ := Parse(text)
		_, err := json.Marshal(l)
		must.NoError(t, err)
		if r := l.Reading(); math.IsNaN(r.TotalW.V) || math.IsInf(r.TotalW.V, 0) {
			t.Fatalf("total %g", r.TotalW.V)
		}
	})
}

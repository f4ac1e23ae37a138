package tegra_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/tegratest"
)

// boardFacts are the expected values of each fake root. Counts: device notes, sections 2 and 3 (29 CPU × 13 GPU × 4 EMC
// × 12 cores = 18,096 and so on); totals: the recorded rails by the board's rule; JetPacks: section 1.
var boardFacts = map[string]struct {
	name, soc, module, jetpack string
	cores, cpu, gpu, emc       int
	rule                       string
	totalW                     float64
	temps, off                 int     // sensors that answer, and that are off
	fanPct                     float64 // -1: none
}{
	"agx-thor-39":   {"AGX Thor", "tegra264", "p3834-0008", "7.2", 14, 3, 4, 2, "VIN", 19.78, 5, 0, 55},
	"agx-orin-39":   {"AGX Orin", "tegra234", "p3701-0005", "7.2", 12, 29, 11, 4, sumOrin, 7.08032, 5, 3, 55},
	"orin-nano-39":  {"Orin Nano", "tegra234", "p3767-0005", "7.2", 6, 20, 5, 3, "VDD_IN", 4.78464, 6, 3, 55},
	"orin-nx8-36":   {"Orin NX 8GB", "tegra234", "p3767-0001", "6.1", 6, 26, 6, 4, "VDD_IN", 4.78464, 6, 3, 55},
	"agx-thor-38":   {"AGX Thor", "tegra264", "p3834-0008", "7.1", 14, 3, 4, 2, "VIN", 19.78, 5, 0, 55},
	"agx-orin-36":   {"AGX Orin", "tegra234", "p3701-0005", "6.1", 12, 29, 11, 4, sumOrin, 7.08032, 7, 4, 55},
	"agx-orin-35":   {"AGX Orin", "tegra234", "p3701-0005", "5.1.1", 12, 29, 11, 4, sumOrin, 7.08032, 7, 4, 55},
	"agx-orin-35.1": {"AGX Orin", "tegra234", "p3701-0005", "5.0.2", 12, 29, 13, 4, sumOrin, 7.08032, 7, 4, 55},
	"orin-nx-super-36": {"Orin NX 16GB Super", "tegra234", "p3767-0000", "6.2", 8, 26, 10, 4, "VDD_IN", 4.78464, 6, 3,
		55},
	"orin-nx-36":   {"Orin NX 16GB", "tegra234", "p3767-0000", "6.1", 8, 26, 7, 4, "VDD_IN", 4.78464, 6, 3, 55},
	"orin-nano-36": {"Orin Nano Super", "tegra234", "p3767-0005", "6.2", 6, 22, 8, 4, "VDD_IN", 4.78464, 6, 3, 55},
	"orin-nano-36-odd": {"Orin Nano Super", "tegra234", "p3767-0005", "6.2.1", 6, 20, 5, 3, "VDD_IN", 4.78464, 6, 3,
		55},
	"orin-nano-35":  {"Orin Nano", "tegra234", "p3767-0005", "5.1.1", 6, 20, 5, 3, "VDD_IN", 4.78464, 5, 4, 55},
	"agx-xavier-35": {"AGX Xavier", "tegra194", "", "5.1.1", 8, 29, 14, 9, sumXavier, 4.052512, 5, 1, 55},
	"agx-xavier-32": {"AGX Xavier", "tegra194", "", "4.6.3", 8, 29, 14, 9, sumXavier, 3.346, 7, 0, 0},
	"xavier-nx-35":  {"Xavier NX", "tegra194", "p3668-0000", "5.1.1", 6, 25, 15, 8, "VDD_IN", 4.07, 5, 0, 55},
	"xavier-nx-32":  {"Xavier NX", "tegra194", "p3668-0000", "4.6.3", 6, 25, 15, 8, "VDD_IN", 4.067, 5, 0, 0},
	"tx2-32":        {"TX2", "tegra186", "", "4.4", 6, 12, 13, 11, "VDD_IN", 3.056, 7, 0, 0},
	"nano-32":       {"Nano", "tegra210", "", "4.6.1", 4, 15, 12, 2, "POM_5V_IN", 2.132, 5, 0, 0},
}

const (
	sumOrin   = "SUM:VDD_GPU_SOC,VDD_CPU_CV,VIN_SYS_5V0"
	sumXavier = "SUM:GPU,CPU,SOC,CV,VDDRQ,SYS5V"
)

func TestBoardsAreFoundByTheSameLook(t *testing.T) {
	t.Parallel()
	for _, board := range tegratest.Boards() {
		t.Run(board.Name, func(t *testing.T) {
			t.Parallel()
			want, ok := boardFacts[board.Name]
			if !ok {
				t.Fatal("no facts to compare with")
			}
			s := open(t, board.New())
			r, b, space := read(t, s), s.Board(), s.Space()
			if b.Name != want.name || b.SoC != want.soc || b.Module != want.module || b.L4T != board.L4T ||
				b.JetPack != want.jetpack {
				t.Errorf("%q %s %q, L4T %s, JetPack %s", b.Name, b.SoC, b.Module, b.L4T, b.JetPack)
			}
			got := [4]int{len(space.Cores), len(space.CPU), len(space.GPU), len(space.EMC)}
			if got != [4]int{want.cores, want.cpu, want.gpu, want.emc} {
				t.Errorf("lists of %v", got)
			}
			if got := space.Len(); got != want.cores*want.cpu*want.gpu*want.emc {
				t.Errorf("%d modes", got)
			}
			if b.TotalRule != want.rule || math.Abs(r.TotalW.V-want.totalW) > 1e-9 || b.TotalCovers == "" {
				t.Errorf("rule %q, total %v, covers %q", b.TotalRule, r.TotalW, b.TotalCovers)
			}
			if len(r.Temps) != want.temps || len(r.TempsOff) != want.off {
				t.Errorf("temperatures %v, off %v", r.Temps, r.TempsOff)
			}
			if fan := math.Round(r.FanPct.V * 2.55); !r.FanPct.OK || fan != want.fanPct {
				t.Errorf("fan %v", r.FanPct)
			}
			if !r.Throttled.OK || r.Throttled.V {
				t.Errorf("throttled %v", r.Throttled)
			}
			if !r.Mode.OK || r.Mode.V != space.Max() || !s.Complete() {
				t.Errorf("mode %v, want the top one; complete %v", r.Mode, s.Complete())
			}
			if len(s.Presets()) == 0 || !r.CPU.Actual.OK || !r.GPU.Actual.OK || !r.EMC.Actual.OK ||
				r.GPU.LoadPct.OK == (want.soc == "tegra264") ||
				!r.EMC.LoadPct.OK {
				t.Errorf("%d presets, %+v %+v %+v", len(s.Presets()), r.CPU, r.GPU, r.EMC)
			}
		})
	}
}

// The modes of each board's nvpmodel.conf as limits on its lists, "!" for those whose power-gate masks need a reboot
// (device notes, sections 4 and 5).
func TestBoardsPresetsLandOnTheirLists(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"agx-thor-38":   "14c/2.60C/1.57G/4.27M 14c/2.60C/1.39G/4.27M 12c/2.60C/1.53G/4.27M! 12c/2.00C/1.53G/4.27M!",
		"agx-orin-36":   "12c/2.20C/1.30G/3.20M 4c/1.11C/0.41G/2.13M! 8c/1.73C/0.61G/3.20M! 12c/1.50C/0.82G/3.20M",
		"agx-orin-35.1": "12c/2.20C/1.30G/3.20M 4c/1.11C/0.42G/2.13M! 8c/1.73C/0.62G/3.20M! 12c/1.50C/0.83G/3.20M",
		"orin-nx-super-36": "8c/1.98C/1.17G/3.20M 4c/1.19C/0.61G/2.13M! 4c/1.42C/0.61G/3.20M! 8c/1.50C/0.41G/3.20M " +
			"8c/1.50C/1.17G/3.20M",
		"orin-nx-36":       "8c/1.98C/0.92G/3.20M 4c/1.19C/0.61G/2.13M! 4c/1.65C/0.61G/3.20M! 8c/1.50C/0.41G/3.20M",
		"orin-nano-36":     "6c/1.50C/0.61G/2.13M 6c/1.34C/0.92G/3.20M 6c/1.73C/1.02G/3.20M",
		"orin-nano-36-odd": "6c/1.50C/0.61G/2.13M 6c/1.34C/0.62G/2.13M 6c/1.51C/0.62G/2.13M 4c/0.96C/0.41G/2.13M!",
		"orin-nano-35":     "6c/1.51C/0.62G/2.13M 4c/0.96C/0.41G/2.13M!",
		"agx-xavier-32": "8c/2.27C/1.38G/2.13M 2c/1.19C/0.52G/1.07M! 4c/1.19C/0.68G/1.33M 8c/1.19C/0.91G/1.60M " +
			"6c/1.42C/0.91G/1.60M 4c/1.80C/0.91G/1.60M 2c/2.11C/0.91G/1.60M 4c/2.19C/0.68G/1.33M",
		"tx2-32":  "6c/2.04C/1.30G/1.87M 4c/1.27C/0.85G/1.33M 6c/1.42C/1.12G/1.60M 4c/2.04C/1.12G/1.60M",
		"nano-32": "4c/1.48C/0.92G/1.60M 2c/0.92C/0.61G/1.60M",
	} {
		board, ok := tegratest.BoardNamed(name)
		if !ok {
			t.Fatalf("no board %s", name)
		}
		s := open(t, board.New())
		var got []string
		for _, p := range s.Presets() {
			mark := ""
			if p.NeedsReboot {
				mark = "!"
			}
			got = append(got, p.Mode.String()+mark)
			if p.Mode.EMC == 0 || !s.Space().Contains(p.Mode) {
				t.Errorf("%s: %s is none of its modes: %+v", name, p.Name, p.Mode)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, " "), want)
		}
	}
}

func TestExportedModeParsesBackOnEveryBoard(t *testing.T) {
	t.Parallel()
	for _, board := range tegratest.Boards() {
		t.Run(board.Name, func(t *testing.T) {
			t.Parallel()
			files := tegratest.NewMemory(board.New())
			s := openFS(t, files)
			conf := must.Get(files.ReadFile("/etc/nvpmodel.conf"))(t)
			before, after, _ := strings.Cut(string(conf), "< PM_CONFIG")
			for _, m := range append(s.Space().Sample(6, 1), s.Space().Max()) {
				block := must.Get(s.NVPModelBlock(m, "TRIAL"))(t)
				must.NoError(t, files.WriteFile("/etc/nvpmodel.conf", []byte(before+block+"< PM_CONFIG"+after)))
				again := openFS(t, files)
				i := slices.IndexFunc(again.Presets(), func(p tegra.Preset) bool { return p.Name == "TRIAL" })
				if probe := probeNamed(again, "presets"); i < 0 ||
					strings.Contains(string(probe.Why), "not understood") {
					t.Fatalf("%s is not found: %s\n%s", m, probe.Why, block)
				}
				if p := again.Presets()[i]; p.Mode != m || p.NeedsReboot {
					t.Errorf("%s parses back as %s, reboot %v\n%s", m, p.Mode, p.NeedsReboot, block)
				}
			}
		})
	}
}

func probeNamed(s *tegra.Sysfs, name string) tegra.Probe {
	probes := s.Probes()
	if i := slices.IndexFunc(probes, func(p tegra.Probe) bool { return p.Name == name }); i >= 0 {
		return probes[i]
	}
	return tegra.Probe{}
}

// A board and a release that nothing here has heard of.
func TestUnknownBoardShowsWhateverItsKernelLists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*tegratest.Tree)
		rule   string
	}{
		"it has the rails of a known module": {func(*tegratest.Tree) {}, "VDD_IN"},
		"nobody knows how its rails add up": {func(tr *tegratest.Tree) {
			tr.Set(tegratest.Rails40+"/in1_label", "VDD_NEW")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := tegratest.New("orin-nano-36")
			tr.Files["/proc/device-tree/compatible"] = "vendor,carrier\x00nvidia,p9999-0000\x00nvidia,tegra999\x00"
			tr.Files["/proc/device-tree/model"] = "Carrier I233\x00"
			tr.Set("/etc/nv_tegra_release", "# R99 (release), REVISION: 9.9, GCID: 1")
			c.change(tr)
			s := open(t, tr)
			r, b := read(t, s), s.Board()
			if b.Name != "Jetson" || b.Model != "Carrier I233" || b.L4T != "99.9.9" && b.L4T != "99.9" ||
				b.JetPack != "" {
				t.Errorf("%+v", b)
			}
			if s.Space().Len() != 4224 || !r.Mode.OK || len(r.Temps) != 6 || len(r.Rails) != 3 {
				t.Errorf("%d modes, mode %v, %d temperatures, %d rails", s.Space().Len(), r.Mode, len(r.Temps),
					len(r.Rails))
			}
			if b.TotalRule != c.rule || r.TotalW.OK != (c.rule != "") {
				t.Errorf("rule %q, total %v", b.TotalRule, r.TotalW)
			}
			if c.rule == "" && !strings.Contains(string(probeNamed(s, "module power").Why), "not known") {
				t.Errorf("why: %+v", probeNamed(s, "module power"))
			}
		})
	}
}

func TestTX2TakesItsA57CoresFirst(t *testing.T) {
	t.Parallel()
	root := tegratest.New("tx2-32").Write(t)
	s := openRoot(t, root)
	c := s.Planner()
	st, m := must.Get(c.Snapshot())(t), s.Space().Max()
	m.Cores = 4
	writes := must.Get(c.Plan(st, tegra.Request{Mode: m}, tegra.State{}))(t)
	online := map[string]string{}
	for _, w := range writes {
		online[w.Path] = w.Value
	}
	for core, want := range []string{"", "0", "0", "1", "1", "1"} {
		if got := online[tegratest.CPU+"/cpu"+string(rune('0'+core))+"/online"]; got != want {
			t.Errorf("core %d: %q, want %q", core, got, want)
		}
	}
	if _, ok := online[tegratest.CPU+"/cpu1/cpufreq/scaling_max_freq"]; ok {
		t.Error("limits are written to the Denver cluster, which is off")
	}
}

// The zero State means now: the current memory and fan state counts as the found one.
func TestPlanTakesThePresentStateWhereNoneWasFound(t *testing.T) {
	t.Parallel()
	told := 0 // boards on which the found state matters
	for _, b := range tegratest.Boards() {
		s := openFS(t, tegratest.NewMemory(b.New()))
		c := s.Planner()
		now := must.Get(c.Snapshot())(t)
		if s.Space().Len() == 0 {
			continue
		}
		nothing := tegra.State{Files: []tegra.StateFile{{Path: "/nowhere", Value: "0"}}}
		for _, m := range []tegra.Mode{s.Space().Max(), s.Space().At(0)} {
			for _, fan := range []tegra.FanPolicy{tegra.FanUntouched, tegra.FanAuto, tegra.FanMax} {
				for _, dvfs := range []bool{false, true} {
					r := tegra.Request{Mode: m, Fan: fan, DVFS: dvfs}
					zero, err := c.Plan(now, r, tegra.State{})
					same, err2 := c.Plan(now, r, now)
					if err != nil || err2 != nil || !slices.Equal(zero, same) {
						t.Errorf("%s, %v: %v (%v) of the zero state, %v (%v) of the present one", b.Name, m, zero, err,
							same, err2)
					}
					if other, err := c.Plan(now, r, nothing); err != nil || !slices.Equal(other, same) {
						told++
					}
				}
			}
		}
	}
	if told == 0 {
		t.Error("what was found decides nothing on any board: this test cannot fail")
	}
}

func TestNanoLocksItsMemoryThroughTheClockFramework(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.New("nano-32"))
	st, m := must.Get(s.Planner().Snapshot())(t), s.Space().Max()
	m.EMC = s.Space().EMC[0]
	writes := must.Get(s.Planner().Plan(st, tegra.Request{Mode: m, Fan: tegra.FanMax}, tegra.State{}))(t)
	got := map[string]string{}
	for _, w := range writes {
		got[w.Path] = w.Value
	}
	for path, want := range map[string]string{
		"/sys/kernel/debug/clk/override.emc/clk_update_rate": "204000000",
		"/sys/kernel/debug/clk/override.emc/clk_state":       "1",
		"/sys/devices/pwm-fan/target_pwm":                    "255", "/sys/devices/pwm-fan/temp_control": "0",
	} {
		if got[path] != want {
			t.Errorf("%s = %q, want %q", path, got[path], want)
		}
	}
}

// Recorded tegrastats lines of boards on newer releases match their trees: every clock is in a knob's list, every core
// exists, and the rails are found.
func TestBoardTreesAgreeWithRecordedLines(t *testing.T) {
	t.Parallel()
	for file, tree := range map[string]string{"agx-orin-l4t39.2": "agx-orin-39", "orin-nano-l4t39.2": "orin-nano-39",
		"orin-nano-super-l4t36.5": "orin-nano-36", "agx-thor-l4t38.4": "agx-thor-38", "orin-nx16-l4t35": "orin-nx-36"} {
		t.Run(file, func(t *testing.T) {
			text := recorded(t, "tegrastats/"+file+".txt")
			s := open(t, tegratest.New(tree))
			cores := regexp.MustCompile(`CPU \[([^]]*)\]`).FindStringSubmatch(text)
			if n := len(strings.Split(cores[1], ",")); n != s.Space().Max().Cores {
				t.Errorf("%d cores are recorded, the tree has %d", n, s.Space().Max().Cores)
			}
			emc, _ := strconv.Atoi(regexp.MustCompile(`EMC_FREQ \d+%@(\d+)`).FindStringSubmatch(text)[1])
			if f := tegra.Freq(emc) * tegra.MHz; !slices.Contains(s.Space().EMC, f) && !strings.Contains(tree, "thor") {
				t.Errorf("the memory ran at %d MHz, the tree lists %v", emc, s.Space().EMC)
			}
			for _, rail := range s.Board().Rails {
				if !strings.Contains(text, rail+" ") && rail != "VDDQ_VDD2_1V8AO" {
					t.Errorf("the tree has rail %s, the recorded line not", rail)
				}
			}
		})
	}
	for file, tree := range map[string]string{"agx-orin-locked.l4t39.2": "agx-orin-39",
		"orin-nano-15w.l4t39.2": "orin-nano-39"} {
		t.Run(file, func(t *testing.T) {
			text := recorded(t, "cli/jetson_clocks-show."+file+".txt")
			s := open(t, tegratest.New(tree))
			for _, c := range []struct {
				line string
				top  tegra.Freq
				unit tegra.Freq
			}{{`cpu0:.* MaxFreq=(\d+)`, s.Space().Max().CPU, tegra.KHz},
				{`GPU .*MaxFreq=(\d+)`, s.Space().Max().GPU, 1},
				{`EMC .*MaxFreq=(\d+)`, s.Space().Max().EMC, 1}} {
				got, _ := strconv.ParseInt(regexp.MustCompile(c.line).FindStringSubmatch(text)[1], 10, 64)
				if tegra.Freq(got)*c.unit != c.top {
					t.Errorf("%s: recorded %d, the tree's top is %v", c.line, got, c.top)
				}
			}
		})
	}
}

// recorded reads a recording beside the checkout, or skips the test.
func recorded(t *testing.T, name string) string {
	t.Helper()
	data := must.Read(t, sweeptest.Shared(t, "data/"+name))
	return string(data)
}

// Cores that the scheduler does not fill are in no mode, but for the number that is online.
func TestReservedCoresAreNotOffered(t *testing.T) {
	t.Parallel()
	const isolated = tegratest.CPU + "/isolated"
	for name, c := range map[string]struct {
		change func(*tegratest.Tree)
		counts []int
		said   string
	}{
		"none": {func(tr *tegratest.Tree) { tr.Set(isolated, "") }, []int{1, 2, 3, 4, 5, 6}, ""},
		"the last two isolated": {func(tr *tegratest.Tree) { tr.Set(isolated, "4-5") }, []int{1, 2, 3, 4, 6},
			"cores 4-5 are isolated"},
		"the last two left off": {func(tr *tegratest.Tree) {
			tr.Set("/proc/cmdline", "root=/dev/nvme0n1p1 maxcpus=4 quiet")
			tr.Set(tegratest.CPU+"/cpu4/online", "0")
			tr.Set(tegratest.CPU+"/cpu5/online", "0")
		}, []int{1, 2, 3, 4}, "cores 4, 5 were left off"},
		"turned on since": {func(tr *tegratest.Tree) { tr.Set("/proc/cmdline", "maxcpus=4") },
			[]int{1, 2, 3, 4, 5, 6}, ""},
	} {
		tr := tegratest.New("orin-nano-36")
		c.change(tr)
		s := open(t, tr)
		if got := s.Space().Cores; !slices.Equal(got, c.counts) {
			t.Errorf("%s: modes have %v cores, want %v", name, got, c.counts)
		}
		if said := s.Board().Reserved; (said == "") != (c.said == "") || !strings.Contains(said, c.said) {
			t.Errorf("%s: %q", name, said)
		}
		r, err := s.Read()
		if err != nil || !r.Mode.OK {
			t.Errorf("%s: the present mode is not known: %v", name, err)
		}
	}
}

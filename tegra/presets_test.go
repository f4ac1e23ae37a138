package tegra_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/boards"
	"jtune/tegra/nvpmodel"
	"jtune/tegra/tegratest"
)

// Every configuration on every board: a mode that names a core or clock file that the board lacks is unusable with a
// reason, and a usable one turns on exactly the cores that it names.
func TestPresetsAreNeverTrimmedToTheBoard(t *testing.T) {
	t.Parallel()
	foreign := 0
	for _, board := range []string{"orin-nano-36", "orin-nx8-36", "xavier-nx-32", "nano-32"} {
		for _, owner := range tegratest.Boards() {
			tr := tegratest.New(board)
			tr.Files[boards.Of(board).Conf.Path] = owner.Conf.String()
			s := open(t, tr)
			conf := must.Get(nvpmodel.Parse(strings.NewReader(owner.Conf.String())))(t)
			presets, unusable := s.Presets(), s.Board().Unusable
			if len(presets)+len(unusable) != len(conf.Modes) {
				t.Errorf("%s on %s: %d + %d of %d modes", owner.Name, board, len(presets), len(unusable),
					len(conf.Modes))
			}
			for _, p := range presets {
				m, _ := conf.Mode(p.ID)
				if on, _ := conf.Cores(m); len(on) != p.Mode.Cores {
					t.Errorf("%s on %s: %s turns on cores %v, not %d", owner.Name, board, p.Name, on, p.Mode.Cores)
				}
				if len(owner.Conf.Order) > len(s.Space().Cores) {
					t.Errorf("%s on %s: %s is usable", owner.Name, board, p.Name)
				}
			}
			for _, u := range unusable {
				foreign++
				if !u.Foreign || !strings.Contains(u.Why, "another board") || board == owner.Name {
					t.Errorf("%s on %s: %+v", owner.Name, board, u)
				}
			}
		}
	}
	if foreign == 0 {
		t.Error("no configuration is of another board")
	}
}

// ownMode returns a board whose configuration has one more mode.
func ownMode(board, name, cores, rest string) *tegratest.Tree {
	tr := tegratest.New(board)
	block := fmt.Sprintf("< POWER_MODEL ID=20 NAME=%s >\n", name)
	for i := range boards.Of(board).Conf.Order {
		block += fmt.Sprintf("CPU_ONLINE CORE_%d %c\n", i, cores[i])
	}
	file := boards.Of(board).Conf.Path
	tr.Files[file] = strings.Replace(tr.Files[file], "< PM_CONFIG", block+rest+"\n< PM_CONFIG", 1)
	return tr
}

func TestPresetsLimitOfMinusOneIsTheTopOnBothBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rest        string
		cpu, minCPU tegra.Freq
		gpu, minGPU tegra.Freq
	}{
		{rest: "CPU_A78_0 MIN_FREQ -1\nCPU_A78_0 MAX_FREQ -1\nGPU MIN_FREQ -1\nGPU MAX_FREQ -1",
			cpu: 1728000 * tegra.KHz, minCPU: 1728000 * tegra.KHz, gpu: 1020 * tegra.MHz, minGPU: 1020 * tegra.MHz},
		{rest: "CPU_A78_0 MIN_FREQ -1\nCPU_A78_0 MAX_FREQ 1344000\nGPU MIN_FREQ -1\nGPU MAX_FREQ 612000000",
			cpu: 1344000 * tegra.KHz, minCPU: 1344000 * tegra.KHz, gpu: 612 * tegra.MHz, minGPU: 612 * tegra.MHz},
		{rest: "CPU_A78_0 MAX_FREQ 1344000\nGPU MIN_FREQ 0", cpu: 1344000 * tegra.KHz, gpu: 1020 * tegra.MHz},
		{rest: "GPU MIN_FREQ 408000000", cpu: 1728000 * tegra.KHz, gpu: 1020 * tegra.MHz, minGPU: 408 * tegra.MHz},
	} {
		s := open(t, ownMode("orin-nano-36", "OWN", "111111", c.rest))
		p, ok := tegra.FindPreset("OWN", s.Presets())
		if !ok || p.Mode.CPU != c.cpu || p.MinCPU != c.minCPU || p.Mode.GPU != c.gpu || p.MinGPU != c.minGPU {
			t.Errorf("%q: %+v", c.rest, p)
		}
	}
}

// A limit between two steps becomes the nearest one for CPU and GPU, as nvpmodel sets them (918000 kHz of a Nano is
// 921600), and the highest within it for the memory, whose cap the firmware keeps.
func TestPresetsSayWhatALimitBetweenStepsBecomes(t *testing.T) {
	t.Parallel()
	s := open(t, ownMode("orin-nano-36", "OWN", "111111",
		"CPU_A78_0 MAX_FREQ 1344100\nGPU MAX_FREQ 600000000\nEMC MAX_FREQ 1600000000"))
	p, _ := tegra.FindPreset("OWN", s.Presets())
	want := tegra.Mode{Cores: 6, CPU: 1344000 * tegra.KHz, GPU: 612 * tegra.MHz, EMC: 665600 * tegra.KHz}
	if p.Mode != want {
		t.Errorf("%v, want %v", p.Mode, want)
	}
	const note = "GPU limit 600 MHz is not listed: 612 MHz, EMC limit 1.60 GHz is not listed: 665.6 MHz"
	if got := probe(s, "preset OWN"); !got.Found || string(got.Why) != note {
		t.Errorf("%+v, want %s", got, note)
	}
}

func TestPresetsOfAConfigurationWithoutThemAreMissing(t *testing.T) {
	t.Parallel()
	const none = ", none has the id 7 of DEFAULT"
	for conf, note := range map[string]string{"": "0 modes", "# none\n\n": "0 modes",
		"< PM_CONFIG DEFAULT=7 >\n": "0 modes"} {
		tr := tegratest.New("orin-nano-36")
		tr.Files[boards.Of("orin-nano-36").Conf.Path] = conf
		if p := probe(open(t, tr), "presets"); p.Found || string(p.Why) != note {
			t.Errorf("%q: %+v", conf, p)
		}
	}
	tr := tegratest.New("orin-nano-36")
	file := boards.Of("orin-nano-36").Conf.Path
	tr.Files[file] = regexp.MustCompile(`DEFAULT=\d+`).ReplaceAllString(tr.Files[file], "DEFAULT=7")
	if p := probe(open(t, tr), "presets"); !p.Found || !strings.HasSuffix(string(p.Why), none) {
		t.Errorf("%+v", p)
	}
}

func probe(s *tegra.Sysfs, name string) tegra.Probe {
	list := s.Probes()
	return list[slices.IndexFunc(list, func(p tegra.Probe) bool { return p.Name == name })]
}

// A preset that no mode expresses is never set as another one.
func TestPresetsThatNoModeExpressesAreListedAsUnusable(t *testing.T) {
	t.Parallel()
	const two = "CPU_A78_0 MAX_FREQ 1344000\nCPU_A78_1 MAX_FREQ 960000"
	for _, c := range [][3]string{
		{"110011", "", "cores 0, 1, 4, 5"},
		{"111111", two, "960 MHz and 1.34 GHz"},
		{"111100", two, ""}, // the second cluster is off
		{"111111", strings.Replace(two, "960000", "1344100", 1), ""},
	} {
		s := open(t, ownMode("orin-nano-36", "OWN", c[0], c[1]))
		u, unusable := tegra.FindUnusable("own", s.Board().Unusable)
		p, usable := tegra.FindPreset("OWN", s.Presets())
		if unusable != (c[2] != "") || usable == unusable || u.Foreign || !strings.Contains(u.Why, c[2]) ||
			usable && p.Mode.CPU != 1344000*tegra.KHz {
			t.Errorf("%v: %+v %+v", c, u, p)
		}
	}
}

func TestPresetsThatAreEqualAreNamedByTheOneInForce(t *testing.T) {
	t.Parallel()
	tr := ownMode("orin-nano-36", "OWN", "111111", "")
	for status, want := range map[string]string{"pmode:0020": "OWN", "pmode:0002": "MAXN_SUPER", "": "MAXN_SUPER"} {
		tr.Files[tegra.PresetFile] = status + "\n"
		s := open(t, tr)
		if got := tegra.NameNow(s, read(t, s)); got != want {
			t.Errorf("status %q: named %q, want %s", status, got, want)
		}
	}
}

// Every write and its order on three generations: to the lowest mode locked, back to what was found, with free clocks
// and a loud fan, and to a preset; ~ marks a write whose read-back may differ.
func TestGoldenPlans(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, name := range []string{"nano-32", "xavier-nx-35", "agx-orin-36"} {
		s := open(t, tegratest.New(name))
		c := s.Planner()
		found := must.Get(c.Snapshot())(t)
		found.Files = append(found.Files, c.Fan().Files...)
		fmt.Fprintf(&out, "== %s, found\n", name)
		for _, f := range found.Files {
			fmt.Fprintf(&out, "%s = %s\n", f.Path, f.Value)
		}
		now := found
		write := func(what string, writes []tegra.Write, err error) {
			must.NoError(t, err)
			fmt.Fprintf(&out, "== %s, %s\n", name, what)
			next := tegra.State{}
			for _, f := range now.Files {
				next.Files = append(next.Files, tegra.StateFile{Path: f.Path, Value: after(now, writes, f.Path)})
			}
			now = next
			for _, w := range writes {
				mark := " "
				if w.Loose {
					mark = "~"
				}
				fmt.Fprintf(&out, "%s %-18s %s = %s\n", mark, w.Knob, w.Path, w.Value)
			}
			fmt.Fprintf(&out, "  now %v\n", c.ModeOf(now))
		}
		low, err := c.Plan(now, tegra.Request{Mode: s.Space().At(0)}, found)
		write("the lowest mode", low, err)
		write("back", c.PlanState(now, found), nil)
		middle := tegra.Mode{Cores: 2, CPU: s.Space().CPU[3], GPU: s.Space().GPU[3], EMC: s.Space().EMC[1]}
		free, err := c.Plan(now, tegra.Request{Mode: middle, DVFS: true, Fan: tegra.FanMax}, found)
		write("a mode of free clocks", free, err)
		for _, p := range s.Presets() {
			if !p.NeedsReboot && !p.Default {
				preset, err := c.Plan(now, tegra.Request{Mode: p.Mode, DVFS: true, Preset: tegra.Some(p.ID)}, found)
				write("preset "+p.Name, preset, err)
				break
			}
		}
	}
	golden(t, "plans", out.String())
}

package virtual

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual/physics"
)

// spaces are the modes of each board, as its real one has.
var spaces = map[string]int{"agx-orin": 18096, "agx-xavier": 29232, "xavier-nx": 18000, "nano": 1440,
	"orin-nano": 1800, "tx2": 10296, "orin-nx": 8320, "orin-nano-super": 4224, "agx-thor": 233240}

func TestBoardIsFoundAsItsFileTreeIs(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			b := fast(t, Options{Name: m.name})
			d := open(t, b)
			real := must.Get(tegra.Open(tegra.DiskFS(tegratest.New(m.facts).Write(t)), tegra.RealClock()))(t)
			got, want := d.Board(), real.Board()
			if got.Model != want.Model || !slices.Equal(got.Rails, want.Rails) || got.TotalRule != want.TotalRule {
				t.Errorf("found %q with rails %v, total %q;\nits file tree is %q with %v, total %q", got.Model,
					got.Rails, got.TotalRule, want.Model, want.Rails, want.TotalRule)
			}
			if n := d.Space().Len(); n != spaces[m.name] || n != real.Space().Len() {
				t.Errorf("%d modes, its file tree %d; want %d", n, real.Space().Len(), spaces[m.name])
			}
			for name := range tegratest.New(m.facts).Files {
				if _, err := b.FS().Stat(name); err != nil {
					t.Errorf("the file tree has %s, the virtual board: %v", name, err)
				}
			}
		})
	}
}

// Which networks fit which board: of the 2022 study LeNet fits all, MobileNet AGX Xavier and Xavier NX, ResNet-18 and
// VGG-11 on CIFAR-10 AGX Xavier alone; of PowerTrain all fit an AGX Orin, ResNet-18 and MobileNet an Orin Nano.
func TestBoardFitsTheWorkloadsThatRanOnIt(t *testing.T) {
	t.Parallel()
	for workload, boards := range map[string]string{
		"lenet5":         "nano xavier-nx agx-xavier",
		"mobilenet":      "xavier-nx agx-xavier orin-nano agx-orin, not nano",
		"resnet18-cifar": "agx-xavier, not nano xavier-nx",
		"vgg11":          "agx-xavier, not nano xavier-nx",
		"resnet18":       "agx-xavier orin-nano agx-orin",
		"yolov8n":        "agx-orin",
		"bert":           "agx-orin",
		"lstm":           "agx-orin",
	} {
		fit, not, _ := strings.Cut(boards, ", not ")
		for name := range strings.FieldsSeq(fit) {
			if err := fast(t, Options{Name: name}).Fits(workload, 0); err != nil {
				t.Error(err)
			}
		}
		for name := range strings.FieldsSeq(not) {
			b := fast(t, Options{Name: name})
			if err := b.Start(Job{Workload: workload}); err == nil || !strings.Contains(err.Error(), "GB of memory") {
				t.Errorf("%s on virtual:%s: %v, want a refusal with the numbers", workload, name, err)
			}
		}
	}
}

func TestBoardReadsWhatItDraws(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			b := fast(t, Options{Name: m.name, Noise: new(float64)})
			d := open(t, b)
			start(t, b, "lenet5")
			sleep(t, b, settleEnd+time.Second)
			r := must.Get(d.Read())(t)
			want := b.steady.steps.Power.Total()
			if !r.TotalW.OK || math.Abs(r.TotalW.V-want) > 0.02*float64(len(b.rails)) { // a mA of each
				t.Errorf("reads %v W, draws %.2f", r.TotalW, want)
			}
		})
	}
}

func TestRailsAddUpToTheModulesPower(t *testing.T) {
	t.Parallel()
	p := physics.Power{GPU: 9, SoC: 1.5, CPU: 5, Sys: 4, RAM: 2}
	for _, c := range []struct {
		rails []string
		want  float64
	}{
		{[]string{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"}, 18},
		{[]string{"GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V"}, 18},
		{[]string{"VDD_IN"}, 18},
		{[]string{"POM_5V_IN"}, 18},
	} {
		sum := 0.0
		for _, label := range c.rails {
			sum += railPower[label](p)
		}
		if math.Abs(sum-c.want) > 1e-9 {
			t.Errorf("%v: %.2f W, want %.2f", c.rails, sum, c.want)
		}
	}
}

// Law of every board: raising a knob never slows a workload, with and without loader processes.
func TestBoardIsNeverSlowedByRaisingAKnob(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		b := fast(t, Options{Name: m.name})
		thin := func(list []tegra.Freq) (out []tegra.Freq) {
			for i := 0; i < len(list); i += 1 + len(list)/6 {
				out = append(out, list[i])
			}
			return append(out, list[len(list)-1])
		}
		cpu, gpu, emc := thin(b.lists.cpu), thin(b.lists.gpu), thin(b.lists.emc)
		for _, w := range physics.Workloads() {
			for _, workers := range []int{0, 4} {
				if w.Workers = workers; workers > 0 && os.Getenv("JTUNE_LONG") == "" {
					break // they hide the loading alone
				}
				at := func(n, c, g, e int) float64 {
					if n > b.lists.cores || c == len(cpu) || g == len(gpu) || e == len(emc) {
						return 0
					}
					mode := tegra.Mode{Cores: n, CPU: cpu[c], GPU: gpu[g], EMC: emc[e]}
					return w.Steady(b.chip, physics.At(mode)).TimeMS
				}
				for n := 1; n <= b.lists.cores; n++ {
					for c := range cpu {
						for g := range gpu {
							for e := range emc {
								now := at(n, c, g, e) * (1 + 1e-9)
								if at(n+1, c, g, e) > now || at(n, c+1, g, e) > now || at(n, c, g+1, e) > now ||
									at(n, c, g, e+1) > now {
									t.Fatalf("%s, %s: a knob raised from %d cores, %v, %v, %v slows it", m.name, w.Name,
										n, cpu[c], gpu[g], emc[e])
								}
							}
						}
					}
				}
			}
		}
	}
}

// Recorded lines of an Orin Nano Super and of an AGX Thor, in watts; of the Thor's, workload and air are not known.
func TestPowerOfTheNewBoardsHasTheRecordedSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		modes int
		job   string
		top   bool // all clocks locked at their top
		w     [2]float64
	}{
		{"orin-nano-super", 4224, "", true, [2]float64{5.1, 6.9}},
		{"orin-nano-super", 4224, "", false, [2]float64{3.6, 5.3}},
		{"orin-nx", 8320, "", false, [2]float64{3.9, 5.3}},
		{"agx-thor", 233240, "", true, [2]float64{15, 24}},
		{"agx-thor", 233240, "", false, [2]float64{12, 22}},
		{"agx-thor", 233240, physics.Envelope, true, [2]float64{106, 143}},
	} {
		b := must.Get(New(Options{Name: c.name, Speed: math.Inf(1), Noise: new(float64)}))(t)
		d := open(t, b)
		if n := d.Space().Len(); n != c.modes || !d.Complete() {
			t.Errorf("%s: %d modes, complete %v", c.name, n, d.Complete())
		}
		if c.top {
			set(t, b, d.Space().Max())
			if !b.thor() { // as jetson_clocks does
				write(t, b, b.facts.GPU.Device+"/railgate_enable", "0")
			}
		}
		if c.job != "" {
			start(t, b, c.job)
		}
		sleep(t, b, 20*time.Minute)
		r, err := d.Read()
		if err != nil || !r.TotalW.OK || r.TotalW.V < c.w[0] || r.TotalW.V > c.w[1] || r.Throttled.V {
			t.Errorf("%s, job %q, top %v: %v W, want %v, throttled %v; %v", c.name, c.job, c.top, r.TotalW, c.w,
				r.Throttled, err)
		}
		if r.Mode.OK && c.top && r.Mode.V != d.Space().Max() {
			t.Errorf("%s: mode %s", c.name, r.Mode.V)
		}
		if len(d.Board().Unusable) > 0 || len(d.Presets()) < 3 || d.Board().TotalRule == "" || !r.Mode.OK && c.top {
			t.Errorf("%s: %+v, presets %v", c.name, d.Board(), d.Presets())
		}
		t.Logf("%s, job %q, top %v: %.1f W", c.name, c.job, c.top, r.TotalW.V)
	}
}

// A memory cap works as since L4T 36, where the top rate is no cap.
func TestMemoryIsCappedOnTheNewBoards(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"orin-nano-super", "orin-nx", "agx-thor"} {
		b := must.Get(New(Options{Name: name, Speed: math.Inf(1), Noise: new(float64)}))(t)
		d := open(t, b)
		for _, f := range d.Planner().Fan().Files {
			write(t, b, f.Path, f.Value)
		}
		st := must.Get(d.Planner().Snapshot())(t)
		for _, f := range st.Files { // every knob can be written
			write(t, b, f.Path, f.Value)
		}
		m := d.Space().Max()
		write(t, b, b.emcCapFile(), m.EMC.In(tegra.Hz))
		for _, emc := range []tegra.Freq{d.Space().EMC[0], m.EMC, d.Space().EMC[0]} {
			m.EMC = emc
			set(t, b, m)
			if r, err := d.Read(); err != nil || r.Mode != tegra.Some(m) {
				t.Errorf("%s: %v instead of %s, %v", name, r.Mode, m, err)
			}
		}
	}
}

// orinNX is an Orin NX 16 GB on a 5 V carrier under sustained load, as published by a board maker; it checks the size
// of power, rails and heat together. Fitted to the six published rows: of the cooling, the heat sink's resistances with
// the fan off and on, the dies' resistance, and the temperatures at which the fan starts and reaches full speed; of the
// chip, the base power, the GPU's leakage and switching energy, the power of a busy core and the floor of its voltage.
// The other chip constants are the Orin Nano's. Taken directly from the publication: the supply's voltage and
// resistance, the voltage step, and the current limits. The air (25 °C) was not measured, and the heat capacity is our
// choice, as no time constant was published.
func orinNX(t *testing.T) *Board {
	t.Helper()
	return must.Get(New(Options{Name: "orin-nx", Speed: math.Inf(1), Noise: new(float64)}))(t)
}

// The six sustained rows of the publication.
func TestBoardOrinNXUnderSustainedLoad(t *testing.T) {
	for _, row := range []struct {
		name      string
		mode      tegra.Mode // 0: clocks free
		load      bool
		lasts     time.Duration
		w         float64
		a, v, tjC float64 // 0: not published
	}{
		{"idle, clocks free", tegra.Mode{}, false, 30 * time.Minute, 4.6, 1.01, 5.160, 58.4},
		{"idle, clocks locked", mhz(1984, 1173), false, 30 * time.Minute, 7.5, 0, 0, 62},
		{"25W", mhz(1497.6, 408), true, 15 * time.Minute, 16.9, 3.34, 5.104, 71.0},
		{"40W", mhz(1497.6, 1173), true, 15 * time.Minute, 27.6, 5.60, 5.040, 86.1},
		{"MAXN_SUPER", mhz(1984, 1173), true, 15 * time.Minute, 29.4, 6.02, 5.024, 89.3},
		{"45 minutes", mhz(1984, 1173), true, 45 * time.Minute, 29.0, 6.05, 5.016, 92.0},
	} {
		b := orinNX(t)
		d := open(t, b)
		if row.mode.Cores > 0 {
			set(t, b, row.mode)
		}
		if row.load {
			start(t, b, physics.Envelope)
		}
		sleep(t, b, row.lasts)
		r := must.Get(d.Read())(t)
		in, tj := r.Rails[0], 0.0
		for _, z := range r.Temps {
			tj = max(tj, z.C)
		}
		t.Logf("%-20s %.1f W of %.1f, %.2f A of %.2f, %.3f V of %.3f, %.1f °C of %.1f", row.name, r.TotalW.V, row.w,
			in.Amperes.V, row.a, in.Volts.V, row.v, tj, row.tjC)
		if !near(r.TotalW.V, row.w, 0.15) || row.a > 0 && !near(in.Amperes.V, row.a, 0.15) ||
			row.v > 0 && math.Abs(in.Volts.V-row.v) > 0.06 || math.Abs(tj-row.tjC) > 5 {
			t.Errorf("%s: %.1f W, %.2f A, %.3f V, %.1f °C", row.name, r.TotalW.V, in.Amperes.V, in.Volts.V, tj)
		}
		if r.Throttled.V || len(r.Alarming()) > 0 {
			t.Errorf("%s: throttled %v, alarms %v", row.name, r.Throttled, r.Alarming())
		}
	}
}

func mhz(cpu, gpu float64) tegra.Mode {
	return tegra.Mode{Cores: 8, CPU: tegra.Freq(cpu * 1e6), GPU: tegra.Freq(gpu * 1e6), EMC: 3199 * tegra.MHz}
}

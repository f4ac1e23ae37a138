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

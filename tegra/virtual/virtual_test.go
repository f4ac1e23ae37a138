package virtual

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

func TestBoardLooksLikeAnAGXOrin(t *testing.T) {
	b := must.Get(New(Options{Name: AGXOrin, Speed: math.Inf(1)}))(t)
	d := must.Get(b.Open())(t)
	if got, want := d.Space().Len(), 12*29*13*4; got != want {
		t.Errorf("%d power modes, want %d", got, want)
	}
	board := d.Board()
	if !board.Virtual || board.Replay != "" {
		t.Errorf("virtual %v, replay %q: a simulation must be marked as such", board.Virtual, board.Replay)
	}
	if board.Module != "p3701-0000" || board.L4T != "35.1" || board.SoC != "tegra234" {
		t.Errorf("board is %+v, want a p3701-0000 with L4T 35.1", board)
	}
	want := []tegra.Preset{
		{ID: 0, Name: "MAXN", Mode: d.Space().Max(), MinCPU: 729600 * tegra.KHz, Default: true},
		{ID: 1, Name: "MODE_15W",
			Mode:   tegra.Mode{Cores: 4, CPU: 1113600 * tegra.KHz, GPU: 420750000, EMC: 2133 * tegra.MHz},
			MinCPU: 729600 * tegra.KHz, NeedsReboot: true},
		{ID: 2, Name: "MODE_30W",
			Mode:   tegra.Mode{Cores: 8, CPU: 1728000 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz},
			MinCPU: 729600 * tegra.KHz, NeedsReboot: true},
		{ID: 3, Name: "MODE_50W",
			Mode:   tegra.Mode{Cores: 12, CPU: 1497600 * tegra.KHz, GPU: 828750000, EMC: 3199 * tegra.MHz},
			MinCPU: 729600 * tegra.KHz},
	}
	if got := d.Presets(); len(got) != len(want) {
		t.Fatalf("presets %v, want %v", got, want)
	}
	for i, p := range d.Presets() {
		want[i].InForce = i == 0
		if p != want[i] {
			t.Errorf("preset %+v, want %+v", p, want[i])
		}
	}
}

func TestUnknownBoardIsNoDevice(t *testing.T) {
	for _, name := range []string{"orin", "", "../../etc", "AGX-ORIN"} {
		if _, err := New(Options{Name: name}); !errors.Is(err, tegra.ErrNoDevice) {
			t.Errorf("New(%q) = %v, want a tegra.ErrNoDevice", name, err)
		}
	}
}

func TestNoiseIsAScale(t *testing.T) {
	for _, noise := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := New(Options{Name: AGXOrin, Noise: &noise}); err == nil {
			t.Errorf("noise of %g is accepted", noise)
		}
	}
}

func TestBoardSaysWhatItEstimates(t *testing.T) {
	for board, measured := range map[string][]string{
		AGXOrin: {"resnet18", "mobilenet", "yolov8n", "bert", "lstm"}, "orin-nano": {"resnet18"},
		"agx-xavier": {"mobilenet", "lenet5", "resnet18-cifar"}, "tx2": nil,
	} {
		b := fast(t, Options{Name: board})
		for _, name := range Workloads() {
			if got, want := b.Estimated(name), !slices.Contains(measured, name); got != want {
				t.Errorf("%s on %s estimated: %v, want %v", name, board, got, want)
			}
		}
	}
}

func TestBoardRefusesWhatItsMemoryDoesNotHold(t *testing.T) {
	b := fast(t, Options{Name: "nano"})
	err := b.StartWorkload("mobilenet", 0)
	if err == nil || !strings.Contains(err.Error(), "6.7 GB") || !strings.Contains(err.Error(), "4 GB") {
		t.Errorf("starting MobileNet on a Nano gives %v, want the memory it needs and the board's", err)
	}
	if err := b.StartWorkload("lenet5", 0); err != nil {
		t.Error(err)
	}
}

func TestBoardTakesItsOwnMediaOnly(t *testing.T) {
	if _, err := New(Options{Name: "nano", Medium: "ssd"}); err == nil || !strings.Contains(err.Error(), "sd, hdd") {
		t.Errorf("a Nano with an SSD: %v, want the media it takes", err)
	}
	stall := func(medium string) float64 {
		b := fast(t, Options{Name: "agx-xavier", Medium: medium, Noise: new(float64)})
		start(t, b, "mobilenet")
		next(t, b)
		return next(t, b).StallMS
	}
	if ssd, hdd := stall("ssd"), stall("hdd"); hdd < 2*ssd {
		t.Errorf("the first epoch stalls %.1f ms a minibatch with a hard disk, %.1f with an SSD", hdd, ssd)
	}
}

func TestInstancesDifferByTheirOffsetsAlone(t *testing.T) {
	at := func(instance int) (float64, float64) {
		b := fast(t, Options{Name: "xavier-nx", Instance: instance, Noise: new(float64)})
		mode := tegra.Mode{Cores: 4, CPU: 1420800 * tegra.KHz, GPU: 1109250000, EMC: 1600 * tegra.MHz}
		ms, w, err := b.Truth("lenet5", mode)
		must.NoError(t, err)
		return ms, w
	}
	ms, w := at(0)
	for i := 1; i <= 5; i++ {
		time, power := at(i)
		if time == ms || power == w || math.Abs(time/ms-1) > 1.6*0.012+1e-9 || math.Abs(power/w-1) > 1.6*0.012+1e-9 {
			t.Errorf("instance %d takes %.3f ms at %.3f W, the mean of all %.3f at %.3f", i, time, power, ms, w)
		}
		if again, _ := at(i); again != time {
			t.Errorf("instance %d takes %.4f ms, then %.4f", i, time, again)
		}
	}
}

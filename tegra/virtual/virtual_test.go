package virtual

import (
	"errors"
	"math"
	"testing"

	"jtune/tegra"
)

func TestBoardLooksLikeAnAGXOrin(t *testing.T) {
	b, err := New(Options{Name: AGXOrin, Speed: math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
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
		{
			ID:          1,
			Name:        "MODE_15W",
			Mode:        tegra.Mode{Cores: 4, CPU: 1113600 * tegra.KHz, GPU: 420750000, EMC: 2133 * tegra.MHz},
			MinCPU:      729600 * tegra.KHz,
			NeedsReboot: true,
		},
		{
			ID:          2,
			Name:        "MODE_30W",
			Mode:        tegra.Mode{Cores: 8, CPU: 1728000 * tegra.KHz, GPU: 624750000, EMC: 3199 * tegra.MHz},
			MinCPU:      729600 * tegra.KHz,
			NeedsReboot: true,
		},
		{
			ID:     3,
			Name:   "MODE_50W",
			Mode:   tegra.Mode{Cores: 12, CPU: 1497600 * tegra.KHz, GPU: 828750000, EMC: 3199 * tegra.MHz},
			MinCPU: 729600 * tegra.KHz,
		},
	}
	if got := d.Presets(); len(got) != len(want) {
		t.Fatalf("presets %v, want %v", got, want)
	}
	for i, p := range d.Presets() {
		if p != want[i] {
			t.Errorf("preset %+v, want %+v", p, want[i])
		}
	}
}

func TestUnknownBoardIsNoDevice(t *testing.T) {
	for _, name := range []string{"orin-nano", "", "../../etc", "AGX-ORIN"} {
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

func TestEstimatesAreSaidToBeSo(t *testing.T) {
	for _, name := range Workloads() {
		if got, want := Estimated(name), name == "vgg11" || name == "lenet5"; got != want {
			t.Errorf("%s estimated: %v, want %v", name, got, want)
		}
	}
}

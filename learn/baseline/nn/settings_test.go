package nn

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

func TestConfigSetTakesEverySettingByItsName(t *testing.T) {
	var c Config
	for _, a := range []string{"dropout=0.2", "learn_rate=0.01", "batch=8", "epochs=7", "min_steps=-1", "holdout=0.2",
		"loss=mape", "freeze=true", "log_target=true", "seed=9", "layers=64,8"} {
		if err := c.Set(a); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	want := Config{Dropout: 0.2, LearnRate: 0.01, Batch: 8, Epochs: 7, MinSteps: -1, Holdout: 0.2, Loss: MAPE,
		Freeze: true, LogTarget: true, Seed: 9, Layers: Layers{64, 8}}
	if c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

// The number of passes is the requested one: the least number of steps does not raise it.
func TestConfigSetOfEpochsIsTakenAtItsWord(t *testing.T) {
	for _, c := range []Config{FromScratch(), ForTransfer()} {
		must.NoError(t, c.Set("epochs=5"))
		if p := c.plan(40, 5); p.epochs != 5 {
			t.Errorf("%d passes, want 5", p.epochs)
		}
		if err := c.Set("min_steps=1000"); err != nil || c.plan(40, 5).steps < 1000 {
			t.Errorf("%d steps, %v; want those asked for behind it", c.plan(40, 5).steps, err)
		}
	}
}

func TestConfigSetRefusesWhatItCannotTrainWith(t *testing.T) {
	for _, a := range []string{"", "epochs", "epochs=", "epochs=x", "epochs=-3", "dropout=2", "layers=3", "loss=l1",
		"seed=-1", "batch=1e9999", `loss=mse","seed":"7`, "learn_rate=NaN", "layers=", "layers=64,0,8",
		"layers=0", "layers=-8", "layers=264", "layers=8,8,8,8,8,8,8,8,8", "layers=64;8", "layers=8.5", `layers=8],"seed":[7`,
		`layers=8],"layers":[8`, `epochs=3,"seed":7`} {
		c := Config{Epochs: 5}
		err := c.Set(a)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v", a, err)
		}
		if c != (Config{Epochs: 5}) {
			t.Errorf("%q changed the settings to %+v", a, c)
		}
	}
}

func TestSampleFirstIsAShorterMeasurement(t *testing.T) {
	s := Sample{Mode: tegra.Mode{Cores: 4}, TimesMS: []float64{1, 2, 3, 100}, PowersW: []float64{10, 20, 30}}
	short := s.First(3)
	if len(short.TimesMS) != 3 || len(short.PowersW) != 3 { // three quarters of three readings, rounded up
		t.Errorf("%+v", short)
	}
	if m := s.First(2).Median(); m.TimeMS != 1.5 || m.PowerW != 15 || m.Mode != s.Mode {
		t.Errorf("%+v", m)
	}
	if all := s.First(9); len(all.TimesMS) != 4 {
		t.Errorf("%+v", all)
	}
	if m := (Sample{TimesMS: []float64{5}}).First(1).Median(); m.HasPower() {
		t.Errorf("power %g where none was measured", m.PowerW)
	}
}

func TestNetClampsWhatNoModeCanTake(t *testing.T) {
	n := Net{floor: floorShare * 166} // of a fastest mode of 166 ms
	for ms, want := range map[float64]bool{16.6: true, 33: true, 82: true, 84: false, 166: false, 5000: false} {
		if n.Clamps(ms) != want {
			t.Errorf("%g ms: %v, want %v", ms, !want, want)
		}
	}
}

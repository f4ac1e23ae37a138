package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// presetNamed finds a preset of the rig's board.
func presetNamed(r *rig, name string) tegra.Preset {
	r.t.Helper()
	d := must.Get(tegra.Open(r.k, tegra.RealClock()))(r.t)
	defer d.Close()
	for _, p := range d.Presets() {
		if p.Name == name {
			return p
		}
	}
	r.t.Fatalf("no preset %s", name)
	return tegra.Preset{}
}

func (r *rig) applyPreset(p tegra.Preset, dvfs bool) (tegra.Applied, error) {
	return r.Apply(context.Background(), tegra.Request{Mode: p.Mode, DVFS: dvfs, Preset: tegra.Some(p.ID)})
}

func TestGuardSetsAPresetAsThePresetAndRevertRestoresTheID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		dvfs    bool
		leastHz string // of a core's clock
	}{{"with its own lower limits", true, "729600"}, {"locked", false, "1497600"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree := tegratest.NewAGXOrin35()
			tree.Set(tegra.PresetFile, "pmode:0000 fmode:quiet")
			r := newRig(t, tree)
			p := presetNamed(r, "MODE_50W")
			a, err := r.applyPreset(p, c.dvfs)
			if err != nil || a.Actual != tegra.Some(p.Mode) || !a.OK() {
				t.Fatalf("%+v, %v", a, err)
			}
			const want = "pmode:0003 fmode:quiet"
			if f := a.Files[0]; f != (tegra.KnobFile{Knob: "nvpmodel id", Path: tegra.PresetFile, Asked: want,
				Actual: want}) {
				t.Errorf("the first file is %+v, want %s as %s", f, tegra.PresetFile, want)
			}
			if got := r.k.Value(tegra.PresetFile); got != want {
				t.Errorf("%s holds %s", tegra.PresetFile, got)
			}
			if got := r.k.Value(tegratest.CPU + "/cpu0/cpufreq/scaling_min_freq"); got != c.leastHz {
				t.Errorf("a core may fall to %s kHz, want %s", got, c.leastHz)
			}
			r.apply(slow) // setting only a mode keeps the id
			if got := r.k.Value(tegra.PresetFile); got != want {
				t.Errorf("a mode changed the id to %s", got)
			}
			for range 2 {
				_, err := r.Revert(context.Background())
				must.NoError(t, err)
			}
			r.wantAsFound()
			r.wantNoRefusals()
		})
	}
}

func TestGuardSetsNoPresetThatNeedsARebootOrIsAnotherMode(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	reboot, other := presetNamed(r, "MODE_30W"), presetNamed(r, "MODE_50W")
	other.Mode = slow
	for _, p := range []tegra.Preset{reboot, other, {ID: 77, Mode: slow}} {
		if a, err := r.applyPreset(p, false); !errors.Is(err, tegra.ErrUnsupported) || len(a.Files) > 0 {
			t.Errorf("preset %d as %s: %+v, %v", p.ID, p.Mode, a, err)
		}
	}
	r.wantAsFound()
}

func TestGuardWithoutAStatusFileSetsThePresetsLimitsAlone(t *testing.T) {
	t.Parallel()
	tree := tegratest.NewAGXOrin35()
	delete(tree.Files, tegra.PresetFile)
	r := newRig(t, tree)
	p := presetNamed(r, "MODE_50W")
	a, err := r.applyPreset(p, true)
	if err != nil || a.Actual != tegra.Some(p.Mode) || a.PresetSet() {
		t.Errorf("%+v, %v", a, err)
	}
}

// NVIDIA's program changes limits itself, in its own order: they are then set and restored too.
func TestGuardSetsAPresetThroughTheVendorsProgram(t *testing.T) {
	t.Parallel()
	r := newRig(t, tegratest.NewAGXOrin35())
	r.Close()
	s := must.Get(NewServer(r.k, tegra.RealClock(), ServerOptions{}))(t)
	var ran []int
	refuse := false
	s.preset = func(id int) error {
		ran = append(ran, id)
		if refuse {
			return errors.New("nvpmodel -m 3: exit status 234")
		}
		for path, value := range map[string]string{
			tegra.PresetFile: fmt.Sprintf("pmode:%04d", id),
			tegratest.CPU + "/cpu0/cpufreq/scaling_min_freq": "729600",
			tegratest.CPU + "/cpu4/cpufreq/scaling_min_freq": "729600",
			tegratest.GPU35 + "/min_freq":                    "114750000",
		} {
			if err := r.k.WriteFile(path, []byte(value+"\n")); err != nil {
				return err
			}
		}
		return nil
	}
	p := presetNamed(r, "MODE_50W")
	request := tegra.Request{Mode: p.Mode, Preset: tegra.Some(p.ID)}
	a, err := s.apply(request, 0)
	if err != nil || !a.OK() || !a.PresetSet() || a.Actual != tegra.Some(p.Mode) {
		t.Fatalf("%+v, %v", a, err)
	}
	_, err = s.restore()
	must.NoError(t, err)
	r.wantAsFound()
	if fmt.Sprint(ran) != "[3 0]" {
		t.Errorf("nvpmodel set %v, want 3 and then the found 0", ran)
	}
	refuse = true
	if _, err := s.apply(request, 0); err == nil || !strings.Contains(err.Error(), "exit status 234") {
		t.Errorf("a refusal is %v", err)
	}
	r.wantAsFound()
}

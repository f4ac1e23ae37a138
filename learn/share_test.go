package learn

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// shares returns two hundred modes of each of two networks, as shared by users, and the modes of LSTM's sweep that they
// do not contain.
func shares(t *testing.T, space *tegra.Space) []*Profile {
	t.Helper()
	var out []*Profile
	for name, file := range map[string]string{"one": sweeptest.ResNet, "two": sweeptest.MobileNet} {
		s := loadSweep(t, file)
		in, _ := s.split(randomPlaces(len(s.rows), 200, 7))
		p, err := NewShare(name, ReferenceNote{Version: 1, Device: "AGX Orin"}, space, in)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// The shared files of two users help a third with a workload new to both; the files contain only the given name.
func TestSharesMakeAProfileThatHelps(t *testing.T) {
	t.Parallel()
	s := loadSweep(t, sweeptest.ResNet)
	list := shares(t, s.space)
	for i, p := range list {
		path := filepath.Join(t.TempDir(), "a.board")
		if err := p.Save(path); err != nil {
			t.Fatal(err)
		}
		back, err := LoadProfile(path)
		if err != nil || back.Workloads[0].Workload != p.Name || back.Name != p.Name {
			t.Fatalf("%v, read again: %v", p.Name, err)
		}
		list[i] = back
	}
	all, err := MergeProfiles("both", list)
	if err != nil {
		t.Fatal(err)
	}
	if c := all.Learned(); c.Priors != nil || c.Modes != 400 {
		t.Errorf("priors %v from %d modes, want none from 400", c.Priors, c.Modes)
	}
	lstm := loadSweep(t, sweeptest.LSTM)
	r, err := all.Learned().reference().Residual(lstm.space)
	if err != nil {
		t.Fatal(err)
	}
	var with, none []score
	for seed := range seeds() {
		in, out := lstm.split(randomPlaces(len(lstm.rows), 10, uint64(seed)))
		none = append(none, scoreOf(t, lstm, in, out, SurrogateOptions{Grid: true, Robust: 2}))
		with = append(with, scoreOf(t, lstm, in, out, SurrogateOptions{Grid: true, Robust: 2, Reference: r}))
	}
	got, plain := medians(with), medians(none)
	t.Logf("with %.2f / %.2f, without %.2f / %.2f", got.timeMAPE, got.powerMAPE, plain.timeMAPE, plain.powerMAPE)
	atMost(t, "power MAPE % against none", got.powerMAPE, plain.powerMAPE)
}

func TestMergeKeepsBadSharesOut(t *testing.T) {
	t.Parallel()
	list := shares(t, loadSweep(t, sweeptest.ResNet).space)
	third := func(change func(p *Profile)) []*Profile {
		p := *list[0]
		w := p.Workloads[0]
		w.Network = "three"
		w.Time, w.Power = append([]float32(nil), w.Time...), append([]float32(nil), w.Power...)
		w.Power[0] += 1e-3
		w.Theta = &[2][]float64{append([]float64(nil), w.Theta[0]...), append([]float64(nil), w.Theta[1]...)}
		p.Workloads = []Profiled{w}
		p.Name = "three"
		change(&p)
		return append(append([]*Profile(nil), list...), &p)
	}
	for want, all := range map[string][]*Profile{
		"of another board":  third(func(p *Profile) { p.Device = "Orin Nano" }),
		"highest clocks":    third(func(p *Profile) { p.Max[2] *= 2 }),
		"a simulated board": third(func(p *Profile) { p.Virtual = true }),
		"other modes":       third(func(p *Profile) { p.Centres = p.Centres[1:] }),
		"there twice":       third(func(p *Profile) { p.Workloads[0].Network = list[1].Workloads[0].Network }),
		"at least 100":      third(func(p *Profile) { p.Workloads[0].Modes = 40 }),
		"what three says of the board's power contradicts the others": third(func(p *Profile) {
			for i := range p.Workloads[0].Power {
				p.Workloads[0].Power[i] *= -1
			}
		}),
		"the parameters of three lie": third(func(p *Profile) {
			for i := range p.Workloads[0].Theta[1] {
				p.Workloads[0].Theta[1][i] += 7
			}
		}),
	} {
		if _, err := MergeProfiles("all", all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	all, err := MergeProfiles("all", third(func(*Profile) {}))
	if err != nil {
		t.Fatal(err)
	}
	if c := all.Learned(); c.Priors == nil || *c.Carries != severalCarry {
		t.Errorf("three workloads: priors %v, shares %v", c.Priors, c.Carries)
	}
}

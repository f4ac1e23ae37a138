package learn

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

var madeUp struct {
	once    sync.Once
	profile *Profile
}

// madeUpProfile describes two invented workloads of smallSpace, with one quirk of the board; made once.
func madeUpProfile(t testing.TB) *Profile {
	t.Helper()
	madeUp.once.Do(func() {
		var sweeps []ProfileSweep
		for i, network := range []string{"one", "two"} {
			rows := truths(smallSpace(t).Modes())
			for k := range rows {
				rows[k].TimeMS *= 1 + float64(i)
				if rows[k].Mode.Cores == 4 {
					rows[k].TimeMS *= 1.1 + 0.1*float64(i)
				}
			}
			sweeps = append(sweeps, ProfileSweep{Network: network, Workload: network + " training", Measured: rows})
		}
		var err error
		madeUp.profile, err = NewProfile(ReferenceNote{Name: "made-up", Version: 1, Device: "AGX Orin"},
			[2]Share{{0.9, 0.3}, {1, 0.2}}, agxOrin(t).Priors, sweeps)
		if err != nil {
			t.Fatal(err)
		}
	})
	return madeUp.profile
}

func agxOrin(t testing.TB) *Profile {
	t.Helper()
	i := slices.Index(ProfileNames(), "agx-orin")
	if i < 0 {
		t.Fatalf("profiles %v", ProfileNames())
	}
	return Profiles()[i]
}

func TestProfileIsTheMeanOfItsWorkloads(t *testing.T) {
	t.Parallel()
	p := madeUpProfile(t)
	all, one, two := p.Compact(""), p.Compact("two"), p.Compact("one")
	for i := range p.Centres {
		near(t, "weight of time", float64(all.Time[i]), float64(one.Time[i]+two.Time[i])/2, 1e-6)
	}
	for i := range all.Priors[ofTime].Mean {
		mean := (one.Priors[ofTime].Mean[i] + two.Priors[ofTime].Mean[i]) / 2
		near(t, "prior mean of time", all.Priors[ofTime].Mean[i], mean, 1e-9)
	}
	if all.Modes != one.Modes+two.Modes || one.Name != "made-up-without-two" || one.Workload != "one training" {
		t.Errorf("got %d modes of %d and %d; %q, %q", all.Modes, one.Modes, two.Modes, one.Name, one.Workload)
	}
	if (&Profile{Workloads: p.Workloads[:1]}).Reference("one") != nil {
		t.Error("a reference of no workload")
	}
	space := smallSpace(t)
	r, err := p.Only("two").Residual(space)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := two.residual(space)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := r.over(space)
	b, _ := alone.over(space)
	if rms(a, b) > 1e-9 {
		t.Error("one network only is not the profile without the other")
	}
}

// The deviations shrink to the scatter of the known workloads around their mean, and never grow.
func TestProfilePriorIsAsNarrowAsItsWorkloadsLie(t *testing.T) {
	t.Parallel()
	p := *agxOrin(t)
	for name, c := range map[string]struct {
		apart, want float64 // of each parameter and the mean; factor on its deviation
		workloads   int
	}{
		"two workloads":             {0.3, 0.3 * math.Sqrt(3), 2},
		"two that are alike":        {0, leastScatter, 2},
		"two that are far apart":    {5, 1, 2},
		"one, which says no spread": {0.3, 1, 1},
	} {
		p.Workloads = slices.Clone(agxOrin(t).Workloads[:c.workloads])
		for i := range p.Workloads {
			var theta [2][]float64
			for target := range theta {
				theta[target] = slices.Clone(agxOrin(t).Workloads[0].Theta[target])
				for k, sd := range p.Priors[target].SD[:len(theta[target])-1] {
					theta[target][k] += c.apart * sd * float64(1-2*i)
				}
			}
			p.Workloads[i].Theta = &theta
		}
		for target, q := range p.Compact("").Priors {
			near(t, name, q.SD[1]/p.Priors[target].SD[1], c.want, 1e-9)
			near(t, name+", loose", q.loose().SD[1], p.Priors[target].SD[1], 1e-9)
		}
	}
	if p := agxOrin(t); p.Compact("").Priors[ofTime].SD[7] != p.Priors[ofTime].SD[7] {
		t.Error("the deviation of ln p, whose mean is not learned, has changed")
	}
}

func TestProfileLoadsAsItWasSaved(t *testing.T) {
	t.Parallel()
	want := madeUpProfile(t)
	path := filepath.Join(t.TempDir(), "x.board")
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeProfile(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := decodeProfile(data[:len(data)-3]); err == nil {
		t.Error("a torn file was read")
	}
}

// A model that uses a profile is read unchanged, from a file that programs without profiles reject.
func TestModelOfAProfileKeepsItsPrior(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	m := mustFit(t, truths(space.Sample(6, 1)), Options{Space: space, Reference: madeUpProfile(t).Reference(""),
		SkipCV: true})
	data, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(data), "jtune-model 3 ") {
		t.Errorf("the file begins with %.20q", data)
	}
	got, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Predict(space.Modes()), m.Predict(space.Modes())) {
		t.Error("predictions differ after loading")
	}
	s, _ := m.surrogate()
	if time, power := s.ReferenceWeights(); time == 0 || power == 0 {
		t.Errorf("the profile counts %g and %g", time, power)
	}
}

// Before any measurement a board's prior predicts watts and relative times; without a prior nothing changes.
func TestProfileIsThePriorOfItsBoardAlone(t *testing.T) {
	t.Parallel()
	space, p := smallSpace(t), madeUpProfile(t)
	r, err := p.Reference("").Residual(space)
	if err != nil {
		t.Fatal(err)
	}
	with, err := FitSurrogate(space, nil, SurrogateOptions{Reference: r})
	if err != nil {
		t.Fatal(err)
	}
	truth := truths(space.Modes())
	post := with.Posterior()
	if time, power := post.BandWidths(0.8); max(time, power) >= post.WidthByReadings(0.8) {
		t.Error("a board's prior counts for nothing in the width of bands")
	}
	var off []float64
	for i, m := range truth {
		off = append(off, math.Abs(post.LnPower[i]-math.Log(m.PowerW)))
	}
	if got := stats.Median(off); got > 0.1 {
		t.Errorf("ln watts off by %.3f in the median", got)
	}
	lower := tegra.Space{Cores: space.Cores, CPU: space.CPU, GPU: space.GPU[:len(space.GPU)-1], EMC: space.EMC}
	low, err := tegra.NewSpace(lower.Cores, lower.CPU, lower.GPU, lower.EMC)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Reference("").Residual(low); err != nil || r.priors != nil {
		t.Errorf("a board with a lower GPU clock: %v, priors %v; amplitudes describe the top mode", err, r.priors)
	}
}

func TestProfileRejectsPriorsThatNoProgramMade(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Compact){
		"too few means":        func(c *Compact) { c.Priors[ofTime].Mean = c.Priors[ofTime].Mean[1:] },
		"a deviation of 0":     func(c *Compact) { c.Priors[ofPower].SD[2] = 0 },
		"a scatter of 9":       func(c *Compact) { c.Priors[ofTime].Scatter = 9 },
		"a negative level":     func(c *Compact) { c.Priors[ofTime].LevelSD = -1 },
		"an endless mean":      func(c *Compact) { c.Priors[ofTime].Mean[0] = math.Inf(1) },
		"another p of power":   func(c *Compact) { c.Priors[ofPower].Mean[9] = 1 },
		"a share of a hundred": func(c *Compact) { c.Carries[0].Mean = 100 },
	} {
		c := madeUpCompact(t)
		whole := agxOrin(t).Compact("")
		carries := *whole.Carries
		c.Carries, c.Priors = &carries, &[2]Prior{}
		for i, q := range whole.Priors {
			c.Priors[i] = Prior{slices.Clone(q.Mean), slices.Clone(q.SD), q.LevelSD, q.Scatter}
		}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		if spoil(c); c.check() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// JSON fills an array of two from a list that is shorter, or of null.
func TestProfileRejectsPriorsWithoutDeviations(t *testing.T) {
	t.Parallel()
	whole := *agxOrin(t)
	if err := whole.check(); err != nil {
		t.Fatal(err)
	}
	for name, priors := range map[string]*[2]Prior{"none": {}, "one": {whole.Priors[ofTime], {}}} {
		p := whole
		if p.Priors = priors; p.check() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestPriorPrecisionInvertsItsCovariance(t *testing.T) {
	t.Parallel()
	q := Prior{SD: []float64{0.4, 0.9, 0.2, 0.3}, LevelSD: 3}
	inv, lnDet := q.precision(3)
	cov := make([]float64, 16)
	for i := range 4 {
		cov[4*i+i] = square(q.SD[i])
		for j := range 3 {
			if i < 3 {
				cov[4*i+j] += 9
			}
		}
	}
	for i := range 4 {
		for j := range 4 {
			sum := 0.0
			for k := range 4 {
				sum += inv[4*i+k] * cov[4*k+j]
			}
			near(t, "S⁻¹ S", sum, map[bool]float64{true: 1}[i == j], 1e-9)
		}
	}
	cholesky(cov, 4)
	near(t, "ln|S|", lnDet, 2*lnDiagonal(cov, 4), 1e-9)
}

func TestProfilesAreSmallAndSayWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	for i, p := range Profiles() {
		if name := ProfileNames()[i]; p.Name != name {
			t.Errorf("the file of %s has the name of %s", p.Name, name)
		}
		c := p.Compact("")
		if c.Licence == "" || c.Source == "" || c.Version < 1 || !strings.Contains(c.Command, "-board "+p.Name) ||
			len(p.Workloads) == 0 {
			t.Errorf("%s: note %+v", p.Name, c.ReferenceNote)
		}
		for _, w := range p.Workloads {
			if numbers := len(w.Time) + len(w.Power); numbers > 2*w.Modes {
				t.Errorf("%s, %s: %d weights from %d modes' time and power", p.Name, w.Network, numbers, w.Modes)
			}
			if w.Theta == nil {
				continue
			}
			level := 0.0
			for _, a := range w.Theta[ofTime][:timeFamily.amplitudes()] {
				level += a
			}
			near(t, w.Network+": the level of time, which is not shipped", level, 0, 1e-9)
		}
	}
}

func TestProfileReferenceIsFoundByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"agx-orin": true, "agx-orin-without-lstm": true, "orin-nano": true, "orin-nano-without-resnet": false,
		"agx-orin-without-": false, "agx-orin-without-bert": false, "agx": false, "": false,
	} {
		if r := ProfileReference(name); (r != nil) != want || r != nil && r.Name != name {
			t.Errorf("%q: got %v", name, r)
		}
	}
}

// A workload that the profile has not seen: fewer errors than without a profile, in time and
// in power, on every sweep of the board.
func TestProfileHelpsAWorkloadThatItHasNotSeen(t *testing.T) {
	t.Parallel()
	sweeps := map[string]string{"lstm": sweeptest.LSTM}
	if os.Getenv("JTUNE_LONG") != "" {
		sweeps["resnet"], sweeps["mobilenet"] = sweeptest.ResNet, sweeptest.MobileNet
	}
	for network, file := range sweeps {
		s := loadSweep(t, file)
		r, err := ProfileReference("agx-orin-without-" + network).Residual(s.space)
		if err != nil {
			t.Fatal(err)
		}
		var with, none []score
		for seed := range 2 * seeds() {
			in, out := s.split(randomPlaces(len(s.rows), 10, uint64(seed)))
			none = append(none, scoreOf(t, s, in, out, SurrogateOptions{Grid: true, Robust: 2}))
			with = append(with, scoreOf(t, s, in, out, SurrogateOptions{Grid: true, Robust: 2, Reference: r}))
		}
		got, plain := medians(with), medians(none)
		t.Logf("%s from 10 modes: with %.2f / %.2f, without %.2f / %.2f", network, got.timeMAPE, got.powerMAPE,
			plain.timeMAPE, plain.powerMAPE)
		atMost(t, network+": time MAPE % against none", got.timeMAPE, plain.timeMAPE)
		atMost(t, network+": power MAPE % against none", got.powerMAPE, 0.85*plain.powerMAPE)
		if got.time95 < 90 || got.power95 < 90 {
			t.Errorf("%s: bands cover %+v", network, got)
		}
	}
}

func TestProfileIsTheOneItsCommandMakes(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("fits a whole sweep; JTUNE_LONG=1 does")
	}
	t.Parallel()
	p := agxOrin(t)
	s := loadSweep(t, sweeptest.MobileNet)
	made, err := NewProfile(p.ReferenceNote, p.Carries, p.Priors, []ProfileSweep{{"mobilenet", "", s.rows}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := made.Only("mobilenet").Residual(s.space)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Only("mobilenet").Residual(s.space)
	if err != nil {
		t.Fatal(err)
	}
	time, power := want.over(s.space)
	gotTime, gotPower := got.over(s.space)
	zero := make([]float64, len(time))
	// Another processor's rounding may select other centres, with the same predictions.
	if rms(time, gotTime) > 0.2*rms(time, zero) || rms(power, gotPower) > 0.2*rms(power, zero) {
		t.Errorf("says %.4f and %.4f apart from what it is made to say", rms(time, gotTime), rms(power, gotPower))
	}
}

// The Orin Nano has one measured workload: the modes are others than those that the profile
// learned from, the workload is not.
func TestProfileOfAnOrinNanoHelpsOnOtherModes(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("learns twenty profiles; JTUNE_LONG=1 does")
	}
	t.Parallel()
	s := nano(t)
	with, none := map[int][]score{}, map[int][]score{}
	for seed := range 20 {
		perm := randomPlaces(len(s.rows), len(s.rows), uint64(seed))
		rows, _ := s.split(perm[:LeastReference])
		p, err := NewProfile(ReferenceNote{Name: "nano"}, [2]Share{{0.5, 0.4}, {0.6, 0.4}}, nil,
			[]ProfileSweep{{"resnet", "", rows}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Reference("").Residual(s.space)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{5, 10, 20} {
			in, _ := s.split(perm[LeastReference : LeastReference+n])
			out, _ := s.split(perm[LeastReference+n:])
			none[n] = append(none[n], scoreOf(t, s, in, out, SurrogateOptions{Grid: true, Robust: 2}))
			with[n] = append(with[n], scoreOf(t, s, in, out, SurrogateOptions{Grid: true, Robust: 2, Reference: r}))
		}
	}
	for _, n := range []int{5, 10, 20} {
		got, plain := medians(with[n]), medians(none[n])
		t.Logf("%d modes: with %.2f / %.2f, without %.2f / %.2f", n, got.timeMAPE, got.powerMAPE,
			plain.timeMAPE, plain.powerMAPE)
		atMost(t, "time MAPE % against none", got.timeMAPE, plain.timeMAPE)
		atMost(t, "power MAPE % against none", got.powerMAPE, plain.powerMAPE)
	}
}

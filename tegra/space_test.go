package tegra_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// orinSpace is the AGX Orin's of L4T 35.1: 29 × 13 × 4 × 12 modes.
func orinSpace(t testing.TB) *tegra.Space {
	t.Helper()
	var cores []int
	var cpu, gpu []tegra.Freq
	for n := range 12 {
		cores = append(cores, n+1)
		gpu = append(gpu, 114750000+tegra.Freq(n)*102*tegra.MHz)
	}
	for k := range 28 {
		cpu = append(cpu, 115200*tegra.KHz+tegra.Freq(k)*76800*tegra.KHz)
	}
	s := must.Get(tegra.NewSpace(cores, append(cpu, 2201600*tegra.KHz), append(gpu, 1300500000),
		[]tegra.Freq{204 * tegra.MHz, 665600000, 2133 * tegra.MHz, 3199 * tegra.MHz}))(t)
	return s
}

func TestIndexIsTheInverseOfAt(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	sub := must.Get(s.Restrict(s.Sample(500, 9)))(t)
	for name, space := range map[string]*tegra.Space{"the full product": s, "a list of members": sub} {
		for i, m := range space.All() {
			if got, ok := space.Index(m); !ok || got != i {
				t.Fatalf("%s: mode %d is found at %d, %v", name, i, got, ok)
			}
		}
	}
}

func TestSpacesAreEqualIfTheirModesAre(t *testing.T) {
	t.Parallel()
	s, none := orinSpace(t), (*tegra.Space)(nil)
	some := must.Get(s.Restrict(s.Modes()[:5]))(t)
	fewer := must.Get(tegra.NewSpace(s.Cores, s.CPU, s.GPU, s.EMC[1:]))(t)
	if !s.Equal(orinSpace(t)) || !none.Equal(none) {
		t.Error("equal lists make different spaces")
	}
	for _, o := range []*tegra.Space{some, fewer, none} {
		if s.Equal(o) || o.Equal(s) {
			t.Errorf("equal to %+v", o)
		}
	}
}

func TestGridIsPowerTrains(t *testing.T) {
	t.Parallel()
	grid := orinSpace(t).Grid()
	if grid.Len() != 4368 {
		t.Fatalf("%d modes, want 4368", grid.Len())
	}
	for _, m := range sweeptest.Load(t, sweeptest.ResNet) {
		if !grid.Contains(m.Mode) {
			t.Fatalf("%s was measured on the authors' grid but is not on ours", m.Mode)
		}
	}
}

// --grid selects on every board all GPU and memory clocks, and every second core count and CPU clock, of the listed
// values.
func TestGridOfOtherBoardsIsEverySecondCoreAndCPUClock(t *testing.T) {
	t.Parallel()
	s := must.Get(tegra.NewSpace([]int{1, 2, 3, 4, 5, 6}, []tegra.Freq{100, 200, 300, 400, 500, 600, 700},
		[]tegra.Freq{306, 624}, []tegra.Freq{665, 2133}))(t)
	grid := s.Grid()
	for _, m := range s.All() {
		if want := m.Cores%2 == 0 && (m.CPU == 300 || m.CPU == 500 || m.CPU == 700); grid.Contains(m) != want {
			t.Errorf("%v is on the grid: %v, want %v", m, !want, want)
		}
	}
}

func TestModePrintsAndReadsBack(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	for _, m := range s.Sample(2000, 2) {
		text := s.Format(m)
		if got, err := s.Parse(text); err != nil || got != m {
			t.Fatalf("%s reads as %s, %v", text, got, err)
		}
	}
	if got := s.Format(s.Max()); got != "12c/2.20C/1.30G/3.20M" {
		t.Errorf("the fastest mode prints %s", got)
	}
}

func TestValuesThatWouldPrintAlikeGetMoreDecimals(t *testing.T) {
	t.Parallel()
	s := must.Get(tegra.NewSpace([]int{1}, []tegra.Freq{1497600 * tegra.KHz, 1500 * tegra.MHz},
		[]tegra.Freq{612 * tegra.MHz, 614400000}, []tegra.Freq{204 * tegra.MHz}))(t)
	for _, m := range s.Modes() {
		if got, err := s.Parse(s.Format(m)); err != nil || got != m {
			t.Errorf("%s reads as %v, %v", s.Format(m), got, err)
		}
	}
}

func TestNominalFrequenciesOfPapersSnap(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	m, err := s.Parse("12c/2.2C/1.3G/3.2M")
	if err != nil || m != s.Max() {
		t.Errorf("%s, %v", m, err)
	}
	m, err = s.Snap(tegra.Mode{Cores: 4, CPU: 1190 * tegra.MHz, GPU: 420 * tegra.MHz, EMC: 665 * tegra.MHz})
	want := tegra.Mode{Cores: 4, CPU: 1190400 * tegra.KHz, GPU: 420750000, EMC: 665600000}
	if err != nil || m != want {
		t.Errorf("%s, %v; want %s", m, err, want)
	}
}

func TestSnapNamesTheNeighboursOfWhatItRefuses(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	for text, want := range map[string]string{
		"13c/2.20C/1.30G/3.20M":   "12",
		"12c/3.00C/1.30G/3.20M":   "2.20 GHz",
		"12c/2.20C/0.05G/3.20M":   "114.75 MHz",
		"12c/2.20C/1.30G/1.60M":   "665.6 MHz and 2.13 GHz",
		"12c/2.20C/1.30G":         "want cores/CPU/GPU/memory",
		"12/2.20C/1.30G/3.20M":    "letter c",
		"1.5c/2.20C/1.30G/3.20M":  "whole number",
		"12c/-2.20C/1.30G/3.20M":  "not a positive number",
		"12c/2.20C/infG/3.20M":    "not a positive number",
		"12c/2.20C/1.30G/NaNM":    "not a positive number",
		"":                        "want cores/CPU/GPU/memory",
		strings.Repeat("9", 1000): "…",
	} {
		if m, err := s.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", text, m, err, want)
		}
	}
}

func TestPartialSpaceNamesTheNearestMember(t *testing.T) {
	t.Parallel()
	full := orinSpace(t)
	s, err := full.Restrict([]tegra.Mode{full.At(0), full.Max()})
	must.NoError(t, err)
	near := full.Max()
	near.Cores = 11
	_, err = s.Snap(near)
	if err == nil || !strings.Contains(err.Error(), "12c/2.20C/1.30G/3.20M") {
		t.Errorf("%v does not name the nearest", err)
	}
	if _, err := s.Restrict([]tegra.Mode{near}); err == nil {
		t.Error("a mode that is no member was kept")
	}
	none, err := full.Restrict(nil)
	if err != nil || none.Len() != 0 || none.Full() {
		t.Errorf("restricted to nothing: %d modes, %v", none.Len(), err)
	}
}

func TestSpaceOfModesHasTheirValuesAndNoOthers(t *testing.T) {
	t.Parallel()
	full := orinSpace(t)
	modes := full.Sample(40, 3)
	s, err := tegra.NewSubspace(append(modes, modes...))
	if err != nil || s.Len() != 40 {
		t.Fatalf("%d modes, %v", s.Len(), err)
	}
	slices.SortFunc(modes, tegra.CompareModes)
	if !slices.Equal(s.Modes(), modes) {
		t.Error("other modes, or another order")
	}
	product, err := tegra.NewSubspace(full.Modes())
	if err != nil || !product.Full() || product.Len() != full.Len() {
		t.Errorf("all modes make no full space: %v", err)
	}
}

func TestListsThatAreEmptyOrNotPositiveAreErrors(t *testing.T) {
	t.Parallel()
	f, zero := []tegra.Freq{tegra.GHz}, []tegra.Freq{0, tegra.GHz}
	for name, err := range map[string]error{
		"no cores":        second(tegra.NewSpace(nil, f, f, f)),
		"no CPU list":     second(tegra.NewSpace([]int{1}, nil, f, f)),
		"no GPU list":     second(tegra.NewSpace([]int{1}, f, nil, f)),
		"no memory list":  second(tegra.NewSpace([]int{1}, f, f, nil)),
		"zero cores":      second(tegra.NewSpace([]int{0, 1}, f, f, f)),
		"a CPU of zero":   second(tegra.NewSpace([]int{1}, zero, f, f)),
		"a GPU of zero":   second(tegra.NewSpace([]int{1}, f, zero, f)),
		"a rate of zero":  second(tegra.NewSpace([]int{1}, f, f, zero)),
		"a negative rate": second(tegra.NewSpace([]int{1}, f, f, []tegra.Freq{-1})),
		"no modes":        second(tegra.NewSubspace(nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	least := []tegra.Freq{1}
	if s, err := tegra.NewSpace([]int{1}, least, least, least); err != nil || s.Len() != 1 {
		t.Errorf("the least clocks: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestSampleIsDistinctAndItsSeedRepeatsIt(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	a, b, c := s.Sample(300, 5), s.Sample(300, 5), s.Sample(300, 6)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("seeds do not decide the sample")
	}
	seen := map[tegra.Mode]bool{}
	for _, m := range a {
		if seen[m] || !s.Contains(m) {
			t.Errorf("%s twice or from nowhere", m)
		}
		seen[m] = true
	}
	if got := len(s.Sample(1<<30, 1)); got != s.Len() {
		t.Errorf("asking for too many gives %d", got)
	}
	if got := len(s.Sample(-3, 1)); got != 0 {
		t.Errorf("asking for less than none gives %d", got)
	}
}

func TestKnobValuesFollowTheOrderOfTheKnobs(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	for k := range tegra.NumKnobs {
		if values := s.Values(k); values[len(values)-1] != s.Max().Value(k) {
			t.Errorf("%s: last value %g, top mode %g", k, values[len(values)-1], s.Max().Value(k))
		}
	}
}

func FuzzParseMode(f *testing.F) {
	s := orinSpace(f)
	for _, seed := range []string{"12c/2.20C/1.30G/3.20M", "1c/0.12C/0.11G/0.20M", "////", "c/C/G/M",
		"1c/1e0C/1G/3.2M"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		if m, err := s.Parse(text); err == nil && !s.Contains(m) {
			t.Errorf("%q gives %s, which is not a mode", text, m)
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	s := orinSpace(b)
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		s.Index(s.At(rng.IntN(s.Len())))
	}
}

func TestRangesAreTheEndsOfEachKnob(t *testing.T) {
	t.Parallel()
	s := orinSpace(t)
	if got, want := s.Ranges(), "1 to 12 cores, CPU 115.2 MHz to 2.20 GHz, GPU 114.75 MHz to 1.30 GHz, "+
		"memory 204 MHz to 3.20 GHz"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSnapNamesTheCoresThereAre(t *testing.T) {
	t.Parallel()
	m := orinSpace(t).Max()
	m.Cores = 4
	one := must.Get(tegra.NewSubspace([]tegra.Mode{m}))(t)
	if got, want := one.Ranges(), "4 to 4 cores, CPU 2.20 GHz to 2.20 GHz, GPU 1.30 GHz to 1.30 GHz, "+
		"memory 3.20 GHz to 3.20 GHz"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.Cores = 3
	if _, err := one.Snap(m); err == nil || !strings.HasSuffix(err.Error(), "nearest: 4") {
		t.Errorf("3 cores where 4 are the only number: %v", err)
	}
	if _, err := (&tegra.Space{}).Snap(m); err == nil || !strings.Contains(err.Error(), "no core counts are known") {
		t.Errorf("where no number is known: %v", err)
	}
}

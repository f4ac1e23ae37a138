package tegra_test

import (
	"slices"
	"testing"

	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// FuzzDeviceFile gives one file of a board any content: everything that reads
// the board must do without, and no number may leave its range.
func FuzzDeviceFile(f *testing.F) {
	tr := tegratest.New("orin-nano-36")
	var names []string
	for name := range tr.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	var first []int // of each kind
	for _, name := range faultFiles(tr) {
		first = append(first, slices.Index(names, name))
	}
	for _, i := range first {
		f.Add(uint16(i), tr.Files[names[i]])
	}
	for k, text := range []string{"", "\x00", "-1\n", "0\n", "2\n", "9223372036854775807\n", "0-1023\n", "0,0,0\n",
		"1 2 3 (kHz)\n", "performance\n", "nvidia,tegra210\x00", "pmode:-1\n", "NC\n", "-256000\n"} {
		for i := k; i < len(first); i += 14 {
			f.Add(uint16(first[i]), text)
		}
	}
	board := tegratest.NewMemory(tr)
	f.Fuzz(func(t *testing.T, i uint16, text string) {
		defer reliability.Input(t)()
		name := names[int(i)%len(names)]
		board.Set(name, text)
		defer board.Reset()
		s, err := tegra.Open(board, tegra.RealClock())
		if err != nil {
			return
		}
		defer s.Close()
		exerciseOpen(t, s, name)
		checkLists(t, s, name)
	})
}

// checkLists wants sane lists, presets among the modes, and a total only of
// rails that are there.
func checkLists(t *testing.T, s *tegra.Sysfs, name string) {
	t.Helper()
	space := s.Space()
	for _, list := range [][]tegra.Freq{space.CPU, space.GPU, space.EMC} {
		if !slices.IsSorted(list) || len(list) > 0 && list[0] <= 0 {
			t.Errorf("%s: clocks %v", name, list)
		}
	}
	for _, p := range s.Presets() {
		if p.Mode.EMC != 0 && !space.Contains(p.Mode) {
			t.Errorf("%s: preset %s is %s, none of the modes", name, p.Name, p.Mode)
		}
	}
	r, err := s.Read()
	if err != nil {
		return
	}
	if r.Mode.OK && !space.Contains(r.Mode.V) {
		t.Errorf("%s: in force is %s, none of the modes", name, r.Mode.V)
	}
	if r.TotalW.OK && s.Board().TotalRule == "" {
		t.Errorf("%s: a total without a rule", name)
	}
	for _, x := range r.Temps {
		if x.C < -60 || x.C > 200 {
			t.Errorf("%s: %s at %g °C", name, x.Name, x.C)
		}
	}
}

package doctor

import (
	"strconv"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session"
)

func TestTunablesHoldTheValuesOfTheDevice(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"agx-orin", "agx-xavier", "nano"} {
		s := open(t, session.Options{Device: "virtual:" + name})
		space, sizes := s.Device.Space(), map[string][]string{}
		for _, v := range Tunables(s) {
			if len(v.Values) == 0 || v.Set == "" || v.Words() == "" {
				t.Errorf("%s: %+v has no values, or nothing that sets it", name, v)
			}
			sizes[v.Name] = v.Values
		}
		if len(sizes["CPU clock"]) != len(space.CPU) || len(sizes["GPU clock"]) != len(space.GPU) ||
			len(sizes["memory clock"]) != len(space.EMC) || len(sizes["cores"]) != len(space.Cores) {
			t.Errorf("%s: got %v", name, sizes)
		}
		top, err := strconv.ParseFloat(sizes["GPU clock"][len(space.GPU)-1], 64)
		if err != nil || top != space.Max().GPU.MHz() {
			t.Errorf("%s: the highest GPU clock is %g MHz, want %g", name, top, space.Max().GPU.MHz())
		}
		must.Equal(t, sizes["storage"], s.Virtual.Media(), name)
	}
}

package tegra_test

import (
	"slices"
	"strings"
	"testing"

	"jtune/tegra/tegratest"
)

// Cores that the scheduler does not fill are in no mode, but for the number that is online.
func TestReservedCoresAreNotOffered(t *testing.T) {
	t.Parallel()
	const isolated = tegratest.CPU + "/isolated"
	for name, c := range map[string]struct {
		change func(*tegratest.Tree)
		counts []int
		said   string
	}{
		"none": {func(tr *tegratest.Tree) { tr.Set(isolated, "") }, []int{1, 2, 3, 4, 5, 6}, ""},
		"the last two isolated": {func(tr *tegratest.Tree) { tr.Set(isolated, "4-5") }, []int{1, 2, 3, 4, 6},
			"cores 4-5 are isolated"},
		"the last two left off": {func(tr *tegratest.Tree) {
			tr.Set("/proc/cmdline", "root=/dev/nvme0n1p1 maxcpus=4 quiet")
			tr.Set(tegratest.CPU+"/cpu4/online", "0")
			tr.Set(tegratest.CPU+"/cpu5/online", "0")
		}, []int{1, 2, 3, 4}, "cores 4, 5 were left off"},
		"turned on since": {func(tr *tegratest.Tree) { tr.Set("/proc/cmdline", "maxcpus=4") },
			[]int{1, 2, 3, 4, 5, 6}, ""},
	} {
		tr := tegratest.New("orin-nano-36")
		c.change(tr)
		s := open(t, tr)
		if got := s.Space().Cores; !slices.Equal(got, c.counts) {
			t.Errorf("%s: modes have %v cores, want %v", name, got, c.counts)
		}
		if said := s.Board().Reserved; (said == "") != (c.said == "") || !strings.Contains(said, c.said) {
			t.Errorf("%s: %q", name, said)
		}
		r, err := s.Read()
		if err != nil || !r.Mode.OK {
			t.Errorf("%s: the present mode is not known: %v", name, err)
		}
	}
}

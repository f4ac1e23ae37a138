package tegra

import "math/rand/v2"

// Grid returns the subset that PowerTrain profiles (docs/method.md): all GPU and memory frequencies, even core counts,
// and every second CPU frequency from the top down without the two slowest. On the AGX Orin it has 4,368 of 18,096
// modes.
func (s *Space) Grid() *Space {
	keepCores := map[int]bool{}
	for _, c := range s.Cores {
		keepCores[c] = c%2 == 0 || len(s.Cores) == 1
	}
	slowest := min(2, len(s.CPU)-1)
	keepCPU := map[Freq]bool{}
	for i := len(s.CPU) - 1; i >= slowest; i -= 2 {
		keepCPU[s.CPU[i]] = true
	}
	return s.where(func(m Mode) bool { return keepCores[m.Cores] && keepCPU[m.CPU] })
}

// where returns the modes for which keep is true, as a space. It may be empty.
func (s *Space) where(keep func(Mode) bool) *Space {
	sub := *s
	sub.members, sub.position = []Mode{}, map[Mode]int{}
	for _, m := range s.All() {
		if keep(m) {
			sub.position[m] = len(sub.members)
			sub.members = append(sub.members, m)
		}
	}
	return &sub
}

// Sample draws n distinct modes, the same for the same seed. If n exceeds the space, it returns all modes, shuffled.
func (s *Space) Sample(n int, seed uint64) []Mode {
	perm := rand.New(rand.NewPCG(seed, 0x6a74756e65)).Perm(s.Len())
	out := make([]Mode, 0, max(0, min(n, len(perm))))
	for _, i := range perm[:cap(out)] {
		out = append(out, s.At(i))
	}
	return out
}

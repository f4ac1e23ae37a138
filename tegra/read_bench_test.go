package tegra_test

import (
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// BenchmarkRead is one full reading of an AGX Orin from plain files: every
// core, clock, rail, sensor and counter. Ten a second must stay below half a
// per cent of a core: 500 µs a reading. Kernel files of a real board cost more
// by what their drivers do (an I²C register is 0.55 ms of waiting, not of CPU).
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		tree *tegratest.Tree
	}{
		{"AGX Orin L4T 35", tegratest.NewAGXOrin35()},
		{"AGX Orin L4T 36", tegratest.New("agx-orin-36")},
		{"Orin Nano L4T 36", tegratest.New("orin-nano-36")},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := must.Get(tegra.Open(tegra.DiskFS(c.tree.Write(b)), tegra.RealClock()))(b)
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				_, err := s.Read()
				must.NoError(b, err)
			}
		})
	}
}

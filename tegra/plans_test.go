package tegra_test

import (
	"fmt"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// Every write and its order on three generations: to the lowest mode locked, back to what was found, with free clocks
// and a loud fan, and to a preset; ~ marks a write whose read-back may differ.
func TestGoldenPlans(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, name := range []string{"nano-32", "xavier-nx-35", "agx-orin-36"} {
		s := open(t, tegratest.New(name))
		c := s.Planner()
		found := must.Get(c.Snapshot())(t)
		found.Files = append(found.Files, c.Fan().Files...)
		fmt.Fprintf(&out, "== %s, found\n", name)
		for _, f := range found.Files {
			fmt.Fprintf(&out, "%s = %s\n", f.Path, f.Value)
		}
		now := found
		write := func(what string, writes []tegra.Write, err error) {
			must.NoError(t, err)
			fmt.Fprintf(&out, "== %s, %s\n", name, what)
			next := tegra.State{}
			for _, f := range now.Files {
				next.Files = append(next.Files, tegra.StateFile{Path: f.Path, Value: after(now, writes, f.Path)})
			}
			now = next
			for _, w := range writes {
				mark := " "
				if w.Loose {
					mark = "~"
				}
				fmt.Fprintf(&out, "%s %-18s %s = %s\n", mark, w.Knob, w.Path, w.Value)
			}
			fmt.Fprintf(&out, "  now %v\n", c.ModeOf(now))
		}
		low, err := c.Plan(now, tegra.Request{Mode: s.Space().At(0)}, found)
		write("the lowest mode", low, err)
		write("back", c.PlanState(now, found), nil)
		middle := tegra.Mode{Cores: 2, CPU: s.Space().CPU[3], GPU: s.Space().GPU[3], EMC: s.Space().EMC[1]}
		free, err := c.Plan(now, tegra.Request{Mode: middle, DVFS: true, Fan: tegra.FanMax}, found)
		write("a mode of free clocks", free, err)
		for _, p := range s.Presets() {
			if !p.NeedsReboot && !p.Default {
				preset, err := c.Plan(now, tegra.Request{Mode: p.Mode, DVFS: true, Preset: tegra.Some(p.ID)}, found)
				write("preset "+p.Name, preset, err)
				break
			}
		}
	}
	golden(t, "plans", out.String())
}

package doctor

import (
	"testing"

	"jtune/internal/must"
)

func TestVerdictNamesWhatIsLacking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		facts facts
		level string
		words []string
	}{
		{"all is there", facts{}, LevelReady, []string{"ready: resnet18 can run"}},
		{"many jobs", facts{Jobs: []string{"a", "b", "c", "d", "e"}}, LevelReady,
			[]string{"ready: a, b, c and 2 more jobs"}},
		{"a virtual board", facts{Virtual: true}, LevelReady, []string{"(virtual board)"}},
		{"no GPU clocks", facts{NoGPU: true}, LevelUnable, []string{"GPU lists no clocks"}},
		{"no memory rates at all", facts{NoEMC: true}, LevelUnable, []string{"memory lists no rates"}},
		{"memory rates that root may list", facts{NoEMC: true, Partial: "only root can read them", WithSudo: true},
			LevelLimited, []string{"only root", "sudo password"}},
		{"no power", facts{NoPower: true}, LevelLimited, []string{"no power of the whole module"}},
		{"nobody may set", facts{CannotApply: "refused: --read-only"}, LevelLimited,
			[]string{"no modes can be set: refused: --read-only"}},
		{"two others at work", facts{Running: []string{"jtop", "nvfancontrol"}}, LevelLimited,
			[]string{"jtop, nvfancontrol may change clocks or cores"}},
		{"a standing alarm", facts{Conditions: []string{"the alarm of under-voltage is on"}}, LevelLimited,
			[]string{"the alarm of under-voltage is on"}},
		{"no job", facts{Jobs: []string{}, NoLoad: true}, LevelNoJob,
			[]string{"no built-in or saved job", "no GPU load"}},
		{"hot", facts{Hot: "tj-thermal at 97 °C", NoPower: true}, LevelHot,
			[]string{"not ready: hot: tj-thermal at 97 °C", "no power"}},
		{"broken, and limited too", facts{NoCPU: true, NoPower: true}, LevelUnable,
			[]string{"CPU lists no clocks", "no power"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.facts.Jobs == nil {
				c.facts.Jobs = []string{"resnet18"}
			}
			v := c.facts.verdict(false)
			must.Equal(t, v.Level, c.level)
			must.Lack(t, v.Text, "\n")
			must.Contain(t, v.Text, c.words...)
		})
	}
}

package campaigns

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

func TestDisagreementsNameAPartTooSmallToJudge(t *testing.T) {
	space := must.Get(tegra.NewSpace([]int{2, 4, 8}, []tegra.Freq{tegra.GHz, 2 * tegra.GHz},
		[]tegra.Freq{300 * tegra.MHz, 600 * tegra.MHz}, []tegra.Freq{2133 * tegra.MHz}))(t)
	var rows, slow []tegra.Measured
	for _, m := range space.Modes() {
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 100, PowerW: 20})
		slow = append(slow, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 130, PowerW: 20})
	}
	for name, c := range map[string]struct {
		other []tegra.Measured
		want  string // "" for no note
	}{
		"equal":            {rows, ""},
		"slow":             {slow, "b disagrees with a: time +30 %"},
		"slow, few to say": {slow[:4], "b: 4 usable modes are too few"},
	} {
		notes := disagreements([]part{{"a", rows}, {"b", c.other}}, space)
		if c.want == "" && len(notes) > 0 || c.want != "" && (len(notes) != 1 || !strings.HasPrefix(notes[0], c.want)) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.want)
		}
	}
}

package live

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tui/page/pagetest"
)

// shown matches a number of Live with its unit.
var shown = regexp.MustCompile(`(\d+(?:\.\d+)?)[ \x{a0}](GHz|MHz|°C|W|V|A)(?:[^\w]|$)`)

// Every number with a unit on Live is one of the board's files, to the digits shown, on every tree.
func TestLivePrintsTheNumbersOfTheTree(t *testing.T) {
	all := 0
	for _, b := range tegratest.Boards() {
		tr := b.New()
		s, err := tegra.Open(tegra.DiskFS(tr.Write(t)), tegra.RealClock())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		truth := map[string][]float64{"W": {r.TotalW.V}} // a sum of the rails, by the board's rule
		for of, v := range tr.Numbers() {
			switch at := strings.LastIndex(of, " "); of[at+1:] {
			case "Hz":
				truth["GHz"], truth["MHz"] = append(truth["GHz"], v/1e9), append(truth["MHz"], v/1e6)
			default:
				truth[of[at+1:]] = append(truth[of[at+1:]], v)
			}
		}
		for _, f := range append(s.Space().CPU, append(s.Space().GPU, s.Space().EMC...)...) { // of the mode
			truth["GHz"], truth["MHz"] = append(truth["GHz"], float64(f)/1e9), append(truth["MHz"], float64(f)/1e6)
		}
		d, _ := pagetest.Drive(t, New)
		d.State.Device.Board, d.State.Device.Space, d.State.Device.Presets = s.Board(), s.Space(), s.Presets()
		d.State.Readings.Sample.Reading, d.State.Readings.History = r, nil
		d.State.Readings.Peaks.Rails = nil
		d.State.Readings.Peaks.Take(r)
		d.Size(100, 40)
		text := ansi.Strip(d.Screen())
		for _, m := range shown.FindAllStringSubmatch(text, -1) {
			_, decimals, _ := strings.Cut(m[1], ".")
			v, _ := strconv.ParseFloat(m[1], 64)
			all++
			if !anyNear(truth[m[2]], v, 0.501*math.Pow10(-len(decimals))) {
				t.Errorf("%s: %s %s is not in the files\n%s", b.Name, m[1], m[2], text)
			}
		}
	}
	const fewest = 80
	if t.Logf("%d numbers", all); all < fewest {
		t.Errorf("%d numbers were compared, want %d", all, fewest)
	}
}

func anyNear(list []float64, v, within float64) bool {
	for _, x := range list {
		if math.Abs(x-v) <= within {
			return true
		}
	}
	return false
}

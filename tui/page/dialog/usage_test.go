package dialog

import (
	"strings"
	"testing"

	"jtune/profiles/workload"
	"jtune/tui/page"
)

func TestTuneSaysWhatIsWrongInTheWordsOfTheDialog(t *testing.T) {
	for typed, want := range map[string]string{
		"30 W, 5000000/s":  "load: a rate of 5e+06 requests per second",
		"p99 50 ms, 0/s":   "want a number above 0",
		"30 W, p101 50 ms": "want a quantile such as p99",
		"30 W, uniform/":   "want a number above 0 in /s",
	} {
		d, _ := driveTune(t, func(s *page.State) {
			s.Work.List = append([]workload.Workload{{Name: "answers", Kind: "infer", Batch: 1}}, s.Work.List...)
		})
		d.Press("up", "up")
		d.Type(typed)
		d.Sees("✗ ", want)
		if strings.Contains(d.Screen(), "--") || strings.ContainsAny(d.Screen(), "“”") {
			t.Errorf("%s is answered with a flag or a mark:\n%s", typed, d.Screen())
		}
	}
}

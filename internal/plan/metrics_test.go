package plan

import (
	"regexp"
	"strings"
	"testing"
)

// Conditions on one metric of a goal, outside the table of metrics: code loops over the bounds of a goal. 94 lines of
// version baca48b6 match the first pattern, when a limit was a field.
func TestPlanKeepsConditionsOnAMetricInItsTable(t *testing.T) {
	t.Parallel()
	for pattern, most := range map[string]int{
		`(?:[Ll]imit|[Gg]oal|[Aa]sk|asked|\b[agl])\.(?:PowerW|EnergyJ) (?:>|==|!=) 0`: 0,
		`\.Of\(metric\.\w+\) (?:>|==|!=) 0`:                                           2,
	} {
		found, expr := []string{}, regexp.MustCompile(pattern)
		for _, f := range sources(t, false, ".") {
			for line := range strings.Lines(f.text) {
				if expr.MatchString(line) {
					found = append(found, f.pkg+"/"+f.name+": "+strings.TrimSpace(line))
				}
			}
		}
		if len(found) > most {
			t.Errorf("%d conditions, at most %d:\n%s", len(found), most, strings.Join(found, "\n"))
		}
	}
}

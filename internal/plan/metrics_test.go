package plan

import (
	"os"
	"path/filepath"
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
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, line := range strings.Split(string(text), "\n") {
				if expr.MatchString(line) {
					found = append(found, path+": "+strings.TrimSpace(line))
				}
			}
			return err
		})
		if err != nil || len(found) > most {
			t.Errorf("%d conditions, at most %d (%v):\n%s", len(found), most, err, strings.Join(found, "\n"))
		}
	}
}

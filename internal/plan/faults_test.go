package plan

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every fault of decision 034 has tests that exist, or a reason.
func TestFaultsOfTheOuterLayersHaveATestOrAReason(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs/decisions/034-faults-of-the-outer-layers-and-studies.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests, seen := testsOf(t), map[string]bool{}
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), " | ")
		if len(cells) != 3 || !strings.HasPrefix(row, "| ") || strings.Contains(row, "test or reason") {
			continue
		}
		number, held := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[2])
		if n := len(strings.Fields(cells[1])); seen[number] || n > 15 {
			t.Errorf("%s stands twice, or has %d words, at most 15", number, n)
		}
		seen[number] = true
		named := regexp.MustCompile("`([a-z]+\\.(?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(held, -1)
		if len(named) == 0 && !strings.HasPrefix(held, "no test: ") && !strings.HasPrefix(held, "open: ") {
			t.Errorf("%s has neither a test nor a reason", number)
		}
		for _, m := range named {
			if !tests[m[1]] {
				t.Errorf("%s names %s, which is no test", number, m[1])
			}
		}
	}
	if len(seen) < 120 {
		t.Errorf("%d faults were read", len(seen))
	}
}

package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
)

var (
	featureRow   = regexp.MustCompile(`(?m)^\| ([TPCDBXF]\d\d) \|(.*)\|$`)
	featureProof = regexp.MustCompile("`(jtune [^`]+|Test[A-Za-z0-9_]+)`")
	testFunction = regexp.MustCompile(`^func (Test[A-Za-z0-9_]+)\(`)
)

// featureTests returns the names of all tests of the tree.
func featureTests(t *testing.T) map[string]bool {
	t.Helper()
	names := must.Get(allTests())(t)
	return names
}

var allTests = sync.OnceValues(func() (map[string]bool, error) {
	names := map[string]bool{}
	err := filepath.WalkDir(checkout, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range bytes.Lines(text) {
			if m := testFunction.FindSubmatch(line); m != nil {
				names[string(m[1])] = true
			}
		}
		return err
	})
	return names, err
})

// TestFeaturesNameTestsAndCommandsThatExist checks the table of requirements: each row has a status and, if it works,
// evidence that anyone can repeat.
func TestFeaturesNameTestsAndCommandsThatExist(t *testing.T) {
	t.Parallel()
	computes(t)
	page := must.Read(t, filepath.Join(checkout, "docs", "features.md"))
	tests, count, root := featureTests(t), map[string]int{}, new(app).root()
	rows := featureRow.FindAllStringSubmatch(string(page), -1)
	for _, r := range rows {
		cells := strings.Split(r[2], " | ")
		if len(cells) != 3 {
			t.Errorf("%s has %d cells beside its name, want 3", r[1], len(cells))
			continue
		}
		status, evidence := cells[1], cells[2]
		count[status]++
		proofs := featureProof.FindAllStringSubmatch(evidence, -1)
		if status == "works" && len(proofs) == 0 && !strings.Contains(evidence, "golden screens") {
			t.Errorf("%s works without a test or a command that shows it", r[1])
		}
		for _, p := range proofs {
			if strings.HasPrefix(p[1], "Test") {
				if !tests[p[1]] {
					t.Errorf("%s names %s, which is no test", r[1], p[1])
				}
				continue
			}
			words := strings.Fields(strings.ReplaceAll(p[1], "'", ""))[1:]
			if on, _, _ := findCommand(root, words); on == nil || on.Name() == "jtune" {
				t.Errorf("%s: `%s` is no command", r[1], p[1])
			} else if err := taken(root, words); err != nil {
				t.Errorf("%s: `%s`: %v", r[1], p[1], err)
			}
		}
	}
	for _, status := range []string{"works", "partial", "absent", "untestable here"} {
		if !regexp.MustCompile(`(?m)^\| ` + status + ` \| ` + strconv.Itoa(count[status]) + ` \|$`).Match(page) {
			t.Errorf("%d rows have status %q; the sum says otherwise", count[status], status)
		}
		delete(count, status)
	}
	if len(rows) != 198+7 || len(count) > 0 {
		t.Errorf("%d rows, unknown statuses %v; the papers have 198 features, and 7 prove a mode", len(rows), count)
	}
}

package reliability

import (
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
)

// root is the repository's folder.
const root = "../../.."

// counts sums the record by part.
func counts(t *testing.T) map[string]int {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(root, File)))(t)
	defer f.Close()
	lines := must.Get(csv.NewReader(f).ReadAll())(t)
	sums := map[string]int{}
	for _, line := range lines[1:] {
		for _, at := range []int{3, 4, 5} {
			if n, err := strconv.Atoi(line[at]); err != nil || n < 0 {
				t.Errorf("%v: %q is no count", line, line[at])
			}
		}
		n, _ := strconv.Atoi(line[4])
		sums[line[2]] += n
	}
	return sums
}

func TestReliabilityOfTheResultsIsNoMoreThanTheRecords(t *testing.T) {
	t.Parallel()
	results := must.Read(t, filepath.Join(root, "docs/results.md"))
	sums := counts(t)
	number := regexp.MustCompile(`[\d.,]+( million)?`)
	for row, parts := range map[string][]string{
		"kill -9":         {"kills"},
		"power cuts":      {"cuts", "system-cuts"},
		"random keys":     {"keys", "bindings"},
		"presets over":    {"reboots"},
		"fuzz executions": {"fuzz"},
	} {
		cells := regexp.MustCompile(`(?m)^\| ` + row + `[^|]*\|[^|]*\| ([^|]*) \|`).FindSubmatch(results)
		if cells == nil {
			t.Errorf("no row of %s in the table", row)
			continue
		}
		claims := number.FindAllString(string(cells[1]), -1)
		if len(claims) != len(parts) {
			t.Errorf("%s: %q, want %d counts", row, cells[1], len(parts))
			continue
		}
		for i, part := range parts {
			claim, million := strings.CutSuffix(strings.ReplaceAll(claims[i], ",", ""), " million")
			n, err := strconv.ParseFloat(claim, 64)
			if million {
				n = (n - 0.05) * 1e6 // a rounded number
			}
			if err != nil || n <= 0 || n > float64(sums[part]) {
				t.Errorf("%s: %s, the record has %d of %s", row, claims[i], sums[part], part)
			}
		}
	}
}

func TestAddFuzzAddsUpEachTarget(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "fuzz.csv")
	for _, ran := range []struct {
		target string
		Fuzzed
	}{{"tegra.FuzzSelect", Fuzzed{100, 2}}, {"record.FuzzRows", Fuzzed{7, 1}}, {"tegra.FuzzSelect", Fuzzed{50, 3}}} {
		must.NoError(t, AddFuzz(file, ran.target, ran.Fuzzed))
	}
	got, err := FuzzCounts(file)
	want := map[string]Fuzzed{"tegra.FuzzSelect": {150, 5}, "record.FuzzRows": {7, 1}}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, error %v; want %v", got, err, want)
	}
	must.NoError(t, os.WriteFile(file, []byte("target,executions,seconds\nx,many,1\n"), 0o644))
	if _, err := FuzzCounts(file); err == nil {
		t.Error("a count that is no number is read")
	}
}

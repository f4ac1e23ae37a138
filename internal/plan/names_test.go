package plan

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

// Every test begins with its unit: a name that the code of its package uses, the noun of one of its files, or a part of
// its path. go test -run then finds all tests of the unit.
func TestNamesOfTestsBeginWithTheirUnits(t *testing.T) {
	t.Parallel()
	of := map[string]*namesOf{}
	for _, ofTests := range []bool{false, true} {
		for _, f := range sources(t, ofTests, ".") {
			if of[f.pkg] == nil {
				of[f.pkg] = &namesOf{units: map[string]bool{}}
				for part := range strings.SplitSeq(f.pkg, "/") {
					of[f.pkg].unit(part)
				}
			}
			of[f.pkg].read(f)
		}
	}
	for dir, p := range of {
		for _, name := range p.tests {
			if name != "Main" && !p.begin(name) {
				t.Errorf("%s: Test%s begins with nothing that it tests", dir, name)
			}
		}
	}
}

func TestNamesOfTestsAreToldFromSentences(t *testing.T) {
	t.Parallel()
	p := &namesOf{units: map[string]bool{}}
	for _, name := range []string{"sampler", "Energy", "powerW", "series", "is", "every"} {
		p.unit(name)
	}
	for name, want := range map[string]bool{"SamplerSharesOneLoop": true, "SamplersMeet": true,
		"AGXSamplerSharesOneLoop": true, "EnergiesAddUp": true, "PowerWIsPositive": true, "SeriesEnd": true,
		"Sampler": true, "ASamplerSharesOneLoop": false,
		"TheEnergyIsPositive": false, "EveryEnergyCounts": false, "IsPositive": false,
		"SlowSamplerSharesOneLoop": true, "VerySlowSamplerSharesOneLoop": false, "SampleIsRead": false} {
		if got := p.begin(name); got != want {
			t.Errorf("Test%s: got %v, want %v", name, got, want)
		}
	}
}

// namesOf are the names in a package: its tests and, in lower case, the units that they may begin with.
type namesOf struct {
	tests []string
	units map[string]bool
}

var (
	testFunc = regexp.MustCompile(`^(?:Test|Fuzz)([A-Z0-9]\w*)$`)
	// firstWord splits “ASampler” after its article and “AGXOrin” after its abbreviation.
	firstWord = regexp.MustCompile(`^([A-Z][a-z0-9]+|[A-Z]+?)(?:[A-Z][a-z]|[0-9_]|$)`)
	// beginSentences are words that begin sentences and are also names in some package.
	beginSentences = strings.Fields("a all an any both equal every many no none nothing of only other some the what " +
		"when where which with without")
)

// read adds the names of a file.
func (p *namesOf) read(f source) {
	noun, isTest := strings.CutSuffix(f.name, "_test.go")
	p.unit(strings.ReplaceAll(strings.TrimSuffix(noun, ".go"), "_", ""))
	if !isTest {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				p.unit(id.Name)
			}
			return true
		})
		return
	}
	for _, d := range f.functions() {
		if m := testFunc.FindStringSubmatch(d.Name.Name); m != nil {
			p.tests = append(p.tests, m[1])
		}
	}
}

func (p *namesOf) unit(name string) {
	if name = strings.ToLower(name); len(name) > 2 && !slices.Contains(beginSentences, name) {
		p.units[name] = true
	}
}

// begin reports whether a name begins with a unit, singular or plural, after at most one adjective.
func (p *namesOf) begin(name string) bool {
	if p.unitAt(name) {
		return true
	}
	if m := firstWord.FindStringSubmatch(name); m == nil || slices.Contains(beginSentences, strings.ToLower(m[1])) {
		return false
	}
	for i := 1; i < len(name); i++ {
		if !small(name, i) && p.unitAt(name[i:]) {
			return true
		}
		if small(name, i-1) && !small(name, i) { // the second word
			return false
		}
	}
	return false
}

func (p *namesOf) unitAt(name string) bool {
	for i := 1; i <= len(name); i++ {
		if small(name, i) {
			continue
		}
		first := strings.ToLower(name[:i])
		for _, one := range []string{first, first + "s", strings.TrimSuffix(first, "s"),
			strings.TrimSuffix(first, "es"), strings.TrimSuffix(first, "ies") + "y"} {
			if p.units[one] {
				return true
			}
		}
	}
	return false
}

func small(s string, i int) bool { return i < len(s) && s[i] >= 'a' && s[i] <= 'z' }

// The race step of .ci/run takes the tests of the screens and the commands by their names: no test that starts a
// goroutine or a program beside itself is left out.
func TestNamesOfTestsThatRunSeveralAtOnceAreRaced(t *testing.T) {
	t.Parallel()
	script := must.Read(t, filepath.Join(root, ".ci", "run"))
	var words []string
	for _, m := range regexp.MustCompile(`(?m)^atOnce\+?='\|?(.*)'$`).FindAllStringSubmatch(string(script), -1) {
		words = append(words, m[1])
	}
	raced, all := regexp.MustCompile(strings.Join(words, "|")), 0
	for _, file := range sources(t, true, "tui") {
		if file.pkg != "tui" && file.pkg != "tui/cli" {
			continue
		}
		for _, f := range file.functions() {
			if !testFunc.MatchString(f.Name.Name) || !startsAnother(f) {
				continue
			}
			if all++; !raced.MatchString(f.Name.Name) {
				t.Errorf("%s: %s runs several things at once, and the race step leaves it out", file.name, f.Name.Name)
			}
		}
	}
	if len(words) == 0 || all < 10 {
		t.Errorf("%d words of .ci/run, %d tests: this checks nothing", len(words), all)
	}
}

// startsAnother reports whether a test itself starts a goroutine or a program that runs beside it.
func startsAnother(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Go" || s.Sel.Name == "Start") {
				found = true
			}
		}
		return true
	})
	return found
}

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

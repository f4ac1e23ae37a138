package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"jtune/internal/must"
	"jtune/internal/tomlfile"
)

// featureCheck is the expected output of a command in docs/features.md.
type featureCheck struct {
	Rows   []string `toml:"rows"`
	Before []string `toml:"before"` // commands that prepare its input
	Run    string   `toml:"run"`
	Exit   int      `toml:"exit"` // -1: any, depending on this machine
	Says   []string `toml:"says"` // regular expressions for the text, with line breaks as spaces
	Never  []string `toml:"never"`
	Lines  int      `toml:"lines"` // number of lines on standard output
	JSON   []string `toml:"json"`  // conditions on the document of --json
	Long   bool     `toml:"long"`  // only with JTUNE_LONG
	Test   string   `toml:"test"`  // a test that shows it instead of the command
	Why    string   `toml:"why"`
}

// asserts reports whether the check has any condition on the output.
func (e featureCheck) asserts() bool { return len(e.Says)+len(e.JSON)+e.Lines > 0 }

// text reports whether the check has a condition on the text, not only on the document.
func (e featureCheck) text() bool { return len(e.Says)+len(e.Never)+e.Lines > 0 || len(e.JSON) == 0 }

func readEvidence(t *testing.T) []featureCheck {
	t.Helper()
	const file = "features.toml"
	text := must.Read(t, filepath.Join(checkout, "docs", file))
	var v struct{ Evidence []featureCheck }
	_, err := tomlfile.Decode(file, string(text), &v)
	must.NoError(t, err)
	return v.Evidence
}

// commandsOf returns the commands that each row of docs/features.md names as evidence.
func commandsOf(t *testing.T) map[string][]string {
	t.Helper()
	page := must.Read(t, filepath.Join(checkout, "docs", "features.md"))
	out := map[string][]string{}
	for _, r := range featureRow.FindAllStringSubmatch(string(page), -1) {
		out[r[1]] = nil
		cells := strings.Split(r[2], " | ")
		for _, p := range featureProof.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			if line, ok := strings.CutPrefix(p[1], "jtune "); ok {
				out[r[1]] = append(out[r[1]], line)
			}
		}
	}
	return out
}

// shows reports whether a check belongs to a row's command: it has the command's words, apart from the file for a
// drawing; with --json it has conditions.
func (e featureCheck) shows(command string) bool {
	words := strings.Fields(e.Run)
	for i, w := range strings.Fields(command) {
		at := slices.Index(words, w)
		file := i > 0 && strings.Fields(command)[i-1] == "--svg"
		if w == "--json" && len(e.JSON) > 0 || file {
			continue
		}
		if at < 0 || i == 0 && at != 0 {
			return false
		}
	}
	return true
}

// Each command in docs/features.md has a condition on its output, or a test and a reason.
func TestFeaturesHaveAnAssertionForEveryCommand(t *testing.T) {
	t.Parallel()
	computes(t)
	rows, tests := commandsOf(t), featureTests(t)
	list := readEvidence(t)
	for _, e := range list {
		for _, row := range e.Rows {
			if _, known := rows[row]; !known {
				t.Errorf("%s is no row of docs/features.md: %s", row, e.Run)
			}
		}
		switch {
		case e.Test != "" && (!tests[e.Test] || e.Why == ""):
			t.Errorf("%s: %s is no test, or there is no reason", e.Run, e.Test)
		case e.Test == "" && !e.asserts():
			t.Errorf("%s: nothing is held against it", e.Run)
		}
	}
	for row, commands := range rows {
		for _, c := range commands {
			if !slices.ContainsFunc(list, func(e featureCheck) bool {
				return slices.Contains(e.Rows, row) && e.shows(c)
			}) {
				t.Errorf("%s: docs/features.toml has no assertion for `jtune %s`", row, c)
			}
		}
	}
}

// The commands in docs/features.md print what docs/features.toml expects, as text and as JSON. By default only the fast
// ones run; JTUNE_LONG runs all.
func TestEvidenceOfTheFeatures(t *testing.T) {
	computes(t)
	t.Parallel()
	w, long, root := afterTutorial(t), os.Getenv("JTUNE_LONG") != "", new(app).root()
	for _, e := range readEvidence(t) {
		if e.Test != "" && len(e.Before) == 0 || e.Long && !long {
			continue
		}
		t.Run(strings.Join(e.Rows, "+"), func(t *testing.T) { // in sequence: they share the directory
			for _, line := range e.Before {
				w.run(t, line).done(t)
			}
			if e.Test != "" {
				return
			}
			on, _, err := findCommand(root, quotedWords(e.Run))
			must.NoError(t, err)
			marks := e.marks(root)
			if e.text() {
				out := w.run(t, e.Run)
				for _, wrong := range e.check(out) {
					t.Errorf("jtune %s: %s", e.Run, wrong)
				}
				if len(marks) > 0 {
					wantMarked(t, marks[0], out.out)
				}
			}
			hasJSON := on.Flags().Lookup("json") != nil && !strings.Contains(e.Run, "--csv")
			if len(e.JSON) > 0 || hasJSON && long && e.Exit == 0 && !strings.Contains(e.Run, "--plot") {
				out := w.run(t, e.Run+" --json")
				for _, wrong := range checkJSON(out, e.JSON) {
					t.Errorf("jtune %s --json: %s", e.Run, wrong)
				}
				if len(marks) > 0 && len(e.JSON) > 0 {
					wantMarked(t, marks[len(marks)-1], out.out)
				}
			}
		})
	}
}

// noAnswer matches commands that print no number of the board: a list of boards or modes, a drawing, advice.
var noAnswer = regexp.MustCompile(`^device (--list|modes)| --svg | --often `)

// marks returns the commands, each with its form, of which the check also says that their answers are marked: short
// names, and "--csv" or "--json" behind it.
func (e featureCheck) marks(root *cobra.Command) (forms []string) {
	on, _, err := findCommand(root, quotedWords(e.Run))
	switch name := shortName(on); {
	case err != nil || e.Test != "" || e.Long || e.Exit != 0 || unmarked[name] != "" || noAnswer.MatchString(e.Run):
		return nil
	case strings.Contains(e.Run, "--csv"):
		return []string{name + " --csv"}
	case len(e.JSON) > 0 && e.text():
		return []string{name + " ", name + " --json"}
	case len(e.JSON) > 0:
		return []string{name + " --json"}
	default:
		return []string{name + " "}
	}
}

// quotedWords splits a line into words; single quotes keep words together.
func quotedWords(line string) (out []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// check compares an outcome with the expectation.
func (e featureCheck) check(o outcome) (wrong []string) {
	if e.Exit >= 0 && o.code != e.Exit {
		return []string{fmt.Sprintf("exit code %d, want %d: %.600s", o.code, e.Exit, o.err)}
	}
	text := strings.Join(strings.Fields(o.out+" "+o.err), " ")
	for _, pattern := range e.Says {
		if !regexp.MustCompile(pattern).MatchString(text) {
			wrong = append(wrong, fmt.Sprintf("it does not say %s:\n%.1500s", pattern, text))
		}
	}
	for _, pattern := range e.Never {
		if found := regexp.MustCompile(pattern).FindString(text); found != "" {
			wrong = append(wrong, fmt.Sprintf("it says %q", found))
		}
	}
	if n := strings.Count(o.out, "\n"); e.Lines > 0 && n != e.Lines {
		wrong = append(wrong, fmt.Sprintf("%d lines, want %d", n, e.Lines))
	}
	return wrong
}

// checkJSON checks conditions on a document: PATH = VALUE, or with >, <, >= or <=. A path has keys and indexes
// separated by dots; # is a length.
func checkJSON(o outcome, conditions []string) (wrong []string) {
	var doc any
	first, _, _ := strings.Cut(strings.TrimSpace(o.out), "\n{") // the first of several documents, one per line
	if err := json.Unmarshal([]byte(first), &doc); err != nil {
		return []string{fmt.Sprintf("not JSON: %v: %.300s %.300s", err, o.out, o.err)}
	}
	return unmet(doc, conditions)
}

// unmet says which conditions on a decoded document do not hold.
func unmet(doc any, conditions []string) (wrong []string) {
	for _, c := range conditions {
		part := strings.SplitN(c, " ", 3)
		if len(part) != 3 {
			wrong = append(wrong, c+" is no condition")
			continue
		}
		if got := at(doc, strings.Split(part[0], ".")); !holds(got, part[1], part[2]) {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want %s %s", part[0], got, part[1], part[2]))
		}
	}
	return wrong
}

// has checks conditions on a decoded object, such as "requests >= 1000"; an absent value is null.
func has(t testing.TB, object map[string]any, conditions ...string) {
	t.Helper()
	for _, wrong := range unmet(any(object), conditions) {
		t.Errorf("%s: %v", wrong, object)
	}
}

// at returns the value at a path; nil if there is none.
func at(v any, path []string) any {
	for _, key := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			switch {
			case key == "#":
				return float64(len(x))
			case err != nil || i >= len(x):
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

func holds(got any, is, want string) bool {
	x, number := got.(float64)
	y, err := strconv.ParseFloat(want, 64)
	if want == "null" {
		return (got == nil) == (is == "=")
	}
	if !number || err != nil {
		return is == "=" && got != nil && fmt.Sprint(got) == want
	}
	switch is {
	case "=":
		return x == y
	case ">":
		return x > y
	case "<":
		return x < y
	case ">=":
		return x >= y
	case "<=":
		return x <= y
	}
	return false
}

func TestEvidenceThatDoesNotHoldIsTold(t *testing.T) {
	t.Parallel()
	o := outcome{out: "{\"a\": [1, {\"b\": true}], \"t\": 3.5}\n"}
	if wrong := checkJSON(o, []string{"a.# = 2", "a.1.b = true", "t > 3", "t <= 3.5"}); len(wrong) > 0 {
		t.Error(wrong)
	}
	for _, c := range []string{"a.# = 3", "a.1.b = false", "t > 4", "t < 3.5", "a.7 = 1", "x.y = 1", "t", "t ~ 3"} {
		must.Equal(t, len(checkJSON(o, []string{c})), 1, c)
	}
	must.Equal(t, len(checkJSON(outcome{out: "no"}, nil)), 1, "what is no JSON passes")
	for _, e := range []featureCheck{{Exit: 2}, {Says: []string{"b+"}}, {Never: []string{"t"}}, {Lines: 2}} {
		if len(e.check(o)) == 0 && len(e.Says) == 0 {
			t.Errorf("%+v holds", e)
		}
	}
	must.Equal(t, len((featureCheck{Says: []string{"nothing like it"}}).check(o)), 1)
}

package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"jtune/internal/must"
)

// unmarked are the commands whose output has no numbers of a board, and why.
var unmarked = map[string]string{
	"convert":            "has no answer of its own",
	"convert nvpmodel":   "reads a file of the vendor's",
	"convert tegrastats": "reads a log of the vendor's",
	"campaigns rename":   "says what it did",
	"campaigns delete":   "says what it did",
	"campaigns restore":  "says what it did",
	"campaigns purge":    "says what it did",
	"models keep":        "says what it did",
	"models rename":      "says what it did",
	"models delete":      "says what it did",
	"models restore":     "says what it did",
	"models purge":       "says what it did",
	"lab":                "has no answer of its own",
	"list":               "has the answers of others, each marked",
	"ask":                "has no answer of its own",
	"workloads add":      "says what it did",
	"report":             "writes a page, marked in its own test",
	"experiment":         "lists the experiments without a name; with one: below",
	"revert":             "a virtual board has no steps of an earlier process",
	"config":             "has no answer of its own",
	"config show":        "prints the configuration",
	"config edit":        "says what it did",
	"config check":       "reads a file of the user's",
	"config path":        "prints a path",
	"config schema":      "describes the configuration",
	"fleet wake":         "says what it did",
	"device suspend":     "is gone",
	"models share":       "is gone",
	"models learn":       "is gone",
	"models reduce":      "is gone",
	"experiment energy":  "has three forms, marked in their own test",
	"fleet":              "has no answer of its own",
	"fleet watch":        "has the boards' own answers, marked in its own test",
	"fleet doctor":       "has the boards' own answers",
	"fleet tune":         "has the boards' own answers, marked in its own test",
	"fleet profile":      "says what it did",
	"fleet apply":        "says what it did",
	"fleet install":      "says what it did",
	"config keys":        "prints the table of keys",
	"demo":               "plays the screens",
	"workloads harness":  "prints the jobs' scripts",
	"staged":             "is internal",
	"version":            "describes the program",
	"man":                "is the manual",
	"help":               "is help",
	"completion":         "is a script for a shell",
}

// markedByEvidence returns the commands and forms that TestEvidenceOfTheFeatures, which runs them anyway, looks at.
func markedByEvidence(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	if testing.Short() { // all run at once, for the race detector
		return out
	}
	root := new(app).root()
	for _, e := range readEvidence(t) {
		for _, form := range e.marks(root) {
			out[form] = true
		}
	}
	return out
}

// computing are the commands that compute most; they begin as others do.
var computing = []string{"evaluate", "fidelity", "reproduce", "pair"}

// measuring are the commands that measure again in each form: the narrowest terminal is enough of them, and the widest
// in the long form, which draws the others at five widths in place of three.
var measuring = []string{"run", "soak", "verify", "tune", "profile", "experiment", "campaigns repeat"}

// TestSimulationIsMarkedByEveryCommand walks the whole command tree, so that a new command is either marked or listed
// above; what the evidence of the features shows of a command is looked at there. The commands, each in all its forms,
// run at once in one process and on one data directory: the race detector finds what they share by mistake.
func TestSimulationIsMarkedByEveryCommand(t *testing.T) {
	t.Parallel()
	data, _ := measured(t) // its kept answer points to a metric that the process shares
	dir, campaign := filepath.Dir(data), searchOf(t, data, "mobilenet-tune")
	model := filepath.Join(data, "models", "mobilenet@virtual-orin-nano.model")
	board := with(smallBoard, "--data-dir", data, "--log-file", filepath.Join(dir, "log"))
	jtune(t, with(board, "run", "lstm", "--minibatches", "3", "--base", "0")...).done(t)
	limit := []string{"--power-limit", "8"}
	commands := map[string][]string{
		"watch":             {"--count", "2"},
		"device":            {},
		"doctor":            {},
		"device modes":      {"--filter", "cores=6 cpu=1.51GHz gpu=0.62GHz"},
		"workloads":         {},
		"run":               {"lstm", "--minibatches", "3", "--base", "0", "--no-record"},
		"campaigns merge":   {campaign, again(t, campaign), "--out", filepath.Join(dir, "merged")},
		"campaigns import":  {filepath.Join(campaign, "modes.csv"), "--out", filepath.Join(dir, "imported")},
		"models fit":        {"--samples", campaign, "--out", filepath.Join(dir, "again.model")},
		"soak":              {"lstm", "--for", "20s"},
		"verify":            {"--limit", "13 W"},
		"models":            {model},
		"models list":       {},
		"models show":       {model},
		"campaigns":         {},
		"campaigns list":    {},
		"campaigns summary": {},
		"campaigns show":    {campaign},
		"campaigns compare": {campaign, again(t, campaign)},
		"campaigns repeat":  {filepath.Base(searchOf(t, data, "lstm-run"))},
		"predict":           {"--model", model, "6c/1.51C/0.62G/2.13M"},
		"front":             {"--samples", campaign},
		"choose":            append([]string{"--model", model}, limit...),
		"pair":              {"--models", model + "," + model, "--rate", "1", "--device", "virtual:agx-orin"},
		"tune":              append([]string{"lstm", "--probes", "6"}, limit...),
		"explain":           {"--model", model},
		"plot":              {"heat", "--model", model},
		"apply":             {"15W", "--yes"},
		"convert export":    {"15W", "--name", "X"},
		"evaluate":          {"--truth", campaign, "--quick", "--sizes", "4", "--methods", "gp"},
		"experiment":        {"workers", "lstm", "--minibatches", "3", "--base", "0"},
		"fidelity":          {"--only", "s1-scenario-brute", "--device", "virtual:agx-orin"},
		"fleet exporter":    {"--once"},
		"reproduce":         {"four-modes"},
		"fleet rank":        {"--models", "orin=" + model},
		"profile":           {"lstm", "--sample", "2", "--out", filepath.Join(dir, "sampled")},
	}
	root, seen := (&app{out: io.Discard, err: io.Discard}).root(), markedByEvidence(t)
	t.Run("commands", func(t *testing.T) {
		for _, c := range leaves(root) {
			name := shortName(c)
			args, known := commands[name]
			switch {
			case !known && unmarked[name] != "":
				continue
			case !known:
				t.Errorf("jtune %s is in no list of this test: mark its answers, or say why they need no mark", name)
				continue
			}
			if testing.Short() && slices.Contains(computing, name) {
				continue
			}
			flags := c.Flags()
			flags.AddFlagSet(c.InheritedFlags())
			var forms []string
			var widths []int
			// Lines of a file's text stay whole: an exported mode, the exporter's metrics.
			file := name == "convert export" || name == "fleet exporter"
			if !file && !slices.Contains(computing, name) {
				long := os.Getenv("JTUNE_LONG") != ""
				switch again := slices.Contains(measuring, name); {
				case long && !again:
					widths = []int{0, 40, 80, 120, 200}
				case long || !again:
					widths = []int{0, 40, 200}
				default:
					widths = []int{0, 40}
				}
				forms = slices.Repeat([]string{""}, len(widths))
			} else if !seen[name+" "] {
				forms, widths = []string{""}, []int{0}
			}
			for _, form := range []string{"json", "csv"} {
				catalogue := form == "csv" && name == "device" // not the board's
				if flags.Lookup(form) != nil && !catalogue && !seen[name+" --"+form] {
					forms, widths = append(forms, "--"+form), append(widths, 40) // data have no width
				}
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				outs := make([]outcome, len(forms))
				var all sync.WaitGroup
				for i, form := range forms {
					line := append(strings.Fields(name+" "+form), args...)
					for j, arg := range line { // commands create new folders
						if j > 0 && line[j-1] == "--out" {
							line[j] = strings.TrimSuffix(arg, ".model") + strings.Repeat("+", i) + filepath.Ext(arg)
						}
					}
					all.Go(func() { outs[i] = jtuneAt(t, widths[i], with(board, line...)...) })
				}
				all.Wait()
				for i, form := range forms {
					wantMarked(t, name+" "+form, outs[i].done(t).out)
					if form == "" {
						wantFits(t, outs[i].out, outs[0].out, widths[i])
					}
				}
			})
		}
	})
	if testing.Short() {
		return
	}
	wantMarkedFiles(t, dir)
}

// wantMarked checks what a command printed in one of its forms.
func wantMarked(t *testing.T, command, out string) {
	t.Helper()
	switch {
	case strings.HasSuffix(command, " --json"):
		wantMarkedJSON(t, out)
	case strings.HasSuffix(command, " --csv"):
		wantMarkedCSV(t, command, out)
	case command == "device modes ": // prints only modes, for --list, its mark on standard error
	case !strings.Contains(strings.ToLower(out), "virtual"):
		t.Errorf("%s: the text says nowhere that it is a simulation:\n%s", command, out)
	}
}

// jtuneAt runs jtune with its output on a terminal of a width; 0: on none.
func jtuneAt(t *testing.T, width int, args ...string) outcome {
	t.Helper()
	if width == 0 {
		return jtune(t, args...)
	}
	out, err := &screen{width: width}, &safeBuffer{}
	code := jtuneOn(t, t.Context(), strings.NewReader(""), out, err, args...)
	return outcome{code, out.String(), err.String()}
}

// wantFits checks that no line is wider than the terminal, but for a word that is, and that wide rows keep their width
// where there is room.
func wantFits(t *testing.T, out, plain string, width int) {
	t.Helper()
	if width == 0 {
		return
	}
	most, wide := 0, false
	for line := range strings.Lines(out) {
		n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		if most = max(most, n); n > width && len(strings.Fields(line)) > 1 {
			t.Errorf("%d columns of %d: %s", n, width, line)
		}
	}
	for line := range strings.Lines(plain) {
		n := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
		wide = wide || n > 80 && n <= width && strings.Contains(strings.TrimSpace(line), "  ")
	}
	if wide && most <= 80 {
		t.Errorf("%d columns of %d are used:\n%s", most, width, out)
	}
}

// leaves returns the commands that are not groups.
func leaves(c *cobra.Command) (out []*cobra.Command) {
	for _, sub := range c.Commands() {
		out = append(out, leaves(sub)...)
	}
	if c.Runnable() && c.HasParent() {
		out = append(out, c)
	}
	return out
}

// again copies a campaign folder as another board's.
func again(t *testing.T, campaign string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	must.NoError(t, os.CopyFS(dir, os.DirFS(campaign)))
	return dir
}

// wantMarkedJSON checks one document, or one per line: an object, or each element of an array.
func wantMarkedJSON(t *testing.T, text string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) && n > 0 {
			return
		} else if err != nil {
			t.Fatalf("not JSON: %v\n%.300s", err, text)
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		if len(list) == 0 {
			t.Errorf("nothing to mark: %.300s", text)
		}
		for _, x := range list {
			object, _ := x.(map[string]any)
			shipped := slices.Contains([]any{"resnet18-agx-orin", "agx-orin", "orin-nano"}, object["name"])
			if object["virtual"] != true && !shipped {
				t.Errorf("not marked as virtual: %v", x)
				break
			}
		}
	}
}

// wantMarkedCSV checks the last column.
func wantMarkedCSV(t *testing.T, name, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %v\n%.300s", name, err, text)
	}
	for i, row := range rows {
		if want := map[bool]string{true: "virtual", false: "true"}[i == 0]; row[len(row)-1] != want {
			t.Errorf("%s: line %d ends in %s, want %s", name, i+1, row[len(row)-1], want)
			break
		}
	}
}

// wantMarkedFiles checks every CSV file that the commands wrote.
func wantMarkedFiles(t *testing.T, dir string) {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".csv" {
			return err
		}
		text, err := os.ReadFile(path)
		wantMarkedCSV(t, path, string(text))
		seen[e.Name()] = true
		return err
	})
	must.NoError(t, err)
	for _, name := range []string{
		"modes.csv", "runs.csv", "samples.csv", "minibatches.csv", "knobs.csv", "report.csv",
	} {
		if !seen[name] {
			t.Errorf("no %s was written: this test checks nothing of it", name)
		}
	}
}

package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
)

// documented says how to run the commands of a page, in order and in one folder.
type documented struct {
	page    string
	exact   bool              // compare the output number by number; -update renews the numbers
	device  string            // the board for commands without --device
	replace []string          // placeholders for the reader and their values: pairs
	long    []string          // prefixes of lines that only the long form runs: they take minutes
	other   map[string]string // prefixes of lines that need a server or a board, with the test that runs them
	may     map[string]int    // prefixes of lines that may also end with this exit code
}

var update = flag.Bool("update", false, "renew the numbers of documented output")

var documentedPages = []documented{
	{page: "docs/tutorial.md", device: "virtual:agx-orin", exact: true},
	{page: "README.md", device: "virtual:agx-orin", replace: []string{"MODE ", "12c/1.04C/0.73G/3.20M "},
		long: []string{"jtune tune  --power-limit 15 --"},
		may:  map[string]int{"jtune tune  --power-limit 15 --": exitInfeasible},
		other: map[string]string{
			"jtune fleet install": "TestFleetInstallCopiesTheProgramAndChecksItsVersion",
			"jtune fleet doctor":  "TestFleetOfSeveralServers"}},
	{page: "docs/howto/hand-over.md", device: "virtual:agx-orin"},
	{page: "docs/howto/own-job.md", device: "virtual:orin-nano",
		replace: []string{"8c/1.51C/0.82G/2.13M", "6c/1.51C/0.62G/2.13M"},
		long:    []string{"jtune tune", "jtune run --no-device -- trtexec"},
		may:     map[string]int{"jtune tune": exitInfeasible}},
	{page: "docs/howto/containers.md", device: "virtual:orin-nano", long: []string{"jtune tune --power-limit 15 --"},
		may:   map[string]int{"jtune tune --power-limit 15 --": exitInfeasible},
		other: map[string]string{"jtune tune resnet18 --log": "TestRunReadsATrainingThatRunsAlreadyAndLeavesIt"}},
	{page: "docs/howto/attach.md",
		other: map[string]string{"jtune ": "TestRunReadsATrainingThatRunsAlreadyAndLeavesIt"}},
	{page: "docs/howto/job-mode.md", device: "virtual:agx-orin",
		may: map[string]int{"jtune run --mode best resnet18": exitFailed}, // no search precedes it
		other: map[string]string{
			"jtune run --mode best --limit":           "TestRunInTheBestMode",
			"jtune run --mode 8c/1.34C":               "TestRunInAModeRestoresTheBoard",
			"jtune run --mode MAXN":                   "TestRunInAModeRestoresTheBoard",
			"jtune run --mode best --exit-code":       "TestRunPrintsAUnit",
			"jtune run --mode best -- docker run --r": "TestContainerIsRunAndEndedByItsName"}},
	{page: "docs/howto/llm.md", device: "virtual:orin-nano", replace: []string{"--weights FILE", "--weights x.gguf"},
		other: map[string]string{
			"jtune run ollama":       "TestOllamaIsMeasuredAndTunedEndToEnd",
			"jtune tune ollama":      "TestOllamaIsMeasuredAndTunedEndToEnd",
			"jtune run llama-server": "TestRunOfAServerTellsTokensAndPhases",
			"jtune run vllm":         "TestRunOfAServerTellsTokensAndPhases",
			"jtune tune chat":        "TestTuneOfAServerFindsTheBestMode",
			"jtune tune users":       "TestTuneOfAServerFindsTheBestMode"}},
	{page: "docs/howto/many-boards.md", device: "virtual:agx-orin",
		replace: []string{"jtune --device virtual:agx-orin --speed max lab profile resnet --sample 200",
			"for i in 1 2; do jtune --device virtual:agx-orin --speed max lab profile resnet --sample 12",
			"--resume &", "--resume; done", "$i/$n", "$i/2"}},
}

// documentedLine matches a jtune command on its own line, with or without a shell prompt.
var documentedLine = regexp.MustCompile(`^\s*(\$ )?(?:sudo )?(?:\./)?(jtune(?: .*)?)$`)

// documentedCommand is a command of a page with the output shown below it.
type documentedCommand struct {
	line   string
	output []string
}

// shownCommands returns the commands in a page's fenced and indented blocks.
func shownCommands(page string) (list []documentedCommand) {
	fence, open := "", false // opening line of the block
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			if open = false; fence == "" {
				fence = line
			} else {
				fence = ""
			}
			continue
		}
		if fence == "```toml" || fence == "```yaml" || fence == "" && !strings.HasPrefix(line, "    ") {
			open = false
			continue
		}
		m := documentedLine.FindStringSubmatch(line)
		switch {
		case m != nil:
			list = append(list, documentedCommand{line: m[2]})
			open = m[1] != ""
		case open && line != "":
			list[len(list)-1].output = append(list[len(list)-1].output, line)
		}
	}
	return list
}

// tick makes the steps of a stand-in 50 ms apart, or as many ms as it is given. It waits until a time, not for a time,
// and starts no process: on a busy machine the time of a step would otherwise change in the middle of a run.
const tick = `exec 9<> <(:)
tick() {
  local now=${EPOCHREALTIME/[.,]} wait
  next=$((${next:-now} + ${1:-50} * 1000))
  if ((next <= now)); then next=$now; return; fi
  printf -v wait 0.%06d $((next - now)); read -rt $wait -u 9 || true
}
`

// standIns replace the programs that the pages run, as far as jtune sees them.
var standIns = map[string]string{
	"python3": tick + `case $1 in
main.py) for i in 0 1 2 3 4 5; do
  echo "Train Epoch: 1 [$((i*160))/960 ($((i*160*100/960))%)]	Loss: 0.$i"; for t in {1..10}; do tick; done; done;;
*) epochs=2; [ -n "$JTUNE_LONG" ] && epochs=20 # a search needs a training that lasts
for ((e = 0; e < epochs; e++)); do
  for i in {0..60}; do printf '\rtrain: %3d%%|##| %d/60 [00:01<00:02, 20.0it/s]' $((i*100/60)) $i; tick; done
  for i in {0..30}; do printf '\rval: %3d%%|##| %d/30 [00:01<00:02, 20.0it/s]' $((i*100/30)) $i; tick 20; done
done; echo;;
esac`,
	"yolo": tick + `for i in {1..60}; do
echo "video 1/1 (frame $i/60) video.mp4: 384x640 1 person, 9.1ms"; tick; done`,
	"trtexec": `sleep 6; echo "[I] Timing trace has 120 queries over 6 s"
echo "[I] === Performance summary ==="; echo "[I] Throughput: 20 qps"
echo "[I] Latency: min = 49.9 ms, max = 50.3 ms, mean = 50 ms, median = 50 ms, percentile(99%) = 50.2 ms"`,
	"docker": `case $1 in run) while [ "$1" != IMAGE ]; do shift; done; shift; exec "$@";; esac`,
	"detect": tick + `n=60; [ -n "$JTUNE_LONG" ] && n=1500
for ((i = 1; i <= n; i++)); do echo "frame $i/$n"; tick; done`,
	"jtune": `device=(--device "$DOC_DEVICE" --speed max)
for a in "$@"; do case $a in
  --) device=(--device "$DOC_DEVICE"); for b in "$@"; do [ "$b" != --no-device ] || device=(); done; break;;
  --device|--device=*|--no-device) device=(); break;;
  detect) device=(--device "$DOC_DEVICE");;
esac; done
for a in "$@"; do [ "$a" = -- ] && break; [ "$a" = --speed ] && device=(--device "$DOC_DEVICE"); done
JTUNE_TEST_MAIN=1 exec "$DOC_PROGRAM" "${device[@]}" "$@"`,
}

// numbers are compared by position: times and powers of real jobs vary from run to run.
var numbers = regexp.MustCompile(`\d[\d.,]*`)

// leftOut matches what depends on the machine's load in a reading.
var leftOut = regexp.MustCompile(`; left out: .*| \(median # ms: its spans are uneven\)`)

// TestDocumentedCommandsRunAndPrintWhatIsShown runs the commands in README, tutorial and how-to pages.
func TestDocumentedCommandsRunAndPrintWhatIsShown(t *testing.T) {
	t.Parallel()
	computes(t)
	program := must.Get(os.Executable())(t)
	bin := t.TempDir()
	for name, script := range standIns {
		must.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/bash\n"+script+"\n"), 0o755))
	}
	pages, tests := docPages(t), featureTests(t)
	for path := range pages {
		rel, _ := filepath.Rel(checkout, path)
		known := slices.ContainsFunc(documentedPages, func(d documented) bool { return d.page == rel })
		if how := strings.HasPrefix(rel, "docs/howto/"); how && !known && len(shownCommands(pages[path])) > 0 {
			t.Errorf("%s has commands that no test runs", rel)
		}
	}
	for _, d := range documentedPages {
		t.Run(filepath.Base(d.page), func(t *testing.T) { // one by one: parallel ones would begin after all other tests
			w := afterTutorial(t)
			must.NoError(t, os.Symlink(filepath.Join(bin, "detect"), filepath.Join(w.dir, "detect")))
			env := append(os.Environ(), "HOME="+w.dir, "XDG_DATA_HOME="+filepath.Join(w.dir, "data"),
				"XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "PATH="+bin+":"+os.Getenv("PATH"),
				"DOC_DEVICE="+d.device, "DOC_PROGRAM="+program)
			tried, page := 0, pages[filepath.Join(checkout, d.page)]
			for _, c := range shownCommands(page) {
				if test, ok := beginsWith(d.other, c.line); ok {
					if !tests[test] {
						t.Errorf("%s is tried by %s, which is no test", c.line, test)
					}
					continue
				}
				if slices.ContainsFunc(d.long, func(l string) bool { return strings.HasPrefix(c.line, l) }) &&
					os.Getenv("JTUNE_LONG") == "" {
					continue
				}
				tried++
				before := strings.Join(c.output, "\n")
				d.try(t, w, env, c)
				if before != "" {
					page = strings.Replace(page, before, strings.Join(c.output, "\n"), 1)
				}
			}
			if *update && d.exact {
				must.NoError(t, os.WriteFile(filepath.Join(checkout, d.page), []byte(page), 0o644))
			}
			if tried == 0 && d.device != "" {
				t.Errorf("no command of %s was run", d.page)
			}
		})
	}
}

// beginsWith returns the value of the longest key that is a prefix of a line.
func beginsWith[T any](list map[string]T, line string) (v T, ok bool) {
	longest := ""
	for key, value := range list {
		if strings.HasPrefix(line, key) && len(key) > len(longest) {
			longest, v, ok = key, value, true
		}
	}
	return v, ok
}

// try runs a command, unless it ran before on the same board, and compares its output with the page.
func (d documented) try(t *testing.T, w *ranLines, env []string, c documentedCommand) {
	t.Helper()
	line := strings.NewReplacer(d.replace...).Replace(c.line)
	o, ran := w.known(line)
	if !ran || d.device != "virtual:agx-orin" {
		o = d.shell(t, w.dir, env, line)
	}
	if may, _ := beginsWith(d.may, c.line); o.code != 0 && o.code != may {
		t.Errorf("%s: %q: exit code %d\n%s%s", d.page, line, o.code, o.out, o.err)
		return
	}
	said := o.out
	if !d.exact {
		said = o.err + said
	}
	lines := strings.Split(said, "\n")
	for i, want := range c.output {
		if want == "…" {
			continue
		}
		at := slices.IndexFunc(lines, func(l string) bool { return d.plain(l, false) == d.plain(want, false) })
		if at < 0 && *update {
			alike := func(l string) bool { return d.plain(l, true) == d.plain(want, true) }
			if at = slices.IndexFunc(lines, alike); at >= 0 {
				c.output[i] = strings.TrimRight(lines[at], " ")
			}
		}
		if at < 0 {
			t.Errorf("%s: %q does not print %q (in this order):\n%s%s", d.page, line, want, o.out, o.err)
			return
		}
		lines = lines[at+1:]
	}
}

// shell runs a line in a folder.
func (d documented) shell(t *testing.T, dir string, env []string, line string) outcome {
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, strings.NewReader("y\n"), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("%s: %q: %v", d.page, line, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// plain normalizes a line for comparison: single spaces, and # for each number unless numbers are compared.
func (d documented) plain(line string, numberless bool) string {
	if numberless || !d.exact {
		line = leftOut.ReplaceAllString(numbers.ReplaceAllString(line, "#"), "")
	}
	return strings.Join(strings.Fields(line), " ")
}

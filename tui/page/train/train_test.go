package train

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

func TestTrainReadsALogThatNobodyLookedAtToItsEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	text := strings.Repeat("a line of the job's\n", 40_000) + "the last one\n"
	must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	_, p := pagetest.Drive(t, New)
	p.tail = &tail{path: path}
	for next := p.readLog(); next != nil; {
		next = p.Update(next.(page.Run)(t.Context()))
	}
	if n := len(p.log.Lines); n != widget.MaxLogLines || p.log.Lines[n-1] != "the last one" || p.tail == nil {
		t.Errorf("%d lines are kept, the newest %q; want %d to the file's end", n, p.log.Lines[n-1], widget.MaxLogLines)
	}
}

func TestPrintableIsWhatATerminalLeaves(t *testing.T) {
	for line, want := range map[string]string{
		"\x1b[31mred\x1b[0m": "red",
		" 10%\r 20%\r 30%":   " 30%",
		"а\tb\x07":           "а b",
		"\xff":               "?",
	} {
		must.Equal(t, printable(line), want, line)
	}
}

// An inference run shows units, latencies with a mark if requests are too few, and energy per unit.
func TestTrainTellsInferenceInItsOwnWords(t *testing.T) {
	t.Parallel()
	v := &record.Served{Unit: "token", Units: 1234, PerS: tegra.Some(30.5), UnitJ: tegra.Some(0.5),
		RatePerS: tegra.Some(8.0), ServedPerS: tegra.Some(7.5),
		Latency: record.Latency{P50: 20, P95: 30, P99: 40, N: 300}}
	j := &page.Task{Spec: task.Spec{Workload: workload.Workload{Kind: workload.Inference, Unit: "token"}},
		Snapshot: task.Snapshot{Character: &record.Character{Serving: v}}}
	text := strings.Join((&Page{}).answers(j, v), "\n") + "\n" + byUnit(j, 99) + "\n" + latencies(j, 40, 9)
	must.Contain(t, text, "1,234 tokens", "30.5 tokens/s", "8.0/s arrive, 7.5/s served", "20.0, p95 30.0, p99 ~40.0",
		"500 mJ/token", "of 300 requests", "p99 1,000")
}

// Train says what the workload under the cursor lacks before the user tries to start it.
func TestTrainSaysUnderTheListWhatAWorkloadLacks(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	d.Board.Lacks = map[string]string{"mobilenet": "mobilenet cannot run here: give it a command"}
	d.Sees("▸resnet18", "enter runs the workload in the mode")
	d.Press("end")
	d.Sees("▸mobilenet", "mobilenet cannot run here: give it a command")
}

// A search of the list of workloads takes no keys while a run hides the list.
func TestTrainHasNoSearchInAListThatARunHides(t *testing.T) {
	t.Parallel()
	d, p := pagetest.Drive(t, New)
	d.Press("/")
	if !p.Typing() {
		t.Fatal("no search in the list")
	}
	j := &page.Task{Spec: task.Spec{Kind: task.Training, Workload: workload.Workload{Name: "resnet18"}}}
	j.State = task.Running
	d.State.Tasks.Own = j
	if d.Sees("running"); p.Typing() {
		t.Error("the hidden list's search takes all keys")
	}
	if d.Press("/"); p.Typing() {
		t.Error("a search begins in the hidden list")
	}
}

// The list says in a word what a workload lacks here, once that is known.
func TestTrainListsWhatWorkloadsLack(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	d.State.Work.Jobs, d.Board.Runs = &page.Jobs{}, workloads.Runs
	d.Sees("resnet18", "checking")
	d.Send(page.JobsFound{Lacks: map[string]string{"resnet18": "program"}})
	d.Sees("resnet18", "no program")
}

// What can run here comes first. The cursor stays on its workload when others go below the line that parts them, and
// passes over that line.
func TestTrainPartsWhatCanRunFromWhatCannot(t *testing.T) {
	t.Parallel()
	d, p := pagetest.Drive(t, New)
	looks := 0
	d.State.Work.Jobs = &page.Jobs{Look: func(context.Context) (map[string]string, error) {
		looks++
		return map[string]string{"resnet18": "program", "mobilenet": "PyTorch"}, nil
	}}
	d.Board.Runs, d.State.Device.Board.Virtual, d.State.Look.Shown = workloads.Runs, false, page.Train
	d.Press("down")
	d.Sees("▸mobilenet")
	must.Lack(t, d.Screen(), "not ready here")
	d.Send(page.Sampled{})
	d.Until("the jobs are known", func() bool { return strings.Contains(d.Screen(), "not ready here") })
	d.Send(page.Sampled{})
	must.Equal(t, looks, 1)
	must.Equal(t, d.Want(), nil)
	order := regexp.MustCompile(`(?s)bert .*not ready here.*resnet18 .*▸mobilenet `)
	if !order.MatchString(d.Screen()) {
		t.Errorf("the list is in another order:\n%s", d.Screen())
	}
	d.Press("up", "up")
	if d.Sees("▸bert"); p.Copied() != "bert" {
		t.Errorf("the cursor is on %s", p.Copied())
	}
	d.Press("down")
	d.Sees("▸resnet18")
}

// A list that ends in the line's row shows both in a low window, and the cursor's row always.
func TestTrainPartsALowListToo(t *testing.T) {
	t.Parallel()
	d, p := pagetest.Drive(t, New)
	d.Board.Lacks = map[string]string{"mobilenet": "no command", "bert": "no command"}
	d.Send(page.WorkloadsListed{})
	d.Sees("not ready here")
	for _, want := range []string{"resnet18", "mobilenet", "bert"} {
		lines := strings.Split(ansi.Strip(p.tab.Render(60, 3)), "\n")
		must.Equal(t, len(lines), 3, want)
		must.Contain(t, strings.Join(lines, "\n"), "▸"+want)
		d.Press("down")
	}
}

package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness/detect"
)

// recordAll prints every format of the shared tool in virtual time, in one process.
const recordAll = `
import sys, io, json, os
tool = sys.argv[1]
sys.argv = [tool, "truth", "trace"]
sys.path.insert(0, os.path.dirname(os.path.dirname(tool)))
import pace
real, sys.stdout = sys.stdout, io.StringIO()
exec(compile(open(tool).read(), tool, "exec"), {"__name__": "__main__", "__file__": tool})
truth = json.loads(sys.stdout.getvalue())
for name in truth:
    pace.t = pace.T0 = 0.0
    pace.rnd.seed(11)
    sys.stdout = io.StringIO()
    pace.M[name]()
    print(json.dumps([name, truth[name], [json.loads(l) for l in sys.stdout.getvalue().splitlines()]]), file=real)
`

// written is what a program wrote to one of its outputs at a time.
type written struct {
	at   time.Duration
	fd   int
	text []byte
}

// feed gives a program's output to its reader as the harness does, and returns the events.
func feed(r *detecting, all []written) (events []Event) {
	held := map[int][]byte{}
	for _, w := range all {
		text := append(held[w.fd], w.text...)
		for {
			i := bytes.IndexAny(text, "\r\n\b")
			if i < 0 {
				break
			}
			got, _ := r.read(text[:i], w.at, true)
			events = append(events, got...)
			text = text[i+1:]
		}
		if held[w.fd] = bytes.Clone(text); len(text) > 0 && len(text) < 4096 {
			got, _ := r.read(text, w.at, false)
			events = append(events, got...)
		}
	}
	return append(events, r.finish(all[len(all)-1].at)...)
}

// Every shared format is read right, or not at all, by a run to its end, by one of 100 steps and by a search, which
// counts what is printed after its choice.
func TestDetectingReadsEveryFormatAlikeInARunAndASearch(t *testing.T) {
	t.Parallel()
	shared := os.Getenv("JTUNE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	tool := filepath.Join(shared, "tools", "own-jobs", "hand", "formats.py")
	if _, err := os.Stat(tool); err != nil {
		t.Skip("the shared formats are not here")
	}
	cmd := exec.Command("python3", "-c", recordAll, tool)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	type unit [2]any
	right, formats := 0, 0
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		var name string
		var want struct {
			Truth      unit
			Alt, Short []unit
		}
		var pieces [][3]any
		if err := json.Unmarshal(s.Bytes(), &[]any{&name, &want, &pieces}); err != nil {
			t.Fatal(err)
		}
		var all []written
		for _, p := range pieces {
			w := written{at: time.Hour + time.Duration(p[0].(float64)*1e9), fd: int(p[1].(float64))}
			for _, r := range p[2].(string) { // its bytes
				w.text = append(w.text, byte(r))
			}
			all = append(all, w)
		}
		command := []string{"python3", tool, name}
		if name == "pix2pix4" {
			command = append(command, "--batch_size", "4")
		}
		rightly := func(got detect.Reading, short []unit) bool {
			return slices.ContainsFunc(slices.Concat([]unit{want.Truth}, want.Alt, short), func(u unit) bool {
				return u[0] == got.Unit && math.Abs(got.TimeMS/u[1].(float64)-1) <= 0.05
			})
		}
		formats++
		run := newDetecting(Detect{Options: detect.Options{FromStart: true}, ToEnd: true}, command)
		feed(run, all)
		got, err := run.d.Read()
		if err == nil && !rightly(got, nil) {
			t.Errorf("%s, run: %s %q, %.4g ms a %s, want %v", name, got.Form, got.What, got.TimeMS, got.Unit, want)
		} else if err == nil {
			right++
		}
		search := newDetecting(Detect{}, command)
		var took, ones []float64
		for _, e := range feed(search, all) {
			switch {
			case e.Kind == Withdrawn:
				took, ones = nil, nil
			case e.Timed() && !e.Unclean && e.Summary == nil:
				took, ones = append(took, e.TimeMS), append(ones, 1)
			}
		}
		if read, no := search.d.Read(); no == nil && search.err == nil && len(took) >= 100 && stats.Sum(took) > 5000 {
			mean := stats.MeanOf(took, ones).Mean
			if err != nil || read.Unit != got.Unit || math.Abs(mean/got.TimeMS-1) > 0.08 &&
				!rightly(detect.Reading{Unit: read.Unit, TimeMS: mean}, want.Short) {
				t.Errorf(
					"%s: a search takes %q, %.4g ms a %s; a run %q, %.4g ms a %s (%v)",
					name,
					read.What,
					mean,
					read.Unit,
					got.What,
					got.TimeMS,
					got.Unit,
					err,
				)
			}
		}
	}
	if err := s.Err(); err != nil || formats < 80 {
		t.Fatalf("%d formats, %v", formats, err)
	}
	if t.Logf("%d of %d formats are read right", right, formats); right < 75 {
		t.Errorf("%d of %d formats are read right, want 75", right, formats)
	}
}

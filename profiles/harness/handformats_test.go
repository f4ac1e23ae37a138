package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/profiles/harness/detect"
)

// recordAll prints every format of the shared tool in virtual time, in one process: once, and again until it has lasted
// for the given seconds or 20,000 pieces: a flood is read alike each time.
const recordAll = `
import sys, io, json, os
tool, least = sys.argv[1], float(sys.argv[2])
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
    while pace.t < least and sys.stdout.getvalue().count("\n") < 20_000: pace.M[name]()
    print(json.dumps([name, truth[name], [json.loads(l) for l in sys.stdout.getvalue().splitlines()]]), file=real)
`

// written is what a program wrote to one of its outputs at a time.
type written struct {
	at   time.Duration
	fd   int
	text []byte
}

// trace is what a shared format writes, and the units and their times of which each is right.
type trace struct {
	name    string
	command []string
	right   [][2]any
	all     []written
}

// traces returns the shared formats, each written again until it has lasted for least.
func traces(t *testing.T, least time.Duration) (out []trace) {
	t.Helper()
	shared := os.Getenv("JTUNE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	tool := filepath.Join(shared, "tools", "own-jobs", "hand", "formats.py")
	if _, err := os.Stat(tool); err != nil {
		t.Skip("the shared formats are not here")
	}
	cmd := exec.Command("python3", "-c", recordAll, tool, fmt.Sprint(least.Seconds()))
	cmd.Stderr = os.Stderr
	text := must.Get(cmd.Output())(t)
	for line := range bytes.Lines(text) {
		var f trace
		var want struct {
			Truth [2]any
			Alt   [][2]any
		}
		var pieces [][3]any
		must.NoError(t, json.Unmarshal(line, &[]any{&f.name, &want, &pieces}))
		f.right = append(want.Alt, want.Truth)
		for _, p := range pieces {
			w := written{at: time.Hour + time.Duration(p[0].(float64)*1e9), fd: int(p[1].(float64))}
			for _, r := range p[2].(string) { // its bytes
				w.text = append(w.text, byte(r))
			}
			f.all = append(f.all, w)
		}
		if f.command = []string{"python3", tool, f.name}; f.name == "pix2pix4" {
			f.command = append(f.command, "--batch_size", "4")
		}
		out = append(out, f)
	}
	if len(out) < 80 {
		t.Fatalf("%d formats", len(out))
	}
	return out
}

// feed gives a program's output to its reader as the harness does, and returns the events. each is called once a
// second.
func feed(r *detecting, all []written, each func(now time.Duration)) (events []Event) {
	held, next := map[int][]byte{}, all[0].at
	for _, w := range all {
		for ; next < w.at; next += time.Second {
			each(next)
		}
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

// A run reads all of a program, a search what is printed after its choice. Both take the same counter and give the same
// time, within their errors. They read most shared formats, and none wrongly; jtune warns within ten seconds of output
// where they read nothing.
func TestDetectingReadsEveryFormatAlikeInARunAndASearch(t *testing.T) {
	t.Parallel()
	const least = 60 * time.Second // epochs of 3 s are read then
	pieces := map[string]int{}     // by format, when it was last read
	for _, c := range []struct {
		name  string
		least time.Duration
		right int // formats; 0: their repetition, of which each begins slowly, is another work
	}{{"once", 0, 77}, {"again and again", least, 0}} {
		right := 0
		for i, f := range traces(t, c.least) {
			if pieces[f.name] == len(f.all) || c.right == 0 && i%3 > 0 && os.Getenv("JTUNE_LONG") == "" {
				continue // the same lines were read, or the long form reads them
			}
			pieces[f.name] = len(f.all)
			run := newDetecting(Detect{Options: detect.Options{FromStart: true}, ToEnd: true}, f.command)
			feed(run, f.all, func(time.Duration) {})
			ran, err := run.d.Read()
			if err == nil && slices.ContainsFunc(f.right, func(u [2]any) bool {
				return u[0] == ran.Unit && math.Abs(ran.TimeMS/u[1].(float64)-1) <= 0.05
			}) {
				right++
			} else if err == nil && c.right > 0 {
				t.Errorf("%s: %s %q, %.4g ms a %s, want one of %v", f.name, ran.Form, ran.What, ran.TimeMS, ran.Unit,
					f.right)
			}
			search := newDetecting(Detect{}, f.command)
			var took, ones []float64
			said := time.Duration(0)
			events := feed(search, f.all, func(now time.Duration) {
				if search.doubt(now) != "" && said == 0 {
					said = now - f.all[0].at
				}
			})
			for _, e := range events {
				switch {
				case e.Kind == Withdrawn:
					took, ones = nil, nil
				case e.Timed() && !e.Unclean && e.Summary == nil:
					took, ones = append(took, e.TimeMS), append(ones, 1)
				}
			}
			searched, no := search.d.Read()
			if refused := no != nil || search.err != nil; refused != (err != nil) {
				t.Errorf("%s, %s: a run %v, a search %v, %v", f.name, c.name, err, no, search.err)
			} else if refused {
				if lasts := f.all[len(f.all)-1].at - f.all[0].at; lasts > doubtWork && (said == 0 || said > doubtWork) {
					t.Errorf("%s, %s: jtune warns after %v, want %v at most", f.name, c.name, said, doubtWork)
				}
				continue
			}
			mean := stats.MeanOf(took, ones)
			band := math.Max(0.01*ran.TimeMS, 1.96*math.Hypot(ran.ErrorMS, mean.Error))
			if searched.Unit != ran.Unit || !(math.Abs(mean.Mean-ran.TimeMS) <= band) {
				t.Errorf("%s, %s: a search %q, %.4g ms a %s; a run %q, %.4g ± %.2g ms a %s", f.name, c.name,
					searched.What, mean.Mean, searched.Unit, ran.What, ran.TimeMS, ran.ErrorMS, ran.Unit)
			}
		}
		if t.Logf("%s: %d formats are read right", c.name, right); right < c.right {
			t.Errorf("%d formats are read right, want %d", right, c.right)
		}
	}
}

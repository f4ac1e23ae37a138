package detect

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness/pipe"
)

// recorder runs the tool that replays formats on a clock of its own, one format after another: it writes what each
// prints with its times.
const recorder = `
import sys, time, json
now, out = [100.0], sys.stdout
time.monotonic = lambda: now[0]
time.sleep = lambda d: now.__setitem__(0, now[0] + d)
class W:
    def __init__(self, n): self.n = n
    def write(self, s): out.write(json.dumps([now[0], self.n, s, sys.argv[1]]) + "\n")
    def flush(self): pass
sys.stdout, sys.stderr = W(1), W(2)
tool, formats = sys.argv[1], sys.argv[2:]
code = compile(open(tool).read(), tool, "exec")
for f in formats:
    now[0], sys.argv = 100.0, [tool, f]
    exec(code, {"__name__": "__main__"})
`

// piece is what a program printed at a time.
type piece struct {
	at   time.Duration
	from int
	text string
}

// record replays the formats of the shared tool; the test is skipped where it is not there.
func record(t testing.TB, formats []string) map[string][]piece {
	t.Helper()
	dir := cmp.Or(os.Getenv("JTUNE_SHARED"), filepath.Join("..", "..", "..", "..", "shared"))
	tool := filepath.Join(dir, "tools", "job_lines.py")
	if _, err := os.Stat(tool); err != nil {
		t.Skip("the shared formats are not here")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	cmd := exec.Command(python, append([]string{"-c", recorder, tool}, formats...)...)
	cmd.Stderr = os.Stderr
	text := must.Get(cmd.Output())(t)
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<22)
	out := map[string][]piece{}
	for s.Scan() {
		var p [4]any
		must.NoError(t, json.Unmarshal(s.Bytes(), &p))
		at := time.Duration(p[0].(float64) * 1e9)
		out[p[3].(string)] = append(out[p[3].(string)], piece{at, int(p[1].(float64)), p[2].(string)})
	}
	return out
}

// player gives pieces to a detector as the harness does, which takes both outputs apart on their own.
type player struct {
	d    *Detector
	held map[int]string
}

func (r *player) piece(p piece) {
	text := r.held[p.from] + p.text
	for {
		i := strings.IndexAny(text, "\r\n\b")
		if i < 0 {
			break
		}
		r.d.Line([]byte(text[:i]), p.at, true)
		text = text[i+1:]
	}
	if len(text) > pipe.Longest {
		text = text[len(text)-pipe.Longest:]
	}
	if r.held[p.from] = text; text != "" {
		r.d.Line([]byte(text), p.at, false)
	}
}

func (r *player) end() {
	for _, text := range r.held {
		if text != "" {
			r.d.Line([]byte(text), r.d.last, true)
		}
	}
}

// play gives all pieces to a detector.
func play(d *Detector, pieces []piece) {
	r := player{d, map[int]string{}}
	for _, p := range pieces {
		r.piece(p)
	}
	r.end()
}

package detect

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden readings")

// What jtune says of each known program: what it counts, how often, what an epoch is, what it leaves out, by which
// expression a user can choose it, or why it takes nothing.
func TestReadSaysWhatItReadOfEveryFormat(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, f := range slices.Concat(formats, tutorials, programs) {
		j := &job{now: time.Hour}
		f.run(j)
		d := New(Options{Batch: 16})
		play(d, j.out)
		fmt.Fprintf(&b, "%s\n", f.name)
		r, err := d.Read()
		said(&b, d, r, err)
		fmt.Fprintf(&b, "    while it runs: %s\n", handed(j.out, Options{Batch: 16}))
		fmt.Fprintf(&b, "    from its start: %s\n", handed(j.out, Options{Batch: 16, FromStart: true}))
	}
	file := filepath.Join("testdata", "readings.golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("readings (-want +got):\n%s", d)
	}
}

// said writes a reading, or why there is none, as a person would say it.
func said(b *strings.Builder, d *Detector, r Reading, err error) {
	candidates := r.Candidates
	if no := (*Undecided)(nil); errors.As(err, &no) {
		fmt.Fprintf(b, "    no: %v; %s\n", err, no.Try)
		candidates = no.Candidates
	} else {
		fmt.Fprintf(b, "    %s %q: %d of a %s, %.3g ms, mean %.3g", r.Form, r.What, r.Steps, r.Unit, r.TimeMS, r.MeanMS)
		if r.Samples > 0 {
			fmt.Fprintf(b, ", %d samples in each", r.Samples)
		}
		if r.Epochs > 0 || r.Of > 0 {
			fmt.Fprintf(b, ", %d epochs of %d", r.Epochs, r.Of)
		}
		fmt.Fprintf(b, "; from %q\n", plain([]byte(r.Example)))
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(b, "    left out: %s, %d, %.2f s\n", l.What, l.Count, l.S)
	}
	for _, c := range candidates {
		fmt.Fprintf(b, "    candidate: %s %q %.3g ms, %.0f %% of the time", c.Form, c.What, c.TimeMS, 100*c.Share)
		if c.Pattern != "" {
			fmt.Fprintf(b, ", by %s", c.Pattern)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "    %d lines, %d of them strange, the last %q\n", d.Lines(), d.Strange(), d.tails)
}

// handed is what the steps of a running program come to, as they are handed on: from the choice or from its start.
func handed(pieces []piece, o Options) string {
	d := New(o)
	var steps, pauses, epochs, next int
	var took time.Duration
	var usual float64
	for i, p := range pieces {
		play(d, pieces[i:i+1])
		if _, _, err := d.Choose(p.at); err != nil {
			return fmt.Sprintf("stopped: %v", err)
		}
		for _, s := range d.Take(i+1 == len(pieces)) {
			epochs, next = max(epochs, s.Epoch), s.First+s.N
			if s.Pause {
				pauses++
				took += time.Duration(s.TimeMS * float64(time.Millisecond))
				continue
			}
			steps, usual = steps+s.N, s.TimeMS
		}
	}
	if steps == 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%d steps, the last of %.3g ms, %d pauses of %.2f s, last epoch %d, next step %d", steps, usual,
		pauses, took.Seconds(), epochs, next)
	if err := d.Overtaken(); err != nil {
		text += "; " + err.Error()
	}
	return text
}

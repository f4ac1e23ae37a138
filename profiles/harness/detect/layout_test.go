package detect

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// layouts are the parts of lines that people write by hand: a beginning, the name of the count, the count after its
// sign, separators of fields, further fields, the place of the count, and the units of a line. {a} is a loss, {r} the
// rate, {t} the time, {e} the epoch, {m} and {s} the clock; ~ is replaced by the sign.
var layouts = [][]string{
	strings.Split(";2026-11-30 12:{m}:{s},417 INFO ;[12:{m}:{s}] ;I1130 12:{m}:{s}.417 42 train.py:88] ;INFO:root:;"+
		"[rank0] ;Epoch {e}/9 ;[epoch {e}] ", ";"),
	strings.Split("frame;step;Iteration;n_iter;i;Batch idx;processed;Frame No.;Total images;samples seen", ";"),
	{" {n}", ": {n}", "={n}", " = {n}", " #{n}", ":{n}", "[{n}]", "({n})"},
	{" ", ", ", " | ", "  ", " - ", "; ", " ▸ "},
	strings.Split("loss~{a};loss~{a},fps~{r};fps~{r};FPS~{r},latency~{t} ms;loss~{a},time~{t} ms;loss~{a},ms~{t};"+
		"loss~{a},speed~{r} it/s;loss~{a},it/s~{r};epoch~{e},loss~{a};objects~3,fps~{r};{r} fps;{t} ms,{r} fps;"+
		"loss~{a},{r} it/s;mem~3 MB,{r} FPS;temp~3 C,power~{a} W", ";"),
	{"first", "last"},
	{"1", "10"},
}

// TestReadOfAPlainLineIsThatOfItsCount draws layouts. Which word names a number and which is its unit follows from the
// whole row.
func TestReadOfAPlainLineIsThatOfItsCount(t *testing.T) {
	t.Parallel()
	all, stride := 1, 2003 // a prime that does not divide the number of layouts
	for _, parts := range layouts {
		all *= len(parts)
	}
	if os.Getenv("JTUNE_LONG") != "" {
		stride = 17
	}
	for n := 0; n < all; n += stride {
		var part []string
		at := n
		for _, parts := range layouts {
			part, at = append(part, parts[at%len(parts)]), at/len(parts)
		}
		list := append([]string{part[1] + part[2]}, strings.Split(part[4], ",")...)
		if part[5] == "last" {
			list = append(list[1:], list[0])
		}
		before := strings.Trim(strings.ReplaceAll(part[2], "{n}", ""), "#[]()")
		if before == "" {
			before = " "
		}
		line := part[0] + strings.ReplaceAll(strings.Join(list, part[3]), "~", before)
		readLayout(t, line, map[string]int{"1": 1, "10": 10}[part[6]])
	}
}

// readLayout reads a job of 40 ms a unit that prints such lines.
func readLayout(t *testing.T, line string, each int) {
	t.Helper()
	j := &job{now: time.Hour}
	for i := each; i <= 240; i += each {
		ms := 40 * (1 + 0.04*float64(i/each%5-2))
		j.wait(time.Duration(float64(each) * ms * 1e6))
		s := int(j.now.Seconds())
		j.print("%s\n", strings.NewReplacer("{n}", fmt.Sprint(i), "{a}", fmt.Sprintf("%.3f", 2.3/math.Sqrt(float64(i))),
			"{r}", fmt.Sprintf("%.1f", 1000/ms), "{t}", fmt.Sprintf("%.1f", ms), "{e}", fmt.Sprint(1+i/60),
			"{m}", fmt.Sprintf("%02d", s/60%60), "{s}", fmt.Sprintf("%02d", s%60)).Replace(line))
	}
	d := New(Options{Batch: 1})
	play(d, j.out)
	if got, err := d.Read(); err != nil || math.Abs(got.TimeMS/40-1) > 0.03 {
		t.Errorf("%q: %.4g ms a %s of %q, want 40; %v", line, got.TimeMS, got.Unit, got.What, err)
	}
}

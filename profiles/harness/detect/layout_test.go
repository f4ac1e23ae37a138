package detect

import (
	"fmt"
	"math"
	"os"
	"slices"
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

// A job whose every fourth step waits keeps its period where a busy board reads two lines at once now and then.
func TestReadKeepsThePeriodOfLinesReadTogether(t *testing.T) {
	t.Parallel()
	j, held := &job{now: time.Hour}, ""
	for i := range 202 {
		j.wait(time.Duration([]int{5, 5, 5, 195}[i%4]) * time.Millisecond)
		if held += fmt.Sprintf("step %d\n", i+1); i%11 != 5 {
			j.print("%s", held)
			held = ""
		}
	}
	d := New(Options{})
	play(d, j.out)
	r, err := d.Read()
	if err != nil || math.Abs(r.TimeMS/52.5-1) > 0.01 || r.ErrorMS > 0.01*r.TimeMS ||
		r.Why != "every 4th minibatch takes 195 ms" {
		t.Errorf("%.4g ± %.3g ms, %q, %v", r.TimeMS, r.ErrorMS, r.Why, err)
	}
}

// A search chooses early and counts from then on; a run to the end reads all. Both tell the same quantity, or one of
// them refuses.
func TestReadOfASearchAndOfARunAreTheSame(t *testing.T) {
	t.Parallel()
	for _, f := range slices.Concat(formats, tutorials, programs, strangers) {
		if f.name == "an evaluation that counts as the training does" { // known only when the training continues
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			j := &job{now: time.Hour}
			f.run(j)
			search, run := New(Options{Batch: 16}), New(Options{Batch: 16})
			searched, ran := player{search, map[int]string{}}, player{run, map[int]string{}}
			var early Reading
			var took, units float64
			watched := time.Duration(0)
			for _, p := range j.out {
				searched.piece(p)
				ran.piece(p)
				if r, chosen, err := search.Choose(p.at); err != nil {
					return
				} else if chosen {
					early, watched = r, p.at
				}
				if p.at-watched > 5*time.Second && search.Chosen() {
					if _, now, yes := search.Overtaken(); yes {
						early, took, units = now, 0, 0
					}
					watched = p.at
				}
				for _, s := range search.Take(false) {
					if !s.Pause {
						took, units = took+float64(s.N)*s.TimeMS, units+float64(s.N)
					}
				}
			}
			ran.end()
			last, err := run.Read()
			if early.Unit == "" || err != nil || last.Summary || took < 5000 {
				return
			}
			if ms := took / units; early.Unit != last.Unit || math.Abs(ms/last.TimeMS-1) > 0.07 {
				t.Errorf("a search takes %s %q, %.4g ms a %s; a run %s %q, %.4g ms a %s", early.Form, early.What, ms,
					early.Unit, last.Form, last.What, last.TimeMS, last.Unit)
			}
		})
	}
}

// A program whose lines only say step counts what the user says that a step is; its rates keep their unit.
func TestReadCallsAStepWhatTheUserDoes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"step {n} done\n": Frame, "frame {n} done\n": Frame,
		"loss 2.3, 20.0 img/s\n": Sample} {
		j := &job{now: time.Hour}
		lines(10, text)(j)
		d := New(Options{Step: Frame})
		play(d, j.out)
		if got, err := d.Read(); err != nil || got.Unit != want {
			t.Errorf("%q: %s, %v", text, got.Unit, err)
		}
	}
}

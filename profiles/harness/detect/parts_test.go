package detect

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plain drops colours, cursor moves and control characters, and gives nothing of binary text.
func TestPlainDropsWhatDrawsALine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m":      "red",
		"a\x1b[2K\x1b[1;5Hb":      "ab",
		"a\x1bMb":                 "ab",
		"a\x1b":                   "a",
		"a\x1b[":                  "a",
		"a\x1b[12;":               "a",
		"\x1b[@x":                 "x",
		"\x1b[~y":                 "y",
		"  a\tb\b \x7f":           "a b",
		"bin\x00ary":              "",
		"\xff\xfe":                "",
		strings.Repeat("é", 2000): strings.Repeat("é", mostText/2),
		strings.Repeat("x", 2049): strings.Repeat("x", mostText),
		strings.Repeat("x", 2048): strings.Repeat("x", mostText),
	} {
		if got := plain([]byte(text)); got != want {
			t.Errorf("%.20q: got %.20q of %d bytes, want %.20q", text, got, len(got), want)
		}
	}
}

// Long lines are known by their ends.
func TestTemplateAndWordsLookAtTheEndOfALongText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("q ", 200)
	if a, b := template("first "+long+"9"), template("second "+long+"8"); a != b || len(a) > 200 {
		t.Errorf("two long lines of a kind: %d and %d bytes", len(a), len(b))
	}
	if got := words(long+"step batch", 200); len(got) > 81 || got[len(got)-1] != "batch" {
		t.Errorf("%d words of a long text", len(got))
	}
}

func TestRatioIsACountAndItsEnd(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"3/450": 450, "3 / 450": 450, "3 of 450": 450, "3 out of 450": 450, "3/?": 0, "3 /Unknown": 0, "450/450": 450,
		"451/450": 450, "452/450": -1, "3/1": -1, "0/2": 2, "3/4.5": -1, "3/450it": 450, "3/450ms": -1, "3/450/7": -1,
		"3/450_x": -1, "3-450": -1, "3": -1, "3/450.": 450, "3/1000000000000": 1e12, "3/1000000000001": -1,
	} {
		if got, _ := ratio(line, numbers(line), 0); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
	for _, line := range []string{"/3/450", "a/3/450", ".3/450"} {
		if got, _ := ratio(line, numbers(line), 0); got != -1 {
			t.Errorf("%q: %d", line, got)
		}
	}
}

func TestBracketedIsAnEpochAndAStep(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"[1,  2000] loss: 2.3": true, "[1, 2000] Loss 2.3": true, "[1, 2000] acc: 2.3": false, "(1, 2000) loss": false,
		"[1.5, 2000] loss": false, "[1, 20.5] loss": false, "[1; 2000] loss": false, "[1, 2000 loss": false,
		"[1] loss": false, "x[1, 2000] loss": false, "[ 1, 2000] loss": false,
	} {
		if got := bracketed(line, numbers(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// The words of a name say whether it is the job, its validation or what comes before.
func TestPolarityJudgesByWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"train": forJob, "epoch 3": forJob, "val": aside, "train val": aside, "val train": aside,
		"loading train": before, "train loading": before, "processing": unknown, "": unknown,
	} {
		if got := polarity(words(name, 40)); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

func TestDescribeKeepsTheEndOfALongName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		" Epoch [": "Epoch", "loss = ": "loss", strings.Repeat("x", 40): strings.Repeat("x", 40),
		"ab" + strings.Repeat("é", 39): "…" + strings.Repeat("é", 39),
	} {
		if got := describe(found{}, name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// The expression by which a user can choose what was read finds its count.
func TestPatternChoosesACandidate(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]candidate{
		`train\W+(?P<batch>\d+)`:        {what: "train"},
		`train.*?\b(?P<batch>\d+)/60\b`: {what: "my train", of: 60},
		`(?P<batch>\d+)/60\b`:           {what: "x 1", of: 60},
		`Batch\W+\d+/(?P<batch>\d+)`:    {what: "Batch", second: true},
		`az\W+(?P<batch>\d+)`:           {what: "q az 9"},
		`AZ\W+(?P<batch>\d+)`:           {what: "AZ"},
	} {
		if got := c.pattern(); got != want {
			t.Errorf("%+v: %q, want %q", c.what, got, want)
		}
	}
	for _, c := range []candidate{{what: "train", stated: true}, {what: "train", known: true}, {what: "t", form: "csv"},
		{what: "a"}} {
		if got := c.pattern(); got != "" {
			t.Errorf("%+v has the expression %q", c, got)
		}
	}
}

// The quantile of the times of units, each span counting as often as it has units.
func TestWeightedCountsEachUnit(t *testing.T) {
	t.Parallel()
	list := []span{{n: 1, ms: 30}, {n: 8, ms: 10}, {n: 1, ms: 20}}
	for q, want := range map[float64]float64{0.5: 10, 0.79: 10, 0.8: 15, 0.85: 20, 0.9: 25, 0.95: 30} {
		if got := weighted(list, q); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g: %g, want %g", q, got, want)
		}
	}
	if weighted(nil, 0.5) != 0 {
		t.Error("a quantile of nothing")
	}
	// Many units in most spans: the faster ones count, as a slow one may hold a pause.
	many := []span{{n: 5, ms: 10}, {n: 5, ms: 20}, {n: 5, ms: 30}}
	few := []span{{n: 1, ms: 10}, {n: 1, ms: 20}, {n: 1, ms: 30}}
	if reference(many) != 10 || reference(few) != 20 {
		t.Errorf("the usual times are %g and %g", reference(many), reference(few))
	}
}

// Lines that came late and then together are one span, where there are many of them.
func TestGroupedJoinsWhatCameTogether(t *testing.T) {
	t.Parallel()
	var late []span
	at := time.Duration(0)
	for range 10 {
		for _, ms := range []float64{95, 5} {
			at += time.Duration(ms * float64(time.Millisecond))
			late = append(late, span{n: 1, ms: ms, d: time.Duration(ms * float64(time.Millisecond)), end: at})
		}
	}
	got := grouped(late, 50)
	if len(got) != 2 || got[0].n != 10 || math.Abs(got[0].ms-50) > 1e-9 {
		t.Errorf("%d spans, the first of %g units of %g ms", len(got), got[0].n, got[0].ms)
	}
	even := []span{{n: 1, ms: 50}, {n: 1, ms: 50}, {n: 1, ms: 12.5}}
	if got := grouped(even, 50); len(got) != 3 {
		t.Errorf("a quarter of the mean is not far too short: %d spans", len(got))
	}
}

// Bars that look the same and take turns at two speeds are two kinds of work.
func TestTwoSpeedsFindsBarsThatTakeTurns(t *testing.T) {
	t.Parallel()
	runs := func(times ...float64) (out []span) {
		for run, ms := range times {
			for i := range 20 {
				out = append(out, span{n: 1, ms: ms * (1 + 0.01*float64(i%3)), run: run})
			}
		}
		return out
	}
	if two := twoSpeeds(runs(50, 20, 50, 20)); math.Abs(two[0]-20) > 0.5 || math.Abs(two[1]-50) > 0.5 {
		t.Errorf("50 and 20 ms by turns: %v", two)
	}
	if two := twoSpeeds(runs(50, 20, 50)); two[0] == 0 {
		t.Errorf("three runs: %v", two)
	}
	for name, list := range map[string][]span{"one speed": runs(50, 50, 50, 50), "a slow half": runs(20, 20, 50, 50),
		"two runs": runs(50, 20), "a little slower": runs(50, 45, 50, 45), "rarely": runs(50, 50, 50, 50, 50, 20)} {
		if two := twoSpeeds(list); two[0] != 0 {
			t.Errorf("%s: %v", name, two)
		}
	}
}

// A pause is longer than ten usual steps; of the last step of a bar, than three.
func TestHoldsPauseByTheUsualStep(t *testing.T) {
	t.Parallel()
	of := func(n int, ms float64, done int) span {
		return span{n: float64(n), d: time.Duration(ms * float64(time.Millisecond)), ms: ms / float64(n), done: done}
	}
	plain, bar := &candidate{}, &candidate{of: 60}
	told := &candidate{stated: true}
	for _, c := range []struct {
		c    *candidate
		s    span
		want bool
	}{
		{plain, of(1, 100, 5), false}, {plain, of(1, 101, 5), true}, {plain, of(2, 120, 5), false},
		{plain, of(2, 121, 5), true}, {plain, of(3, 131, 5), true}, {plain, of(3, 129, 5), false},
		{bar, of(1, 31, 60), true}, {bar, of(1, 30, 60), false}, {bar, of(1, 31, 59), false},
		{bar, of(2, 61, 60), true}, {bar, of(3, 95, 60), false},
		{told, of(1, 101, 5), true}, {told, of(1, 99, 5), false},
	} {
		if got := c.c.holdsPause(c.s, 10, 3); got != c.want {
			t.Errorf("%g steps in %v, number %d: %v", c.s.n, c.s.d, c.s.done, got)
		}
	}
}

// Lines that a pipe delivers together are one count: the later one follows within a millisecond, and within a fifth of
// the usual step.
func TestBurstIsACountThatFollowsAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ms   float64 // of a step
		d    time.Duration
		run  int
		at   time.Duration
		want bool
	}{
		{10, 999 * time.Microsecond, 1, time.Second, true}, {10, time.Millisecond, 1, time.Second, false},
		{2.5, 499 * time.Microsecond, 1, time.Second, true}, {2.5, 500 * time.Microsecond, 1, time.Second, false},
		{10, 0, 2, time.Second, false}, {10, 0, 1, 2 * time.Second, false},
	} {
		of := &candidate{run: c.run, at: c.at}
		if got := of.burst(span{ms: c.ms, run: 1, end: time.Second}, c.d); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestTellTakesTimesOfStepsAlone(t *testing.T) {
	t.Parallel()
	for ms, want := range map[float64]int{1e-9: 1, 1e9: 1, 1.1e9: 0, 0: 0, -5: 0, math.Inf(1): 0} {
		var c candidate
		if c.tell(ms, 1, time.Second); c.lines != want {
			t.Errorf("%g ms: %d lines, want %d", ms, c.lines, want)
		}
	}
}

// A counter is outer to one that advances within its steps: three times as often and for more than half of the time, in
// each of them from the beginning, or as steps of its epochs.
func TestOuterHasAnotherCounterWithinItsSteps(t *testing.T) {
	t.Parallel()
	every := func(n int, d time.Duration) (list []span) {
		for i := range n {
			list = append(list, span{n: 1, d: d, end: time.Duration(i+1) * d})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		inner  []span
		renews int
		unit   string
		known  bool
		want   bool
	}{
		{"three in each", every(6, 3*time.Second), 0, Step, false, true},
		{"five in two", every(5, 4*time.Second), 0, Step, false, false},
		{"in half of the time", every(10, time.Second), 0, Step, false, false},
		{"in more than half of the time", every(11, time.Second), 0, Step, false, true},
		{"more often, in a format that is known", every(11, time.Second), 0, Step, true, false},
		{"from the beginning in a quarter of the time", every(5, time.Second), 2, Step, false, false},
		{"from the beginning in more", every(6, time.Second), 2, Step, false, true},
		{"from the beginning in one", every(6, time.Second), 1, Step, false, false},
		{"in a quarter of its epochs", every(5, time.Second), 0, Epoch, true, false},
		{"in more of its epochs", every(6, time.Second), 0, Epoch, true, true},
	} {
		outer := &candidate{spans: every(2, 10*time.Second), renews: c.renews, unit: c.unit, known: c.known}
		r := rival{candidate: outer, measured: measured{time: 20 * time.Second}}
		n := len(c.inner)
		o := rival{candidate: &candidate{spans: c.inner, unit: Step},
			measured: measured{steps: float64(n), time: c.inner[n-1].end}}
		if got := r.outer([]rival{r, o}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		o.steps = least - 1
		if r.outer([]rival{r, o}) {
			t.Errorf("%s: of two steps", c.name)
		}
	}
}

func TestEpochFrom0CountsFromZero(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fromZero           bool
		printed, run, want int
	}{{false, 0, 4, 4}, {false, 1, 4, 0}, {false, 3, 4, 2}, {true, 3, 4, 3}, {true, 0, 0, 0}} {
		if got := (&Detector{fromZero: c.fromZero}).epochFrom0(c.printed, c.run); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// The rates of numbered streams add up; other lines have none.
func TestStreamsAddUpNumberedRates(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]float64{
		"cam0: 20.0 fps, cam1: 19.0 fps":         39,
		"cam 0 fps: 20.0, cam 1 fps: 5.0":        25,
		"cam0: 20.0 fps":                         0,
		"cam0: 20.0 fps, cam0: 19.0 fps":         0,
		"cam0: 20.0 fps, lens1: 19.0 fps":        0,
		"cam0.5: 20.0 fps, cam1: 19.0 fps":       0,
		"cam0 is 20.0 fps, cam1 is 19.0 fps":     0,
		"0: 20.0 fps, 1: 19.0 fps":               0,
		"cam0: 20.0 it/s, cam1: 19.0 it/s":       0,
		"cam2: 1.0 fps, cam5: 2 fps, cam9: 3fps": 6,
	} {
		nums := numbers(line)
		if got := streams(line, nums, times(line, nums, make([]bool, len(nums)))); got != want {
			t.Errorf("%q: %g, want %g", line, got, want)
		}
	}
}

// Two numbers are an epoch and a step where the second goes on alone, three times.
func TestPairedIsAStepBehindItsEpoch(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	var got []bool
	for _, p := range [][2]int{{3, 10}, {3, 20}, {3, 30}, {3, 40}, {4, 10}, {4, 20}} {
		got = append(got, d.paired("Batch ", p[0], p[1]))
	}
	if diff := cmp.Diff([]bool{false, false, false, true, true, true}, got); diff != "" {
		t.Errorf("epochs and steps (-want +got):\n%s", diff)
	}
	d = New(Options{})
	for i, p := range [][2]int{{3, 450}, {4, 450}, {4, 451}, {4, 452}, {4, 453}, {4, 454}} {
		if d.paired("Batch ", p[0], p[1]) {
			t.Errorf("a count and its length, line %d", i)
		}
	}
}

// Columns with commas: the steps count, from 0 too; what is no row is none.
func TestCSVRowsCountTheirSteps(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	if !d.csvHead("epoch,step,loss") || d.csvHead("epoch: 3, step: 4") || d.csvHead("step") || d.csvHead("loss,acc") ||
		d.csvHead("step,top 5") {
		t.Fatal("heads")
	}
	d.csv = strings.Split("epoch,step,loss", ",")
	for i, line := range []string{"0,0,2.3", "0,1,2.3", "0,2,", "1,3,2.1"} {
		if !d.csvRow(line, time.Duration(i)*time.Second) {
			t.Errorf("%q is no row", line)
		}
	}
	if len(d.all) != 1 || d.all[0].done != 3 || d.all[0].spans[1].epoch != 1 || !d.fromZero {
		t.Errorf("%+v", *d.all[0])
	}
	for _, line := range []string{"0,1", "x,1,2.3", "0,1,2,3", "a line"} {
		if d.csvRow(line, time.Minute) {
			t.Errorf("%q is a row", line)
		}
	}
	for _, line := range []string{"0,-1,2", "0,1.5,2", fmt.Sprintf("0,%g,2", 10*mostCount)} {
		was := d.all[0].done
		if d.csvRow(line, time.Minute); d.all[0].unit == Step && d.all[0].done != was {
			t.Errorf("%q counts", line)
		}
	}
}

// A message has three digits of a time, and whole milliseconds from a tenth of a second on.
func TestShortHasThreeDigits(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0.01234: "0.0123", 5: "5", 99.94: "99.9", 100: "100", 1234.6: "1235"} {
		if got := short(v); got != want {
			t.Errorf("%g: %q", v, got)
		}
	}
	if got := clip(strings.Repeat("é", 101)); got != strings.Repeat("é", 99)+"…" || clip("abc") != "abc" ||
		len([]rune(clip(strings.Repeat("é", 100)))) != 100 {
		t.Errorf("clipped: %q", got)
	}
}

// A detector counts from its first line, and looks at 4000 lines of a second.
func TestLineCountsFromTheFirst(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	if d.Since(time.Hour) != 0 {
		t.Error("time since no line")
	}
	d.Line([]byte("hello"), 10*time.Second, true)
	d.Line([]byte("hello again"), 15*time.Second, true)
	if got := d.Since(25 * time.Second); got != 15*time.Second || d.Lines() != 2 || d.Strange() != 2 || d.Begun() {
		t.Errorf("%v since the first of %d lines, %d strange", got, d.Lines(), d.Strange())
	}
	for i := range 2 * mostPerS {
		d.Line(fmt.Appendf(nil, "step %d", i), time.Minute, true)
	}
	if d.Lines() != 2+mostPerS {
		t.Errorf("%d lines of a second are looked at", d.Lines()-2)
	}
	if d.Line([]byte("step 9999"), time.Minute+time.Second, true); d.Lines() != 3+mostPerS {
		t.Errorf("the next second: %d lines", d.Lines())
	}
}

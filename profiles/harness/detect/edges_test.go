package detect

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// spansOf are spans of one unit, one after the other.
func spansOf(run int, ms ...float64) (out []span) {
	end := time.Duration(0)
	for _, v := range ms {
		d := time.Duration(v * float64(time.Millisecond))
		end += d
		out = append(out, span{n: 1, d: d, ms: v, end: end, run: run})
	}
	return out
}

func repeated(ms float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = ms
	}
	return out
}

// A rate that covers part of the time of its line is no time of a step; one of whole units, or of nearly all of it, is.
func TestPartialIsARateOfAPartOfItsLine(t *testing.T) {
	t.Parallel()
	for took, want := range map[float64]bool{8: true, 9.5: false, 10: false, 11: false, 12: true, 15.9: true, 16: false,
		17: false, 20: false} {
		r := rival{candidate: &candidate{stated: true}}
		for range 3 {
			r.spans = append(r.spans, span{n: 1, d: time.Duration(took * float64(time.Millisecond)), ms: 10})
		}
		if got := r.partial(); got != want {
			t.Errorf("10 ms in a line of %g ms: %v", took, got)
		}
		if r.spans = r.spans[:2]; r.partial() {
			t.Errorf("two lines of %g ms say enough", took)
		}
	}
}

// A rate that drifts one way by 3 % in nine of ten lines is an average since the start.
func TestAveragedDriftsOneWay(t *testing.T) {
	t.Parallel()
	ten := []float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 108.5} // nine up, one down
	nine := []float64{100, 101, 102, 103, 104, 105, 106, 107, 108, 107.5}     // eight of nine
	for name, c := range map[string]struct {
		ms   []float64
		want bool
	}{
		"nine of ten": {ten, true}, "eight of nine": {nine, false},
		"by 3 percent":    {[]float64{100, 100, 100, 100, 103}, false},
		"the first alone": {[]float64{104, 100, 100, 100, 100}, true},
		"the last alone":  {[]float64{100, 100, 100, 100, 104}, true},
		"four lines":      {[]float64{110, 108, 105, 100}, false},
	} {
		r := rival{candidate: &candidate{stated: true, spans: spansOf(0, c.ms...)}}
		if got := r.averaged(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if r.known = true; r.averaged() {
			t.Errorf("%s, in a known form", name)
		}
	}
}

// A number that goes up and down by steps of all sizes is no count; one that restarts once in a while is.
func TestErraticGoesUpAndDown(t *testing.T) {
	t.Parallel()
	of := func(run int, jumps ...float64) rival {
		r := rival{candidate: &candidate{run: run}}
		for _, n := range jumps {
			r.spans = append(r.spans, span{n: n})
		}
		return r
	}
	for name, c := range map[string]struct {
		r    rival
		want bool
	}{
		"restarts in every third":    {of(1, 1, 1, 100), false},
		"restarts in every second":   {of(1, 1, 100), true},
		"steps of up to five times":  {of(5, 1, 1, 5, 5), false},
		"steps of more":              {of(5, 1, 1, 5.1, 5.1), true},
		"never restarts":             {of(0, 1, 100, 1, 100), false},
		"steps of nearly equal size": {of(9, 2, 2, 3, 2), false},
	} {
		if got := c.r.erratic(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A time in fewer than a fifth of the lines is one of an epoch and contradicts no count.
func TestContradictsNotByATimeOfAnEpoch(t *testing.T) {
	t.Parallel()
	of := func(stated bool, n int, ms float64) rival {
		return rival{&candidate{unit: Step, stated: stated, spans: spansOf(0, repeated(ms, n)...)},
			measured{medianMS: ms}, 0.9}
	}
	d := New(Options{})
	for name, c := range map[string]struct {
		best, r rival
		want    bool
	}{
		"a fifth of the lines":              {of(false, 25, 50), of(true, 5, 80), false},
		"more":                              {of(false, 25, 50), of(true, 6, 80), true},
		"another count in a fifth of them":  {of(false, 25, 50), of(false, 5, 80), true},
		"two stated times":                  {of(true, 25, 50), of(true, 5, 80), true},
		"nearly the same time":              {of(false, 25, 50), of(false, 25, 54), false},
		"a tenth longer":                    {of(false, 25, 1), of(false, 25, 1.11), true},
		"a tenth shorter":                   {of(false, 25, 1.11), of(false, 25, 1), true},
		"a plain time beside one that says": {of(false, 25, 50), plainly(of(true, 25, 80)), false},
	} {
		if got := d.contradicts(c.best, c.r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func plainly(r rival) rival { r.plain = true; return r }

// A bar of samples advances by minibatches of 16 at least.
func TestAtOnceIsAMinibatchOfABarOfSamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bar   bool
		jumps int
		want  float64
	}{{true, 16, 16}, {true, 15, 1}, {true, 64, 64}, {false, 64, 1}} {
		if got := (&candidate{bar: c.bar, jumps: c.jumps}).atOnce(); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

// A counter whose numbers are whole minibatches counts samples.
func TestSamplesAreCountedByMinibatches(t *testing.T) {
	t.Parallel()
	three := spansOf(0, 1, 1, 1)
	for _, c := range []struct {
		c     candidate
		yes   bool
		batch int
	}{
		{candidate{unit: Sample}, true, 0},
		{candidate{unit: Step, of: 60000, jumps: 64, spans: three}, true, 0},
		{candidate{unit: Step, of: 60000, jumps: 640, spans: three}, true, 0},
		{candidate{unit: Step, of: 60000, jumps: 6400, values: 64, spans: three}, true, 64},
		{candidate{unit: Step, of: 60000, jumps: 6400, values: 8, spans: three}, true, 0},
		{candidate{unit: Step, of: 1, jumps: 64, spans: three}, true, 0},
		{candidate{unit: Step, jumps: 64, spans: three}, false, 0},
		{candidate{unit: Step, of: 60000, jumps: 64, spans: three[:2]}, false, 0},
		{candidate{unit: Step, of: 60000, jumps: 100, spans: three}, false, 0},
		{candidate{unit: Step, of: 60000, jumps: 8, spans: three}, false, 0},
		{candidate{unit: Step, of: 60000, jumps: 20, spans: three}, false, 0},
		{candidate{unit: Step, of: 60000, spans: three}, false, 0},
		{candidate{unit: Step, of: 60000, jumps: 64, labelled: true, spans: three}, false, 0},
	} {
		if yes, batch := c.c.samples(); yes != c.yes || batch != c.batch {
			t.Errorf("%s of %d by %d and %d: %v, %d", c.c.unit, c.c.of, c.c.jumps, c.c.values, yes, batch)
		}
	}
	d := New(Options{})
	for whole, want := range map[int]bool{8: true, 7: false} {
		r := rival{candidate: &candidate{}}
		for i := range 10 {
			n := 32.0
			if i >= whole {
				n = 33
			}
			r.spans = append(r.spans, span{n: n})
		}
		if got := d.fits(r, 16); got != want {
			t.Errorf("%d of 10 are whole minibatches: %v", whole, got)
		}
	}
	if d.fits(rival{candidate: &candidate{spans: []span{{n: 16}, {n: 16}, {n: 16}, {n: 5}}}}, 16) {
		t.Error("3 of 4 are whole minibatches")
	}
}

// The usual number of samples is taken where PyTorch's example prints samples and says no number.
func TestReadAssumesTheUsualMinibatch(t *testing.T) {
	t.Parallel()
	d := New(Options{Usual: 64})
	for i := range 30 {
		d.Line(fmt.Appendf(nil, "Train Epoch: 1 [%d/60000 (%d%%)]\tLoss: 0.5", 640*i, 640*i/600),
			time.Duration(i)*time.Second, true)
	}
	r, err := d.Read()
	if err != nil || r.Samples != 64 || !r.Assumed || math.Abs(r.TimeMS-100) > 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Two speeds need runs of three steps, a fifth of the steps in each, and a fifth more time.
func TestTwoSpeedsAtTheirBounds(t *testing.T) {
	t.Parallel()
	runs := func(n int, times ...float64) (out []span) {
		for run, ms := range times {
			out = append(out, spansOf(run, repeated(ms, n)...)...)
		}
		return out
	}
	for name, c := range map[string]struct {
		spans []span
		want  bool
	}{
		"the slowest is one of four":   {runs(20, 20, 50, 20, 20), true},
		"the slowest is one of five":   {runs(20, 20, 50, 20, 20, 20), true},
		"the slowest is one of six":    {runs(20, 20, 50, 20, 20, 20, 20), false},
		"the fastest is one of five":   {runs(20, 50, 20, 50, 50, 50), true},
		"the fastest is one of six":    {runs(20, 50, 20, 50, 50, 50, 50), false},
		"three steps each":             {runs(3, 20, 50, 20, 50), true},
		"two steps each":               {runs(2, 20, 50, 20, 50), false},
		"a fifth more time":            {runs(20, 10, 12, 10, 12), true},
		"less than a fifth more":       {runs(20, 10, 11.9, 10, 11.9), false},
		"three runs that lie apart":    {runs(20, 50, 20, 50), true},
		"three runs that do not":       {uneven(3), false},
		"four runs that do not either": {uneven(4), true},
	} {
		if two := twoSpeeds(c.spans); (two[0] > 0) != c.want || (two[1] > 0) != c.want {
			t.Errorf("%s: %v", name, two)
		}
	}
}

// uneven are runs of 20 and 50 ms by turns, of which the slow ones have many fast steps.
func uneven(n int) (out []span) {
	for run := range n {
		ms := append(repeated(20, 12), repeated(21, 8)...)
		if run%2 == 0 {
			ms = append(repeated(20, 8), repeated(50, 12)...)
		}
		out = append(out, spansOf(run, ms...)...)
	}
	return out
}

// A few units decide by the middle, many units by the faster ones.
func TestReferenceIsOfManyUnitsInMostSpans(t *testing.T) {
	t.Parallel()
	of := func(many int) (out []span) {
		for i, ms := range []float64{10, 20, 30, 40, 50} {
			n := 1.0
			if i < many {
				n = least
			}
			out = append(out, span{n: n, ms: ms})
		}
		return out
	}
	if got := reference(of(2)); got != 20 { // of 9 units the middle one
		t.Errorf("two spans of many units of five: %g", got)
	}
	if got := reference(of(4)); got != 20 { // of 13 units the one at 30 %
		t.Errorf("four spans of many units of five: %g", got)
	}
}

// A line that comes late ends a pause, which is no time of its step.
func TestMeasureOfStatedTimesLeavesPausesOut(t *testing.T) {
	t.Parallel()
	c := &candidate{stated: true, spans: spansOf(0, append(repeated(100, 10), 5000)...)}
	for i := range c.spans {
		c.spans[i].ms = 50
	}
	m := c.measure()
	if m.time != 1100*time.Millisecond || m.pauses != 1 || m.paused != 4900*time.Millisecond || m.medianMS != 50 ||
		m.kept != 11 {
		t.Errorf("%+v", m)
	}
}

// Spans with other work in them are left out where enough others remain.
func TestMeasureLeavesOutWhatIncludesOtherWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		clean, dirty int
		n            float64 // units of a clean span
		pauses       int
	}{
		"most are clean": {5, 2, 1, 2}, "a fifth is clean": {3, 12, 1, 12}, "fewer are": {3, 13, 1, 0},
		"two steps are": {2, 2, 1, 0}, "one span of three steps is, of six": {1, 5, 3, 0},
	} {
		k := &candidate{}
		for range c.clean {
			k.spans = append(k.spans, span{n: c.n, d: time.Duration(c.n) * 10 * time.Millisecond, ms: 10})
		}
		for range c.dirty {
			k.spans = append(k.spans, span{n: 1, d: 11 * time.Millisecond, ms: 11, dirty: true})
		}
		if m := k.measure(); m.pauses != c.pauses || m.kept != c.clean+c.dirty-c.pauses ||
			m.paused != time.Duration(c.pauses)*11*time.Millisecond {
			t.Errorf("%s: %d pauses of %v, %d kept", name, m.pauses, m.paused, m.kept)
		}
	}
}

// A line that arrives within a millisecond of the last one belongs to its span.
func TestCountJoinsWhatArrivesTogether(t *testing.T) {
	t.Parallel()
	c := &candidate{unit: Step, run: 1}
	for i, ms := range []float64{0, 100, 100.5, 200.5} {
		c.count(i+1, 0, time.Duration(ms*float64(time.Millisecond)), 0)
	}
	if len(c.spans) != 2 || c.spans[0].n != 2 || c.spans[0].ms != 50.25 || c.spans[0].done != 3 ||
		c.spans[1].ms != 100 {
		t.Errorf("%+v", c.spans)
	}
}

// A count that falls and then jumps beyond where it was lay between two counts of another: it was no restart.
func TestCountForgetsWhatLayBetweenTwoOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		counts []int
		spans  int
	}{
		"after one": {[]int{5, 1, 2, 20}, 0}, "after some": {[]int{5, 6, 7, 8, 1, 2, 3, 20}, 2},
	} {
		k := &candidate{unit: Step}
		for i, n := range c.counts {
			k.count(n, 0, time.Duration(i+1)*time.Second, 0)
		}
		if len(k.spans) != c.spans || k.run != 0 || k.done != 20 {
			t.Errorf("%s: %+v in run %d at %d", name, k.spans, k.run, k.done)
		}
	}
}

func TestTellCountsTheUnitsOfALine(t *testing.T) {
	t.Parallel()
	c := &candidate{stated: true}
	c.tell(100, 0, time.Second)
	c.tell(100, 0, 1240*time.Millisecond) // 2.4 units
	if c.done != 2 {                      // the first line has no time before it
		t.Errorf("%d units after two lines", c.done)
	}
	c.tell(100, 0, 1260*time.Millisecond)
	if c.done != 3 {
		t.Errorf("%d units after a fifth of one more", c.done)
	}
}

// Take hands on the steps of a long run before they are forgotten, and none twice.
func TestTakeGoesOnWhereSpansAreForgotten(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	n := mostSpans + 100
	for i := range n {
		d.OwnSteps(1, 10, time.Duration(i+1)*10*time.Millisecond, 0, i, false)
		if i == 50 || i == n-50 {
			d.Take(true)
		}
	}
	out := d.Take(true)
	if len(out) != 49 || out[0].First != n-49 || out[48].First != n-1 || len(d.ran) != window {
		t.Errorf("%d steps, %d recent times: %+v", len(out), len(d.ran), out[:min(len(out), 2)])
	}
}

// The number of candidates is bounded.
func TestFindStopsAtMostCandidates(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	for i := range mostCandidates + 10 {
		c := d.find(found{unit: Step, label: fmt.Sprint(i)})
		if (c != nil) != (i < mostCandidates) {
			t.Fatalf("candidate %d: %v", i, c)
		}
	}
	if c := New(Options{}).find(found{unit: Token, name: "Generating: "}); c.polarity != unknown {
		t.Errorf("generating tokens has polarity %d", c.polarity)
	}
	if c := New(Options{}).find(found{unit: Step, name: "Generating: "}); c.polarity != before {
		t.Errorf("generating something else has polarity %d", c.polarity)
	}
}

func TestBarUnitIsThatOfTheFirstRate(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]string{
		"": "", "/60000 [00:01<00:02, 19.9it/s]": Step, "[00:01, 1.2s/it]": Step, "20.5MB/s": "byte",
		"1.5KiB/s": "byte", "s/b": "byte", "12 tok/s]": Token, "12 TOK/S": Token, "3 img/s": Sample, "3/4": "",
		"x/y 3it/s": Step, "it/": "", "/s": "", "it/h": "", "zebra/s": "",
	} {
		if got := barUnit(rest); got != want {
			t.Errorf("%q: %q, want %q", rest, got, want)
		}
	}
}

// The label of a count stands directly before it.
func TestCounterHasItsOwnLabel(t *testing.T) {
	t.Parallel()
	of := func(line string, i int) *candidate {
		nums := numbers(line)
		return New(Options{}).counter(line, nums, i, make([]bool, len(nums)), false, true)
	}
	if c := of("step (3)5 x", 1); c != nil {
		t.Errorf("a number that adjoins another has the other's label: %+v", c)
	}
	if c := of("step (3) 5 x", 1); c == nil || c.unit != Step {
		t.Errorf("a number two places behind another: %+v", c)
	}
	if c := of("3/? x", 0); c == nil || c.of != 0 || c.unit != Step {
		t.Errorf("a count to an unknown end: %+v", c)
	}
	if c := of("19epoch:train:61-80batch: loss", 2); c == nil || c.form != "espnet" {
		t.Errorf("ESPnet's batches: %+v", c)
	}
	for _, line := range []string{"-80batch: x", "at 3 of 80batch: x", "3-80 batch"} {
		nums := numbers(line)
		if c := of(line, len(nums)-1); c != nil && c.form == "espnet" {
			t.Errorf("%q is taken for ESPnet's", line)
		}
	}
	for gap, want := range map[int]bool{15: true, 16: false} {
		if got := direct("step" + strings.Repeat(" ", gap)); got != want {
			t.Errorf("a label %d places before: %v", gap, got)
		}
	}
	for c, want := range map[byte]bool{'a': true, 'z': true, 'A': true, 'Z': true, '@': false, '[': false, '`': false,
		'{': false} {
		if letter(c) != want {
			t.Errorf("%q: %v", c, !want)
		}
	}
}

func TestScanLeavesOutBracesWithoutQuotes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{`{step: 3, loss: 2}`: 0, `{"step": 3, "loss": 2}`: 1, `x{step: 3}`: 1,
		`{'step': 3}`: 1} {
		d := New(Options{})
		if d.scan(line, 0, true); len(d.all) != want {
			t.Errorf("%q: %d candidates", line, len(d.all))
		}
	}
	if !bracketed("[1, 2000] loss: nan", numbers("[1, 2000] loss: nan")) {
		t.Error("an epoch and a step, and a loss that is none")
	}
}

func TestRatioOfABarWithDotsIsOfRich(t *testing.T) {
	t.Parallel()
	line := "Working 3/10 • 0:00:01 19.9it/s"
	if f := New(Options{}).ratioOf(line, numbers(line)[0], "", 10, true); f.form != "rich" {
		t.Errorf("%+v", f)
	}
}

// Two bars that advance by turns know of each other.
func TestNoteKeepsTheTwoThatMovedLast(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	a, b, c := &candidate{}, &candidate{}, &candidate{}
	d.note(a, nil, time.Second)
	d.note(b, nil, 2*time.Second)
	if d.movedBeside(b) != time.Second || d.movedBeside(a) != 2*time.Second {
		t.Errorf("beside the last %v, beside the one before %v", d.movedBeside(b), d.movedBeside(a))
	}
	d.note(c, []*candidate{b}, 3*time.Second)
	if len(d.moves) != 2 || d.moves[1].of != a {
		t.Errorf("%+v: b and c share a line", d.moves)
	}
}

func TestForgetDropsTheCountOfThatNameAlone(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	for _, c := range []candidate{{name: "Batch", of: 450}, {name: "Batch"}, {name: "other", of: 450}} {
		c.spans, c.counted = spansOf(0, 1), true
		d.all = append(d.all, &c)
	}
	d.forget("Batch")
	for i, want := range []bool{false, true, true} {
		if d.all[i].counted != want || (len(d.all[i].spans) > 0) != want {
			t.Errorf("candidate %d: counted %v", i, d.all[i].counted)
		}
	}
	d.chosen, d.all[0].counted = d.all[0], true
	if d.forget("Batch"); !d.all[0].counted {
		t.Error("what was chosen is forgotten")
	}
}

// A count with its end comes before a count, and that before a time.
func TestRankOfPrefersCounts(t *testing.T) {
	t.Parallel()
	for order := range 100 {
		end, count, time := rankOf(rival{candidate: &candidate{of: 9, order: order}}),
			rankOf(rival{candidate: &candidate{order: order}}),
			rankOf(rival{candidate: &candidate{stated: true, order: order}})
		if first := rankOf(rival{candidate: &candidate{}}); end <= first || end <= count || count <= time ||
			count <= rankOf(rival{candidate: &candidate{stated: true}}) || order > 0 && order < 90 && count >= first {
			t.Errorf("candidate %d: %g with an end, %g without, %g of a time", order, end, count, time)
		}
	}
}

// Fewer than three steps are too few; nothing at all is another reason.
func TestUndecidedSaysWhyThereIsNothing(t *testing.T) {
	t.Parallel()
	of := func(steps float64, kept, polarity int) []rival {
		return []rival{{&candidate{what: "x", polarity: polarity}, measured{steps: steps, kept: kept}, 1}}
	}
	d := New(Options{})
	if no := d.nothing(nil); no.Why != "it printed nothing" {
		t.Errorf("no line: %q", no.Why)
	}
	d.Line([]byte("hello"), 0, true)
	if no := d.nothing(nil); !strings.Contains(no.Why, "none of its 1 lines") {
		t.Errorf("one line: %q", no.Why)
	}
	for name, c := range map[string]struct {
		field []rival
		few   bool
	}{
		"two steps": {of(2, 2, unknown), true}, "three in one span": {of(3, 1, unknown), true},
		"three in two": {of(3, 2, unknown), false}, "two of a validation": {of(2, 2, aside), false},
	} {
		if no := d.nothing(c.field); (no.Kind == Few) != c.few {
			t.Errorf("%s: %v, %q", name, no.Kind, no.Why)
		}
	}
}

func TestReportBeginsAndMeansOfEqualOnes(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	d.report("mnn", Inference, 10, 1)
	if !d.Begun() {
		t.Error("a report is no beginning")
	}
	d.report("mnn", Inference, 10.5, 1)
	if r, ok := d.ofReport(); !ok || r.MeanMS != 10.25 {
		t.Errorf("two like results: %+v, %v", r, ok)
	}
	d.report("mnn", Inference, 12, 1)
	if r, ok := d.ofReport(); !ok || math.Abs(r.MeanMS-32.5/3) > 1e-9 {
		t.Errorf("three results: %+v, %v", r, ok)
	}
	d = New(Options{})
	d.report("mnn", Inference, 10, 1)
	d.report("mnn", Inference, 12, 1)
	if r, ok := d.ofReport(); ok {
		t.Errorf("two results that differ: %+v", r)
	}
}

func TestValidatesIsALineAtTheEndOfAnEpoch(t *testing.T) {
	t.Parallel()
	line := "60/60 - 3s - 53ms/step - val_loss: 1.2"
	for _, c := range []struct {
		of, done int
		example  string
		want     bool
	}{{60, 60, line, true}, {1, 1, line, true}, {60, 59, line, false}, {0, 0, line, false}, {60, 60, "60/60 loss: 1.2", false}} {
		r := rival{candidate: &candidate{example: c.example, with: []*candidate{{of: c.of, done: c.done}}}}
		if got := r.validates(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
		if r.with[0].spans = spansOf(0, 1); r.validates() {
			t.Errorf("%+v, of a bar that is read", c)
		}
	}
}

// A count is listed as left out if it takes a tenth more or less time than the chosen one.
func TestLeftOutListsOtherTimes(t *testing.T) {
	t.Parallel()
	of := func(ms float64) rival {
		return rival{&candidate{unit: Step, what: "x", spans: spansOf(0, repeated(ms, 3)...)}, measured{steps: 3, medianMS: ms},
			0.1}
	}
	d := New(Options{})
	for _, c := range []struct {
		best, other float64
		listed      int
	}{{1, 1.1, 1}, {1.1, 1, 1}, {1, 1.09, 0}, {1.09, 1, 0}} {
		if got := d.leftOut(of(c.best), []rival{of(c.other)}); len(got) != c.listed {
			t.Errorf("%g ms beside %g ms: %+v", c.other, c.best, got)
		}
	}
}

func TestBatchInLooksAtTheWordsBefore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"val" + strings.Repeat("_", 9) + "batch_size=5":  0, // twelve places before
		"val" + strings.Repeat("_", 10) + "batch_size=5": 5,
		"batch_size=10485760":                            0, // its first digits would be allowed
		"batch_size=1048576x":                            1 << 20,
	} {
		if got := BatchIn(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// A second begins with its first line.
func TestLineBeginsASecond(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	d.Line([]byte("first"), 500*time.Millisecond, true)
	for range mostPerS {
		d.Line([]byte("more"), 600*time.Millisecond, true)
	}
	was := d.Lines()
	if d.Line([]byte("within"), 1450*time.Millisecond, true); d.Lines() != was {
		t.Errorf("%d lines of the first second", d.Lines())
	}
	if d.Line([]byte("after"), 1550*time.Millisecond, true); d.Lines() != was+1 {
		t.Errorf("%d lines after a second", d.Lines()-was)
	}
}

// The question's rate is not the answer's.
func TestToldMarksRatesOfTheQuestion(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"Prefill: 20 tok/s": aside, "PROMPT eval 20 tok/s": aside, "decode: 20 tok/s": unknown, "prefill 5; 20 tok/s": unknown,
		"prefill and decode: 20 tok/s": unknown,
	} {
		nums := numbers(line)
		d := New(Options{})
		list := d.told(line, nums, make([]bool, len(nums)), 0)
		if len(list) != 1 || list[0].polarity != want {
			t.Errorf("%q: %+v", line, list)
		}
	}
	line := "cam0: 20.0 fps, cam1: 19.0 fps"
	nums := numbers(line)
	if list := New(Options{}).told(line, nums, make([]bool, len(nums)), 0); len(list) != 1 || list[0].what != "all streams" {
		t.Errorf("the sum of the streams: %+v", list)
	}
	if got := afterUnit(" ms/step, rate: "); got != " rate: " {
		t.Errorf("what belongs to the second number: %q", got)
	}
	if unitAfter(" FPS").unit != Frame || unitAfter(" IT/S").unit != Step {
		t.Error("units in capitals")
	}
}

func TestNumbersAtTheEdgesOfTheirParts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]float64{"1,2x4": 1, "2e+12": 2e12, "3e-11": 3e-11, "4e+": 4, "5e-7": 5e-7} {
		if got := numbers(line)[0].v; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%q: %g", line, got)
		}
	}
	if n := numbers("5,a67")[0]; n.to != 1 {
		t.Errorf("a comma before a letter belongs to the number: %+v", n)
	}
	if text := strings.Repeat("é", 100); clip(text) != text {
		t.Error("100 letters are cut")
	}
}

func TestCSVHeadTakesNamesOfAnyCase(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"Step,TOP5": true, "STEP, ACC@1": true, "step,": false, "step," + strings.Repeat("x", 40): true,
		"step," + strings.Repeat("x", 41): false,
	} {
		if got := New(Options{}).csvHead(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	d := New(Options{})
	d.csvHead("epoch,round,loss")
	for i, line := range []string{"0,5,2", "1,7,2", "2,9,2", "3,11,2"} {
		d.csvRow(line, time.Duration(i)*time.Second)
	}
	if len(d.all) != 1 || d.all[0].name != "epoch" || d.all[0].done != 3 || d.all[0].spans[2].epoch != 0 {
		t.Errorf("the first column counts: %+v", d.all)
	}
}

// A choice holds until another count accounts for the time.
func TestOvertakenByAnotherCount(t *testing.T) {
	t.Parallel()
	d := New(Options{})
	if d.Overtaken() != nil {
		t.Error("overtaken before a choice")
	}
	now := time.Duration(0)
	count := func(format string, n int) {
		for i := range n {
			now += 100 * time.Millisecond
			d.Line(fmt.Appendf(nil, format, i), now, true)
			if _, _, err := d.Choose(now); err != nil {
				t.Fatal(err)
			}
		}
	}
	count("warm step %d", 150)
	if !d.Chosen() || d.Overtaken() != nil {
		t.Fatalf("chosen %v, %v", d.Chosen(), d.Overtaken())
	}
	count("train iter %d", 3000)
	if no := (*Undecided)(nil); !errors.As(d.Overtaken(), &no) || !strings.Contains(no.Why, "most of the time passes in") {
		t.Errorf("after 3000 others: %v", d.Overtaken())
	}
}

package dialog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// NewTune asks about the listed workloads.
func NewTune(read page.Reader) *Tune {
	last := read.Work().Choice
	d := &Tune{
		read:   read,
		kept:   map[search.Kind][]metric.Question{},
		typed:  widget.NewInput("", askedKeys, 60),
		listed: widget.NewInput("", "0123456789,", 30),
	}
	for i, k := range search.Kinds {
		if d.kept[k] = last.Goals(k); k == last.Kind {
			d.choice[fieldLimit] = i
		}
	}
	d.choice[fieldCoverage] = max(0, slices.Index(campaigns.Coverages(), last.Coverage))
	d.choice[fieldDepth] = max(0, slices.Index(optimize.Depths(), last.Depth))
	d.choice[fieldWorkload] = read.Work().First()
	names := []string{"workload", "limit", "coverage", "depth", "batch", "fresh", "strategy", "before"}
	d.Form = widget.Form{
		Keys:  read.Keys().FormKeys(),
		Title: tuneTitle,
		Verb:  "start",
		Width: 72,
		Note:  d.note,
		Walk:  fieldCoverage,
		At:    fieldLimit,
		Types: fieldLimit,
	}
	for i, name := range names {
		text := func() string { return d.text(i) }
		turn := func(by int) { d.turn(i, by) }
		more := i > fieldLimit && d.choice[i] == 0 && (i != fieldBatch || read.Work().Sizes == nil)
		d.Fields = append(d.Fields, widget.Field{Name: name, Text: text, Turn: turn, More: more})
	}
	d.clock = newClockQuestion(read, d.beside, watched, math.Inf(1))
	d.Fields = d.clock.ask(d.Fields)
	d.find = newFinder(read, "+", d.take)
	d.find.asks(&d.Fields[fieldWorkload])
	limit, batch := &d.Fields[fieldLimit], &d.Fields[fieldBatch]
	limit.Input, limit.Whole, limit.Step, limit.Wrong = d.typed, true, d.step, d.wrongLimit
	limit.Typed = d.unitTyped
	d.Fields[fieldStrategy].Wrong = d.wrongStrategy
	batch.Input, batch.Typed, batch.Wrong = d.listed, d.sizesTyped, d.wrongSizes
	d.pair = newTunePair(d)
	return d
}

// Within enters a limit such as 25 W; "" changes nothing.
func (d *Tune) Within(limit string) *Tune {
	switch {
	case limit == "":
	case d.pair.on():
		d.pair.limit.SetValue(limit)
		d.pair.settle()
	default:
		d.typed.SetValue(limit)
		d.unitTyped()
		d.settle()
	}
	return d
}

// take chooses the workload at an index of the list.
func (d *Tune) take(at int) {
	if d.choice[fieldWorkload] != at {
		d.choice[fieldWorkload] = at
		d.turn(fieldWorkload, 0)
	}
}

// turn steps through the choices of a field and resets the fields that no longer fit.
func (d *Tune) turn(field, by int) {
	d.settle()
	if field == fieldLimit {
		d.typed.SetValue("") // its unit has changed
	}
	if field == fieldWorkload || field == fieldBatch {
		d.listed.SetValue("")
	}
	if widget.Around(&d.choice[field], by, d.options(field)); field == fieldWorkload {
		d.choice[fieldBatch] = 0
	}
	if d.narrow() {
		d.choice[fieldCoverage] = 0
	}
	if field == fieldStrategy && d.binary() {
		d.choice[fieldCoverage] = 0
	}
}

// narrow reports whether the search answers its own question alone, not for the whole front.
func (d *Tune) narrow() bool {
	_, composed := d.composed()
	return composed || d.batches() != nil
}

func (d *Tune) options(field int) int {
	switch field {
	case fieldWorkload:
		return len(d.read.Workloads())
	case fieldLimit:
		return 3
	case fieldCoverage:
		if d.narrow() || d.binary() {
			return 1
		}
	case fieldBatch:
		return len(d.sizes())
	case fieldBefore:
		return len(measure.Baselines())
	}
	return 2
}

// batchText describes the batch sizes to choose from.
func (d *Tune) batchText() string {
	several := d.batches()
	switch {
	case d.listed.Value() != "":
		return d.listed.Render("_")
	case several != nil:
		return "choose among " + strings.Trim(fmt.Sprint(several), "[]")
	}
	own := d.sizes()[d.choice[fieldBatch]][0]
	switch why := d.fixedBatch(); {
	case own == 0 || d.read.Board().Replay != "":
		return "as measured"
	case why != "":
		return text.Count(own, "sample") + ": " + why
	}
	return text.Count(own, "sample") + ", the job's own"
}

func (d *Tune) text(field int) string {
	c := d.choice[field]
	switch field {
	case fieldWorkload:
		if c < len(d.read.Workloads()) {
			return workloadText(d.read.Workloads()[c])
		}
		return "none known"
	case fieldLimit:
		return d.limitText()
	case fieldBatch:
		return d.batchText()
	case fieldCoverage:
		return [...]string{d.limitCoverage(),
			fmt.Sprintf("whole front: about %d modes, for any limit", search.AboutFront)}[c]
	case fieldDepth:
		if d.binary() {
			return widget.Dash + " a binary search ends when one mode is left"
		}
		if d.asked().Coverage == campaigns.CoverFront {
			return widget.Dash + " the whole front has a design of its own"
		}
		return [...]string{"quick: until the expected gain is below 1 %",
			"thorough: until the expected gain is below 0.5 %"}[c]
	case fieldStrategy:
		return [...]string{"auto: a model says what to measure next",
			"binary: halves one clock after another, and shows each step"}[c]
	case fieldFresh:
		if d.binary() {
			return widget.Dash + " a binary search starts from nothing"
		}
		return [...]string{"no: starts from what is known of the workload here",
			"yes: starts from nothing"}[c]
	case fieldBefore:
		return [...]string{"yes: measures the mode the board is in now, and a preset",
			"present: measures the mode the board is in now", "no: the gain is not measured"}[c]
	}
	return ""
}

// limitCoverage describes how much is measured for the limits.
func (d *Tune) limitCoverage() string {
	list, _ := d.goals()
	n := len(list)
	which := "this limit"
	if n > 1 {
		which = fmt.Sprintf("these %d limits", n)
	}
	return fmt.Sprintf("%s: at most %d measurements", which, search.MostMeasured(d.request()))
}

// answers returns the filled-in values to save.
func (d *Tune) answers() search.Form {
	lines := map[search.Kind]string{}
	for k, list := range d.kept {
		lines[k] = metric.Line(list)
	}
	return search.Form{
		Workload: d.read.Workloads()[d.choice[fieldWorkload]].Name,
		Kind:     d.kind(),
		Limits:   lines,
		Depth:    d.asked().Depth,
		Coverage: d.asked().Coverage,
	}
}

// wrongStrategy returns why the strategy cannot answer the question, or "".
func (d *Tune) wrongStrategy() string {
	switch list, _ := d.goals(); {
	case !d.binary():
	case len(list) > 1:
		return "answers one limit"
	case d.kind() == search.LeastEnergy:
		return "needs a limit of power or time"
	case d.batches() != nil && d.kind() != search.WithinPower:
		return "over batch sizes it needs a power limit"
	}
	return ""
}

// asked returns how to search.
func (d *Tune) asked() record.Asked {
	c := d.choice
	return record.Asked{Coverage: campaigns.Coverages()[c[fieldCoverage]], Depth: optimize.Depths()[c[fieldDepth]],
		Fresh: c[fieldFresh] == 1, Strategy: optimize.Strategies()[c[fieldStrategy]],
		Baseline: measure.Baselines()[c[fieldBefore]]}
}

// request returns what the dialog requests.
func (d *Tune) request() measure.TuneRequest {
	list, _ := d.goals()
	r := measure.TuneRequest{Measuring: measure.Measuring{Workload: d.workload(), Batches: d.batches()},
		Question: list[0], Asked: d.asked()}
	for _, q := range list[1:] {
		r.More = append(r.More, q.Limit)
	}
	if _, ok := d.composed(); ok { // only the default search supports a load
		r.Coverage, r.Strategy = campaigns.CoverLimit, ""
	}
	return r
}

// Key handles a key; closed reports whether the dialog closes.
func (d *Tune) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	keys := d.read.Keys()
	leaves := keys.Enter.Matches(k) || keys.StartNow.Matches(k) || keys.FieldNext.Matches(k) ||
		keys.FieldPrev.Matches(k)
	if leaves && !d.Takes(k) {
		d.settle()
		d.pair.settle()
	}
	closed, start := d.Form.Key(k)
	if start {
		does = d.start()
	}
	return does, closed
}

// start starts the requested search and shows its campaign.
func (d *Tune) start() page.Intent {
	switch why := d.read.MayWrite(); {
	case why != "":
		return page.Say("tune: not now, " + why)
	case len(d.read.Workloads()) == 0:
		return page.Say("tune: no workload is known")
	case d.pair.on():
		return d.pair.start()
	}
	return page.All{
		page.Remember(d.answers()),
		page.Open(page.Profile),
		page.Start{Task: task.Tune(d.request()), Speed: d.clock.rate()},
	}
}

func (d *Tune) note(w int) []string {
	if why := d.above(); why != "" {
		return []string{why}
	}
	if d.pair.on() {
		return d.pair.notes(w)
	}
	starts := d.read.Keys().StartNow.Label() + " starts"
	out := []string{"measures a few modes, the best twice, then restores the board"}
	if d.asked().Coverage == campaigns.CoverFront {
		out[0] = "searches the whole Pareto front, measures the best mode again, then restores the board"
	}
	switch {
	case d.At == fieldBatch && d.fixedBatch() == "":
		out[0] = "other sizes restart the job, and may need more memory or train differently"
		if w >= 56 {
			out = append(out, "type sizes with commas, such as 8,16,32; "+starts)
		}
	case w >= 56 && d.At == fieldWorkload && d.workload().Infers():
		out = append(out, "type a name to find it; + adds a training job that shares the GPU")
	case w >= 56 && d.At == fieldWorkload:
		out = append(out, "type a name to find it; + adds an inference job that shares the GPU")
	case w >= 56 && d.workload().Infers():
		out = append(out, "type a limit, or one under a load ("+metric.Example+"); "+starts)
	case w >= 56:
		out = append(out, "type a limit, or several (20 25 30); "+starts)
	}
	return out
}

// Hints lists the keys that work now, with help before the back key.
func (d *Tune) Hints() []widget.Action { return withHelp(d.Form.Hints(), d.read.Keys().Help) }

// Numbers explains the questions, for the help.
func (d *Tune) Numbers() string {
	return "limit: the fastest mode within a power limit, the mode of least power within a time limit per " +
		"step, or the mode of least energy. Digits typed at any question replace the limit. You can type several " +
		"limits (20 25 30); one search answers all of them. For inference, 30 W, p99 50 ms, 30/s is a limit under " +
		"30 requests a second, 99 in 100 of them answered within 50 ms. coverage: what these limits need, or a " +
		"model of the whole Pareto front, for any limit. depth: the expected gain at which the search stops. " +
		"batch: other batch sizes to choose among. fresh: whether to start from what is known of the workload on " +
		"this board. strategy: auto, or the papers' binary search. before: what is measured to compare the answer " +
		"with. clock: of a virtual board, while it measures. The search does not start while a question is marked " +
		"with ✗. Workload, limits, coverage and depth are remembered for this board. To join a job that runs " +
		"already, use the settings on Train."
}

// Paste passes pasted text to the field that it fits: text at the workload field that names neither a workload nor a
// pair goes to the limit.
func (d *Tune) Paste(m tea.PasteMsg) {
	if d.At == fieldWorkload && !d.pair.on() {
		switch text := strings.TrimSpace(m.Content); {
		case strings.Contains(text, "+"):
			d.pair.name.SetValue(text)
			d.pair.named()
			return
		case findWorkload(d.read.Workloads(), text) < 0:
			d.At = d.Types
		}
	}
	d.Form.Paste(m)
}

package dialog

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/fields"
	"jtune/internal/text"
	"jtune/internal/usage"
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
		kept:   map[search.Kind]metric.Questions{},
		typed:  widget.NewInput("", askedKeys, 60),
		listed: widget.NewInput("", "0123456789,", 30),
	}
	for i, k := range search.Kinds {
		if d.kept[k] = last.Goals(k); k == last.Kind {
			d.form = i
		}
	}
	d.asked.Coverage, d.asked.Depth, d.job = last.Coverage, last.Depth, read.Work().First()
	d.Question = read.Question("tune", page.Form{
		Title: tuneTitle,
		Verb:  "start",
		Width: 72,
		Note:  d.note,
		Walk:  fieldMore,
		At:    fieldLimit,
		Types: fieldLimit,
		Fields: []page.Field{
			fieldWorkload: {Name: "workload", Text: func() string { return jobText(read, d.job) }, Turn: d.turnJob},
			fieldLimit: {Name: "limit", Text: d.limitText, Turn: d.turnLimit, Input: d.typed, Whole: true, Step: d.step,
				Wrong: d.wrongLimit, Typed: d.unitTyped},
		},
	}, d.start)
	for _, f := range fields.Of("search") {
		if f.Offered() != nil {
			d.Fields = append(d.Fields, d.choose(f))
		}
	}
	d.Fields = slices.Insert(d.Fields, fieldBatch, page.Field{Name: "batch", Empty: d.batchText, Turn: d.turnBatch,
		Input: d.listed, Typed: d.sizesTyped, Wrong: d.wrongSizes, More: read.Work().Sizes == nil})
	d.clock = newClockQuestion(read, d.beside, watched, math.Inf(1))
	d.Fields = d.clock.ask(d.Fields)
	d.find = newFinder(read, "+", d.take)
	d.find.asks(&d.Fields[fieldWorkload])
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
	if d.job != at {
		d.job = at
		d.turnJob(0)
	}
}

// choose asks for a value of the search's request. It is shown at first if it is not the usual one.
func (d *Tune) choose(f fields.Field) page.Field {
	q := page.Pick(f.Name, f, fields.Place(f.Name, &d.asked))
	text, turn := q.Text, q.Turn
	q.Text = func() string { return cmp.Or(d.says(f.Name), text()) }
	q.Turn = func(by int) { d.turned(func() { turn(by) }) }
	q.More = text() == f.Offered()[0].String()
	if f.Name == "strategy" {
		q.Wrong = d.wrongStrategy
	}
	return q
}

// says describes a field's value where it depends on others, or why it has no effect; "" elsewhere.
func (d *Tune) says(field string) string {
	front := d.asked.Coverage == campaigns.CoverFront
	switch {
	case field == "coverage" && !front:
		list, _ := d.goals()
		which := "this limit"
		if n := len(list.Limits); n > 1 {
			which = fmt.Sprintf("these %d limits", n)
		}
		return fmt.Sprintf("%s: at most %d measurements", which, search.MostMeasured(d.request()))
	case field == "depth" && d.binary():
		return widget.Dash + " a binary search ends when one mode is left"
	case field == "depth" && front:
		return widget.Dash + " the whole front has a design of its own"
	case field == "fresh" && d.binary():
		return widget.Dash + " a binary search starts from nothing"
	}
	return ""
}

// turned takes over what is typed, makes a change, and resets the coverage if it no longer fits.
func (d *Tune) turned(change func()) {
	d.settle()
	if change(); d.narrow() || d.binary() {
		d.asked.Coverage = campaigns.CoverLimit
	}
}

func (d *Tune) turnJob(by int) {
	d.turned(func() {
		d.listed.SetValue("")
		widget.Around(&d.job, by, len(d.read.Workloads()))
		d.size = 0
	})
}

func (d *Tune) turnLimit(by int) {
	d.turned(func() {
		d.typed.SetValue("") // its unit has changed
		widget.Around(&d.form, by, len(search.Kinds))
	})
}

func (d *Tune) turnBatch(by int) {
	d.turned(func() {
		d.listed.SetValue("")
		widget.Around(&d.size, by, len(d.sizes()))
	})
}

// narrow reports whether the search answers its own question alone, not for the whole front.
func (d *Tune) narrow() bool {
	return d.composed() || d.batches() != nil
}

// batchText describes the batch sizes to choose from.
func (d *Tune) batchText() string {
	of, several := "", d.batches()
	if d.pair.on() {
		of = "of the inference: "
	}
	if several != nil {
		return of + "choose among " + strings.Trim(fmt.Sprint(several), "[]")
	}
	own := d.sized()[0]
	switch why := d.fixedBatch(); {
	case own == 0 || d.read.Board().Replay != "":
		return "as measured"
	case why != "":
		return text.Count(own, "sample") + ": " + why
	}
	return of + text.Count(own, "sample") + ", the job's own"
}

// answers returns the filled-in values to save.
func (d *Tune) answers() search.Form {
	lines := map[search.Kind]string{}
	for k, list := range d.kept {
		lines[k] = list.String()
	}
	return search.Form{
		Workload: d.read.Workloads()[d.job].Name,
		Kind:     d.kind(),
		Limits:   lines,
		Depth:    d.asked.Depth,
		Coverage: d.asked.Coverage,
	}
}

// wrongStrategy returns why the strategy cannot answer the question, or "".
func (d *Tune) wrongStrategy() string {
	if why, wrong := errors.AsType[*usage.Error](search.Fault(d.request())); wrong {
		return page.Words(why.Why)
	}
	return ""
}

// request returns what the dialog requests.
func (d *Tune) request() measure.TuneRequest {
	list, _ := d.goals()
	r := measure.TuneRequest{Measuring: measure.Measuring{Workload: d.workload(), Batches: d.batches()},
		Questions: list, Asked: d.asked}
	if d.composed() { // only the default search supports a load
		r.Coverage, r.Strategy = campaigns.CoverLimit, ""
	}
	return r
}

// Acts lists what the keys do. Those that leave a field take over what is typed.
func (d *Tune) Acts() page.Acts {
	keys := d.read.Keys()
	settles := func(k tea.KeyPressMsg) bool {
		leaves := keys.Enter.Matches(k) || keys.StartNow.Matches(k) || keys.FieldNext.Matches(k) ||
			keys.FieldPrev.Matches(k)
		if leaves && !d.Takes(k) {
			d.settle()
			d.pair.settle()
		}
		return false
	}
	return append(page.Acts{page.In(settles, nil)}, d.Question.Acts()...)
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
	if d.asked.Coverage == campaigns.CoverFront {
		out[0] = "searches the whole Pareto front, measures the best mode again, then restores the board"
	}
	switch {
	case d.At == fieldBatch && d.fixedBatch() == "":
		out[0] = "other sizes restart the job, and may need more memory or train differently"
		if w >= 56 {
			out = append(out, "type sizes with commas, such as 8,16,32; "+starts)
		}
	case d.find.lost:
		return []string{d.read.Keys().OwnJob.Label() + " on Train takes a command of yours, and tunes it"}
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

package dialog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/fields"
	"jtune/internal/text"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// Campaign asks which modes to measure with which workload: how they are selected, how many, from which part of the
// space, with which batch sizes, and how often. It shows the resulting order before anything is measured.
type Campaign struct {
	page.Question
	read                           page.Reader
	job                            *jobQuestion
	selects                        int
	clock                          *clockQuestion
	count, filter, sizes, repeated *widget.Input
	planned                        measure.Planned // for the request in asked
	wrong                          error
	asked                          string
	known                          *measure.Expectation // for the workload and sizes in learned
	learned                        string
}

const (
	askWorkload = iota
	askSelection
	askCount
	askFilter
	askSizes
	askRepeats
)

// Selections of modes.
const (
	selectChosen = iota
	selectRandom
	selectGrid
	selectAll
)

// usualModes is the default number of modes to measure: enough for model errors of a few per cent.
const usualModes = 20

// NewCampaign asks about the listed workloads.
func NewCampaign(read page.Reader) *Campaign {
	digits := "0123456789"
	d := &Campaign{read: read, job: newJobQuestion(read), count: widget.NewInput("", digits, 6),
		filter: widget.NewInput("", "", widget.MostFilter),
		sizes:  widget.NewInput("", digits+",", 30), repeated: widget.NewInput("", digits, 3)}
	if read.Board().Replay == "" {
		d.sizes.SetValue(strings.ReplaceAll(text.JoinInts(read.Work().Sizes), " ", ","))
	}
	d.clock = newClockQuestion(read, func() bool { r, _ := d.request(); return r.Workload.Beside() }, math.Inf(1))
	list := []page.Field{
		askWorkload: d.job.field(),
		askSelection: {Name: "modes", Text: d.selectionText,
			Turn: func(by int) { widget.Around(&d.selects, by, selectAll+1) }},
		askCount: {Name: "how many", Text: d.countText, Turn: d.step(d.count, d.most), Input: d.count,
			Wrong: func() string { return wrongNumber(d.count, "modes") }},
		askFilter: {Name: "filter", Empty: d.filterText, Input: d.filter,
			Wrong: func() string { return d.wrongAt(askFilter) }},
		askSizes: {Name: "batch", Text: d.sizesText, Input: d.sizes,
			Wrong: func() string { return d.wrongAt(askSizes) }},
		askRepeats: {Name: "repeats", Text: d.repeatsText, Turn: d.step(d.repeated, d.times), Input: d.repeated,
			Wrong: func() string { return wrongNumber(d.repeated, "repeat") }},
	}
	d.Question = read.Question("campaign", page.Form{Title: "New campaign: measure modes of your choice",
		Verb: "start", Width: 76, Note: d.note, Walk: askFilter, At: askSelection, Types: askCount,
		Fields: d.clock.ask(list)}, d.start)
	return d
}

// step adds by to the number in an input.
func (d *Campaign) step(in *widget.Input, now func() int) func(by int) {
	return func(by int) { in.SetValue(strconv.Itoa(max(1, now()+by))) }
}

// typed returns the number in an input, or otherwise if it holds none.
func typed(in *widget.Input, otherwise int) int {
	if n, err := strconv.Atoi(in.Value()); err == nil {
		return n
	}
	return otherwise
}

// wrongNumber returns why the typed text is no number of a field, or "".
func wrongNumber(in *widget.Input, field string) string {
	if in.Value() == "" {
		return ""
	}
	return fields.In("profile", field).Wrong(in.Value())
}

// most returns how many modes are requested; 0: all of the selection.
func (d *Campaign) most() int {
	switch d.selects {
	case selectGrid:
		return typed(d.count, 0)
	case selectAll:
		return 0
	}
	return typed(d.count, usualModes)
}

func (d *Campaign) times() int { return typed(d.repeated, 1) }

// request returns what the dialog requests; wrong is what is wrong with the batch sizes, or "".
func (d *Campaign) request() (r measure.ProfileRequest, wrong string) {
	if d.job.at < len(d.read.Workloads()) {
		r.Workload = d.read.Workloads()[d.job.at]
	}
	if d.sizes.Value() != "" {
		r.Batches, wrong = batchSizes(d.sizes.Value(), d.read)
	}
	r.Filter, r.Repeats = d.filter.Value(), d.times()
	switch n := d.most(); d.selects {
	case selectChosen:
		r.Choose = n
	case selectRandom:
		r.Sample = n
	case selectGrid:
		r.Grid, r.Sample = true, n
	}
	return r, wrong
}

// plan returns what the answers select; it is computed once per request.
func (d *Campaign) plan() (measure.Planned, error) {
	r, wrong := d.request()
	asked := fmt.Sprint(r.Workload.Name, r.Batches, wrong, d.selects, d.most(), r.Filter, r.Repeats)
	if asked == d.asked {
		return d.planned, d.wrong
	}
	d.asked = asked
	switch fixed := d.read.Work().Fixed[r.Workload.Name]; {
	case wrong != "":
		d.planned, d.wrong = measure.Planned{}, errors.New(wrong)
	case r.Batches != nil && fixed != "":
		d.planned, d.wrong = measure.Planned{}, errors.New(fixed)
	case d.selects == selectAll && strings.TrimSpace(r.Filter) == "":
		d.planned, d.wrong = measure.Planned{}, errors.New("give one, such as cores>=8")
	default:
		d.planned, d.wrong = d.read.Session().Planned(r)
		d.planned = d.planned.Expecting(d.known)
	}
	return d.planned, d.wrong
}

// Learn looks up how long modes of the chosen workload take; nil if that is done already.
func (d *Campaign) Learn() page.Intent {
	r, wrong := d.request()
	of, on := fmt.Sprint(r.Workload.Name, r.Batches), d.read.Session()
	if of == d.learned || wrong != "" {
		return nil
	}
	d.known, d.learned = nil, of
	return page.Compute(func(ctx context.Context) tea.Msg {
		known := on.Expects(ctx, r.Measuring)
		return page.Then(func() page.Intent {
			if of == d.learned {
				d.known, d.asked = known, ""
			}
			return nil
		})
	})
}

// wrongAt returns why the answers select nothing, at the field where the user can fix it; "" at other fields.
func (d *Campaign) wrongAt(field int) string {
	_, err := d.plan()
	at := askFilter
	if d.sizes.Value() != "" {
		if _, wrong := d.request(); wrong != "" || d.selects == selectChosen {
			at = askSizes
		}
	}
	if err == nil || at != field || wrongNumber(d.count, "modes")+wrongNumber(d.repeated, "repeat") != "" {
		return ""
	}
	return page.Words(err.Error())
}

func (d *Campaign) selectionText() string {
	return [...]string{"one at a time, where least is known", "random", "grid: evenly spaced",
		"all that pass the filter"}[d.selects]
}

func (d *Campaign) countText() string {
	switch {
	case d.selects == selectAll && wrongNumber(d.count, "modes") == "", d.count.Value() == "" && d.most() == 0:
		return "all of them"
	case d.count.Value() != "":
		return d.count.Render("_")
	}
	return strconv.Itoa(d.most())
}

func (d *Campaign) filterText() string {
	if d.At != askFilter {
		return "none: all modes of the board"
	}
	return d.filter.Render("_")
}

func (d *Campaign) sizesText() string {
	switch {
	case d.sizes.Value() != "":
		return "each with " + d.sizes.Render("_")
	case d.job.at < len(d.read.Workloads()):
		return text.Count(d.read.Workloads()[d.job.at].Batch, "sample") + ", its own"
	}
	return "its own"
}

func (d *Campaign) repeatsText() string {
	if wrongNumber(d.repeated, "repeat") != "" {
		return d.repeated.Render("_")
	}
	if n := d.times(); n > 1 {
		return fmt.Sprintf("%d times each: all once, then all again", n)
	}
	return "once each"
}

// note summarizes what the answers select, and in which order.
func (d *Campaign) note(w int) []string {
	p, err := d.plan()
	if err != nil { // shown at its field
		return nil
	}
	out := []string{p.String()}
	if len(p.Order) > 0 {
		out = append(out, "order (↑ raises a clock): "+p.OrderText(d.read.ModeText, max(1, 2*w/24)))
	}
	return out
}

// Acts lists what the keys do.
func (d *Campaign) Acts() page.Acts { return d.Question.Acts().After(d.Learn) }

func (d *Campaign) start() page.Intent {
	r, _ := d.request()
	p, err := d.plan()
	switch why := d.read.MayWrite(); {
	case why != "":
		return page.Say("new campaign: not now, " + why)
	case len(d.read.Workloads()) == 0:
		return page.Say("new campaign: no workload is known")
	case err != nil:
		return page.Fail{What: "new campaign", Err: err}
	}
	return page.All{page.Open(page.Profile),
		page.Start{Task: task.Profile(r, p.Plan, nil), Speed: d.clock.rate()}}
}

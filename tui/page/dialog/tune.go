package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// Tune asks three things, each with a default that enter takes: which
// workload, which limit, which coverage. Three more need not be visited: which
// batch sizes to choose among, whether to start from nothing and, on a virtual
// board, how fast its clock runs.
type Tune struct {
	widget.Form
	read   page.Reader
	choice [6]int // option of each field
	powerW float64
	timeMS float64
	typed  *widget.Input // digits of the limit
	listed *widget.Input // digits and commas as batch sizes; empty: the option's
}

const (
	fieldWorkload = iota
	fieldLimit
	fieldCoverage
	fieldBatch
	fieldFresh
	fieldSpeed
)

// Kinds of limits, as the dialog orders them.
const (
	limitPower = iota
	limitTime
	limitEnergy
)

// NewTune asks about the workloads that are read.
func NewTune(read page.Reader) *Tune {
	d := &Tune{
		read:   read,
		powerW: session.DefaultPowerW(read.Presets()),
		timeMS: 100,
		typed:  widget.NewInput("", "0123456789.", 6),
		listed: widget.NewInput("", "0123456789,", 30),
	}
	if preferred, known := read.Work().Find(read.Work().Preferred); known {
		d.choice[fieldWorkload] = slices.IndexFunc(read.Workloads(), func(w workload.Workload) bool {
			return w.Name == preferred.Name
		})
	}
	names := []string{"workload", "limit", "coverage", "batch", "fresh", "clock"}
	if !read.Speed().OK {
		names = names[:fieldSpeed]
	}
	d.Form = widget.Form{
		Keys:  read.Keys().FormKeys(),
		Title: "Tune: find the best power mode",
		Verb:  "start",
		Width: 72,
		Note:  d.note,
		Walk:  fieldCoverage,
		Types: fieldLimit,
	}
	for i, name := range names {
		text := func() string { return d.text(i) }
		d.Fields = append(d.Fields, widget.Field{Name: name, Text: text, Turn: func(by int) {
			d.settle()
			if i == fieldLimit {
				d.typed.SetValue("") // of another unit
			}
			if i == fieldWorkload || i == fieldBatch {
				d.listed.SetValue("")
			}
			if widget.Around(&d.choice[i], by, d.options(i)); i == fieldWorkload {
				d.choice[fieldBatch] = 0
			}
			if d.batches() != nil {
				d.choice[fieldCoverage] = 0
			}
		}})
	}
	limit, batch := &d.Fields[fieldLimit], &d.Fields[fieldBatch]
	limit.Input, limit.Typed, limit.Step, limit.Wrong = d.typed, d.limitTyped, d.step, d.wrongLimit
	batch.Input, batch.Typed, batch.Wrong = d.listed, d.sizesTyped, d.wrongSizes
	return d
}

func (d *Tune) options(field int) int {
	switch field {
	case fieldWorkload:
		return len(d.read.Workloads())
	case fieldLimit:
		return 3
	case fieldCoverage:
		if d.batches() != nil {
			return 1
		}
	case fieldBatch:
		return len(d.sizes())
	}
	return 2
}

// sizes are the lists of batch sizes to choose from.
func (d *Tune) sizes() [][]int {
	own := 0
	if c := d.choice[fieldWorkload]; c < len(d.read.Workloads()) {
		own = d.read.Workloads()[c].Batch
	}
	replay := d.read.Board().Replay != ""
	return session.BatchChoices(own, d.read.Work().Sizes, replay, replay || d.fixedBatch() != "")
}

// fixedBatch says why the workload's batch size cannot be chosen, or "".
func (d *Tune) fixedBatch() string {
	if c := d.choice[fieldWorkload]; c < len(d.read.Workloads()) {
		return d.read.Work().Fixed[d.read.Workloads()[c].Name]
	}
	return ""
}

// batches are the sizes to choose among; nil for the workload's own.
func (d *Tune) batches() []int {
	list := d.sizes()[d.choice[fieldBatch]]
	if d.listed.Value() != "" {
		list, _ = d.listedSizes()
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// listedSizes are those that were typed, ascending, and why they are no answer, or "".
func (d *Tune) listedSizes() (list []int, wrong string) {
	for word := range strings.SplitSeq(d.listed.Value(), ",") {
		if word == "" { // the next one is to be typed
			continue
		}
		b, err := strconv.Atoi(word)
		switch {
		case err != nil || b < 1 || b > learn.MostBatch:
			wrong = fmt.Sprintf("%s is not 1 to %d", word, learn.MostBatch)
		case d.read.Board().Replay != "" && !slices.Contains(d.read.Work().Sizes, b):
			wrong = word + " was not measured"
		default:
			list = append(list, b)
		}
	}
	slices.Sort(list)
	if list = slices.Compact(list); wrong == "" && len(list) < 2 {
		wrong = "two sizes at least, with commas"
	}
	return list, wrong
}

// wrongSizes says why the sizes that were typed are no answer, or "".
func (d *Tune) wrongSizes() string {
	if d.listed.Value() == "" {
		return ""
	}
	_, wrong := d.listedSizes()
	return wrong
}

// wrongLimit says why what was typed is no limit, or "".
func (d *Tune) wrongLimit() string {
	if v, err := strconv.ParseFloat(d.typed.Value(), 64); d.typed.Value() != "" && (err != nil || v <= 0) {
		return "a number above 0"
	}
	return ""
}

// sizesTyped follows what was typed as batch sizes.
func (d *Tune) sizesTyped() {
	if all := d.sizes(); len(all) == 1 && len(all[0]) == 1 { // there is nothing to choose
		d.listed.SetValue("")
	}
	if d.batches() != nil {
		d.choice[fieldCoverage] = 0
	}
}

// batchText says which sizes are chosen among.
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
		return fmt.Sprintf("%d samples: %s", own, why)
	}
	return fmt.Sprintf("%d samples, its own", own)
}

func (d *Tune) text(field int) string {
	c := d.choice[field]
	switch field {
	case fieldWorkload:
		if c < len(d.read.Workloads()) {
			w := d.read.Workloads()[c]
			return fmt.Sprintf("%s  (%s, %s)", w.Name, w.Model, w.Dataset)
		}
		return "none known"
	case fieldLimit:
		return [...]string{
			fmt.Sprintf("fastest within %s W", d.value(d.powerW)) + d.perSample(", per sample", ""),
			fmt.Sprintf("least power within %s ms/minibatch", d.value(d.timeMS)),
			"least energy per " + d.perSample("sample", "minibatch")}[c]
	case fieldBatch:
		return d.batchText()
	case fieldCoverage:
		return [...]string{fmt.Sprintf("this limit: at most %d measurements", optimize.DefaultProbes),
			fmt.Sprintf("whole front: about %d modes, for any limit", session.FrontModes)}[c]
	case fieldFresh:
		return [...]string{"no: starts from what is known here of the workload",
			"yes: starts from nothing"}[c]
	}
	return [...]string{"max: seconds instead of minutes", "as it is: " + page.SpeedText(d.read.Speed().V)}[c]
}

// perSample is the first text where several batch sizes are chosen among,
// which compare by the sample.
func (d *Tune) perSample(sized, one string) string {
	if d.batches() != nil {
		return sized
	}
	return one
}

func (d *Tune) value(v float64) string {
	if d.typed.Value() != "" {
		return d.typed.Render("_")
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// number is the value that the present kind of limit holds; nil for energy.
func (d *Tune) number() *float64 {
	switch d.choice[fieldLimit] {
	case limitPower:
		return &d.powerW
	case limitTime:
		return &d.timeMS
	}
	return nil
}

// settle turns what was typed into the limit's value; what is none stays as it was typed.
func (d *Tune) settle() {
	if d.wrongLimit() != "" {
		return
	}
	if v, err := strconv.ParseFloat(d.typed.Value(), 64); err == nil && d.number() != nil {
		*d.number() = v
	}
	d.typed.SetValue("")
}

func (d *Tune) limit() optimize.Limit {
	switch d.choice[fieldLimit] {
	case limitPower:
		return optimize.Limit{PowerW: d.powerW}
	case limitTime:
		return optimize.Limit{TimeMS: d.timeMS}
	}
	return optimize.Limit{Energy: true}
}

// request is what the dialog asks for.
func (d *Tune) request() session.TuneRequest {
	return session.TuneRequest{
		Measuring: session.Measuring{
			Workload: d.read.Workloads()[d.choice[fieldWorkload]],
			Batches:  d.batches(),
		},
		Limit:    d.limit(),
		Coverage: session.Coverage(d.choice[fieldCoverage]),
		Fresh:    d.choice[fieldFresh] == 1,
	}
}

// Key takes a key; closed says that the dialog goes.
func (d *Tune) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	keys := d.read.Keys()
	if keys.Enter.Matches(k) || keys.StartNow.Matches(k) || keys.FieldNext.Matches(k) || keys.FieldPrev.Matches(k) {
		d.settle()
	}
	closed, start := d.Form.Key(k)
	if start {
		does = d.start()
	}
	return does, closed
}

// start begins what the dialog asks for and shows the campaign.
func (d *Tune) start() page.Intent {
	switch why := d.read.MayWrite(); {
	case why != "":
		return page.Say("tune: not now, " + why)
	case len(d.read.Workloads()) == 0:
		return page.Say("tune: no workload is known")
	}
	return page.All{
		page.Open(page.Profile),
		page.Start{Task: session.TuneTask(d.request()), Fast: d.choice[fieldSpeed] == 0},
	}
}

// limitTyped follows what was typed as a limit: energy has none.
func (d *Tune) limitTyped() {
	if d.number() == nil {
		d.typed.SetValue("")
	}
}

// step moves the limit by one.
func (d *Tune) step(by int) {
	if v := d.number(); v != nil {
		d.settle()
		d.typed.SetValue("")
		*v = max(1, *v+float64(by))
	}
}

func (d *Tune) note(w int) []string {
	starts := d.read.Keys().StartNow.Label() + " starts with these answers"
	out := []string{"measures a few modes, answers with the best one, measures that twice, restores the board"}
	if session.Coverage(d.choice[fieldCoverage]) == session.CoverFront {
		out[0] = "searches the whole Pareto front, answers with the best mode, measures it, restores the board"
	}
	switch {
	case d.At == fieldBatch && d.fixedBatch() == "":
		out[0] = "other sizes start the job anew, and may take more memory or train differently"
		if w >= 56 {
			out = append(out, "type sizes with commas, such as 8,16,32; "+starts)
		}
	case w >= 56:
		out = append(out, "type a number for the limit; "+starts)
	}
	return out
}

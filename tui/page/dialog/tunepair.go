package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/fields"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/pair"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// waits are the maximum waits in ms to step through.
var waits = []float64{0, 5, 10, 20, 50, 100, 200}

// pairForm is an example of a pair's limits.
const pairForm = "30 W, p99 300 ms, 60/s"

func newTunePair(d *Tune) *tunePair {
	p := &tunePair{d: d, name: widget.NewInput("", "", 80),
		limit: widget.NewInput("", askedKeys, 60), wait: widget.NewInput("", "0123456789.", 8)}
	d.Fields[fieldWorkload].Typed = p.add
	p.alone = d.Fields
	p.two = []page.Field{
		{Name: "workload", Text: p.nameText, Turn: p.partner, Input: p.name, Typed: p.edited, Wrong: p.wrongName,
			Whole: true},
		{Name: "limit", Empty: p.limitText, Input: p.limit, Wrong: p.wrongLimit, Whole: true,
			Step: p.step},
		page.Pick("turns", fields.In("pair", "policy"), &p.how.Policy),
		page.Pick("arrivals", fields.In("load", "arrivals"), &p.asked.Load.Arrivals),
		{Name: "max wait", Text: p.waitText, Turn: p.turnWait, Input: p.wait, Wrong: p.wrongWait, More: true},
		d.Fields[fieldBatch],
	}
	p.two[pairTurns].More, p.two[pairArrivals].More = true, true
	if last := d.read.Work().Choice; last.Pair != "" && d.read.Work().Pointed == "" {
		p.asked, _ = metric.Parse(last.PairLimits)
		p.settled()
		p.name.SetValue(last.Pair)
		if p.wrongName() != "" {
			p.name.SetValue("") // the workload no longer exists
		}
	}
	p.two = d.clock.ask(p.two)
	p.named()
	return p
}

// add handles text typed at a single workload: + makes a pair of it and the first job that can share the GPU.
func (p *tunePair) add() {
	if find := p.d.find; !strings.Contains(find.in.Value(), "+") {
		find.typed()
		return
	}
	p.d.find.clear()
	p.name.SetValue(p.d.workload().Name + " + ")
	p.partner(0)
	p.offered = p.name.Value()
	p.named()
}

// edited handles a change of the names: the first letters after + replace the offered job.
func (p *tunePair) edited() {
	if rest, more := strings.CutPrefix(p.name.Value(), p.offered); p.offered != "" && more && rest != "" {
		first, _, _ := strings.Cut(p.offered, "+")
		p.name.SetValue(first + "+ " + strings.TrimSpace(rest))
	}
	p.offered = ""
	p.named()
}

// named shows the fields for one job or two, as the workload field names.
func (p *tunePair) named() {
	d := p.d
	switch {
	case p.on() && len(d.Fields) != len(p.two):
		d.Fields, d.Title, d.Walk, d.Types = p.two, "Tune: training and inference on one GPU", pairTurns, pairLimit
		d.listed.SetValue("")
		d.size = 0
	case !p.on() && len(d.Fields) != len(p.alone):
		d.Fields, d.Title, d.Walk, d.Types = p.alone, tuneTitle, fieldMore, fieldLimit
	}
}

// Indices of fields that differ from those for one job.
const (
	pairLimit = iota + 1
	pairTurns
	pairArrivals
	pairWait
)

// partner steps through the jobs that can share the GPU with the first named one.
func (p *tunePair) partner(by int) {
	first, second, _ := strings.Cut(p.name.Value(), "+")
	w, known := p.d.read.Work().Find(strings.TrimSpace(first))
	if !known {
		return
	}
	list := slices.DeleteFunc(pair.PairPartners(p.d.read.Workloads(), w), func(w workload.Workload) bool {
		return p.d.read.Session().Blocked(w) != ""
	})
	if len(list) == 0 {
		return
	}
	at := slices.IndexFunc(list, func(w workload.Workload) bool { return w.Name == strings.TrimSpace(second) })
	if at < 0 {
		at, by = 0, 0
	}
	widget.Around(&at, by, len(list))
	p.name.SetValue(w.Name + " + " + list[at].Name)
}

func (p *tunePair) nameText() string {
	if p.d.At == fieldWorkload {
		return p.name.Render("_")
	}
	return p.name.Value()
}

// wrongName returns why the names are no pair that runs here, or "".
func (p *tunePair) wrongName() string {
	two, err := p.jobs()
	switch {
	case err != nil && p.single() >= 0: // one job again
		return ""
	case err != nil:
		return page.Words(err.Error())
	case p.d.read.Board().Replay != "":
		return pair.ErrReplayedPair.Error()
	}
	for _, w := range []workload.Workload{two.Train, two.Infer} {
		if why := p.d.read.Session().Blocked(w); why != "" {
			return w.Name + ": " + why
		}
	}
	return ""
}

// limits returns the goal, including limits being typed.
func (p *tunePair) limits() (metric.Question, error) {
	line, now := p.limit.Value(), p.asked
	if line == "" {
		return now, nil
	}
	if watts, err := strconv.ParseFloat(line, 64); err == nil && watts > 0 { // a plain number is the power limit
		now.Limit.Limits = now.Limit.Limits.And(metric.Power.Max(watts))
		return now, nil
	}
	g, err := metric.Parse(line)
	g.Load.Arrivals = cmp.Or(g.Load.Arrivals, now.Load.Arrivals)
	g.Load.MaxWaitMS = cmp.Or(g.Load.MaxWaitMS, now.Load.MaxWaitMS)
	return g, err
}

// search returns what the dialog requests.
func (p *tunePair) search() (pair.Request, error) {
	two, err := p.jobs()
	if err != nil {
		return pair.Request{}, err
	}
	g, err := p.limits()
	if err != nil {
		return pair.Request{}, err
	}
	r := pair.Request{Train: two.Train, Infer: two.Infer, Batches: p.d.batches(), Question: g,
		PairAsked: p.how}
	r.Load.MaxWaitMS = p.waitNow()
	_, err = r.Ask(0)
	return r, err
}

// wrongLimit returns why these limits are not possible for a pair, or "".
func (p *tunePair) wrongLimit() string {
	if _, err := p.limits(); err != nil {
		return page.Wrong(err)
	}
	if _, err := p.jobs(); err != nil || p.wrongWait() != "" {
		return "" // its own field says so
	}
	_, err := p.search()
	return page.Wrong(err)
}

func (p *tunePair) limitText() string {
	shown := p.asked
	if shown.Load.Arrivals, shown.Load.MaxWaitMS = "", 0; shown == (metric.Question{}) {
		return "type limits and the rate, such as " + pairForm
	}
	return "most training within " + shown.String()
}

// step changes the power limit by a watt.
func (p *tunePair) step(by int) {
	p.settle()
	if watts, ok := p.asked.Limit.Limits.On(metric.Power); ok && p.limit.Value() == "" {
		watts.Value = max(1, watts.Value+float64(by))
		p.asked.Limit.Limits = p.asked.Limit.Limits.With(watts)
	}
}

// settle takes over the typed answers that are valid; other text stays.
func (p *tunePair) settle() {
	if a, err := p.limits(); err == nil && p.limit.Value() != "" {
		p.asked = a
		p.settled()
		p.limit.SetValue("")
	}
	if p.wait.Value() != "" && p.wrongWait() == "" {
		p.asked.Load.MaxWaitMS = p.waitNow()
		p.wait.SetValue("")
	}
	if two, err := p.jobs(); err == nil {
		p.name.SetValue(pair.PairName(two.Train.Name, two.Infer.Name))
	} else if one := p.single(); one >= 0 {
		p.name.SetValue("")
		p.named()
		p.d.take(one)
	}
}

// single returns the index of the workload if only one is named, with or without a trailing +; otherwise -1.
func (p *tunePair) single() int {
	name := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(p.name.Value()), "+"))
	w, known := p.d.read.Work().Find(name)
	if !known || name == "" {
		return -1
	}
	return slices.IndexFunc(p.d.read.Workloads(), func(l workload.Workload) bool { return l.Name == w.Name })
}

// settled shows the fields of what the typed line says.
func (p *tunePair) settled() {
	own := p.asked.Load
	p.two[pairArrivals].More = p.two[pairArrivals].More && own.Arrivals == ""
	p.two[pairWait].More = p.two[pairWait].More && own.MaxWaitMS == 0
}

func (p *tunePair) waitNow() float64 {
	if v, err := strconv.ParseFloat(p.wait.Value(), 64); err == nil {
		return v
	}
	return p.asked.Load.MaxWaitMS
}

func (p *tunePair) wrongWait() string {
	if v, err := strconv.ParseFloat(p.wait.Value(), 64); p.wait.Value() != "" && (err != nil || !(v >= 0)) {
		return "milliseconds, or 0 for none"
	}
	return ""
}

func (p *tunePair) waitText() string {
	switch {
	case p.wait.Value() != "":
		return p.wait.Render("_") + " ms"
	case p.asked.Load.MaxWaitMS > 0:
		return text.Of(p.asked.Load.MaxWaitMS) + " ms: then a batch that is not full leaves"
	}
	return "none: a batch leaves when it is full"
}

func (p *tunePair) turnWait(by int) {
	p.settle()
	at, found := slices.BinarySearch(waits, p.asked.Load.MaxWaitMS)
	if !found && by > 0 {
		at--
	}
	p.asked.Load.MaxWaitMS = waits[min(max(0, at+by), len(waits)-1)]
}

// start starts the search for a pair and shows it.
func (p *tunePair) start() page.Intent {
	r, err := p.search()
	if err != nil {
		return page.Fail{What: "tune", Err: err}
	}
	return page.All{
		page.Remember(p.answers()),
		page.Open(page.Train),
		page.Start{Task: task.Pair(r), Speed: p.d.clock.rate()},
	}
}

// answers returns the filled-in values to save.
func (p *tunePair) answers() search.Form {
	p.settle()
	c := p.d.read.Work().Choice
	c.Pair, c.PairLimits = p.name.Value(), p.asked.String()
	return c
}

func (p *tunePair) notes(w int) []string {
	out := []string{fmt.Sprintf("measures %d settings of each job where fewer are known, predicts all mixes, runs at "+
		"most %d as pairs, restores the board", pair.PairProfiled, mix.MostVerified)}
	switch {
	case w < 56:
	case p.d.At == fieldWorkload:
		out = append(out, "→ takes the next job that can share the GPU; one name alone is one job again")
	case p.d.At == pairLimit:
		out = append(out, "type limits and the rate: "+pairForm+"; a number alone is the power limit")
	}
	return out
}

package dialog

import (
	"slices"
	"strings"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// modeQuestion asks for a mode: a named one or a typed one.
type modeQuestion struct {
	read   page.Reader
	listed []namedMode
	at     int // index into the named modes
	typed  *widget.Input
}

// namedMode is a mode with the name it is listed under.
type namedMode struct {
	name string
	mode tegra.Mode
}

// mostMode is the maximum length of a typed mode.
const mostMode = 40

func newModeQuestion(read page.Reader, listed []namedMode) *modeQuestion {
	return &modeQuestion{read: read, listed: listed, typed: widget.NewInput("", "", mostMode)}
}

// field returns the question as a field of a form.
func (q *modeQuestion) field() page.Field {
	return page.Field{Name: "mode", Empty: q.text, Input: q.typed, Wrong: q.wrong,
		Turn: func(by int) { widget.Around(&q.at, by, len(q.listed)) }}
}

// namedModes lists the modes with a name, each once.
func namedModes(read page.Reader) (out []namedMode) {
	add := func(name string, m tegra.Mode) {
		if !slices.ContainsFunc(out, func(n namedMode) bool { return n.mode == m }) {
			out = append(out, namedMode{name, m})
		}
	}
	for _, p := range read.Presets() {
		add(p.Name, p.Mode)
	}
	add("MAXN", read.Space().Max())
	if now := read.Present(); now.OK {
		add("today's mode", now.V)
	}
	for _, j := range []*page.Task{read.Task(), read.Searched()} {
		if j != nil && j.Done() && j.Tuned != nil {
			for _, a := range j.Tuned.Answers {
				add("the answer to "+a.Limit.Brief(), a.Mode)
			}
		}
	}
	return out
}

// chosen returns the requested mode.
func (q *modeQuestion) chosen() (tegra.Mode, error) {
	if text := strings.TrimSpace(q.typed.Value()); text != "" {
		return tegra.FindMode(text, q.read.Space(), q.read.Presets())
	}
	return q.listed[q.at].mode, nil
}

func (q *modeQuestion) text() string {
	n := q.listed[q.at]
	if n.mode == (tegra.Mode{}) {
		return n.name
	}
	return n.name + "  " + q.read.ModeText(n.mode)
}

func (q *modeQuestion) wrong() string {
	if _, err := q.chosen(); err != nil {
		return "no mode of this board such as " + q.read.ModeText(q.read.Space().Max()) + ", and no preset"
	}
	return ""
}

// jobQuestion asks for a workload that can run on this board.
type jobQuestion struct {
	read page.Reader
	at   int
	find *finder
}

func newJobQuestion(read page.Reader) *jobQuestion {
	q := &jobQuestion{read: read, at: read.Work().First()}
	q.find = newFinder(read, "", func(at int) { q.at = at })
	return q
}

// field returns the question as a field of a form.
func (q *jobQuestion) field() page.Field {
	f := page.Field{Name: "workload", Text: func() string { return jobText(q.read, q.at) },
		Turn: func(by int) { widget.Around(&q.at, by, len(q.read.Workloads())) }}
	q.find.asks(&f)
	f.Wrong = q.wrong
	return f
}

func (q *jobQuestion) wrong() string {
	list := q.read.Workloads()
	switch {
	case q.find.wrong() != "":
		return q.find.wrong()
	case q.at >= len(list):
		return "none is known"
	}
	return q.read.Session().Blocked(list[q.at])
}

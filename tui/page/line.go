package page

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tegra/metric"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// Line is a filter of modes, and the line under a page in which it or limits are typed. The zero value is closed.
type Line struct {
	Filter string        // in force
	Wrong  string        // what is wrong with it, or with what is typed
	input  *widget.Input // what is typed; nil: closed
	limits bool          // limits are typed, for inference with a load
	old    bool          // unedited limits in force: the first typed character replaces them
}

// mostLimits is the maximum length of limits in characters.
const mostLimits = 80

// OpenFilter opens the line with the filter in force.
func (l *Line) OpenFilter() {
	l.input, l.limits, l.old = widget.NewInput(l.Filter, "", widget.MostFilter), false, false
}

// OpenLimits opens the line with the limits in force.
func (l *Line) OpenLimits(read Reader) {
	l.input, l.limits, l.old = widget.NewInput(read.Goal().String(), "", mostLimits), true, true
}

// Typing reports whether the line is open.
func (l *Line) Typing() bool { return l.input != nil }

// Close discards what is typed.
func (l *Line) Close() { l.input = nil }

// Value returns the filter as typed, or that in force.
func (l *Line) Value() string {
	if l.Typing() && !l.limits {
		return l.input.Value()
	}
	return l.Filter
}

// Paste handles pasted text.
func (l *Line) Paste(m tea.PasteMsg) {
	if l.Typing() {
		l.write(m, true)
	}
}

// write edits the line. Text replaces unedited limits, an arrow key keeps them for editing.
func (l *Line) write(msg tea.Msg, writes bool) {
	if l.old && writes {
		l.input.SetValue("")
	}
	l.old = false
	l.input.Update(msg)
}

// asked parses the typed limits; wrong says why they are not valid, or is "".
func (l *Line) asked(read Reader) (q metric.Question, wrong string) {
	q, err := metric.Parse(l.input.Value())
	if err == nil {
		err = workloads.LoadFault(Job(read), q.Load)
	}
	return q, Wrong(err)
}

// Key edits the line. Enter takes what is typed unless it is wrong, which check says of a filter before in Wrong; then
// the text stays for correction. filtered reports whether it became the filter.
func (l *Line) Key(k tea.KeyPressMsg, read Reader, check func()) (does Intent, filtered bool) {
	switch keys := read.Keys(); {
	case keys.Back.Matches(k):
		l.Close()
	case keys.Enter.Matches(k) && l.limits:
		if q, wrong := l.asked(read); wrong == "" {
			l.Close()
			return Choose(q), false
		}
	case keys.Enter.Matches(k):
		if check(); l.Wrong == "" {
			l.Filter = l.input.Value()
			l.Close()
			return nil, true
		}
	default:
		l.write(k, k.Text != "")
	}
	return nil, false
}

// Hints returns the keys that work while the line is open.
func (l *Line) Hints(read Reader) []widget.Action {
	keys := read.Keys()
	if l.limits {
		return []widget.Action{keys.Enter.As("take them"), keys.Back.As("leave them")}
	}
	return []widget.Action{keys.Enter.As("filter by it"), keys.Back.As("leave it")}
}

// Render draws what is typed, or the filter in force; "" without one. An error is wrapped, because its end says what
// to do.
func (l *Line) Render(read Reader, w int) string {
	switch {
	case !l.Typing() && l.Filter == "":
		return ""
	case !l.Typing():
		return " filter " + widget.StyleBold.Render(l.Filter) +
			widget.StyleDim.Render("   "+read.Keys().Back.Label()+" shows all modes again")
	}
	job := Job(read)
	name, form, wrong := "filter", FilterForm(job), l.Wrong
	if l.limits {
		name, form = "limits", "30 W"
		if job.Infers() {
			form = metric.Example
		}
		if _, wrong = l.asked(read); l.input.Value() == "" {
			wrong = ""
		}
	}
	line := widget.StyleAsk.Render(" "+name+": ") + l.input.Render("█")
	if wrong != "" {
		return line + "\n" + widget.StyleWarn.Render(widget.Wrap("not yet: "+wrong, w))
	}
	return line + widget.StyleDim.Render("   such as "+form)
}

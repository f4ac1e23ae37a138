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

// Acts are the keys while the line is open. Enter takes what is typed unless it is wrong, which check says of a filter
// before in Wrong; then the text stays for correction. filtered is called once it is the filter.
func (l *Line) Acts(read Reader, check, filtered func()) Acts {
	keys := read.Keys()
	write := In(func(k tea.KeyPressMsg) bool { l.write(k, k.Text != ""); return true }, nil)
	if l.limits {
		return Acts{On(keys.Enter.As("take them"), func() Intent {
			q, wrong := l.asked(read)
			if wrong != "" {
				return nil
			}
			l.Close()
			return Choose(q)
		}), On(keys.Back.As("leave them"), l.Close), write}
	}
	return Acts{On(keys.Enter.As("filter by it"), func() {
		if check(); l.Wrong == "" {
			l.Filter = l.input.Value()
			l.Close()
			filtered()
		}
	}), On(keys.Back.As("leave it"), l.Close), write}
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

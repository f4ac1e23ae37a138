package page

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tegra/metric"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// LimitLine is the line for typing limits, for inference with a load. The zero value is closed.
type LimitLine struct {
	input *widget.Input
	old   bool // unedited limits in force: the first typed character replaces them
}

// mostLimits is its maximum length in characters.
const mostLimits = 80

// Open opens the line with the limits in force.
func (l *LimitLine) Open(read Reader) {
	l.input, l.old = widget.NewInput(read.Goal().String(), "", mostLimits), true
}

// Typing reports whether the line is open.
func (l *LimitLine) Typing() bool { return l.input != nil }

// Close discards the typed text.
func (l *LimitLine) Close() { l.input = nil }

// Update handles pasted text.
func (l *LimitLine) Update(msg tea.PasteMsg) { l.write(msg, true) }

// write edits the line. Text replaces unedited limits, an arrow key keeps them for editing.
func (l *LimitLine) write(msg tea.Msg, writes bool) {
	if l.old && writes {
		l.input.SetValue("")
	}
	l.old = false
	l.input.Update(msg)
}

// read parses the typed limits; wrong says why they are not valid, or is "".
func (l *LimitLine) read(read Reader) (a metric.Question, wrong string) {
	a, err := metric.Parse(l.input.Value())
	if err == nil {
		w, _ := read.Work().Find(read.state.Outlook.Workload)
		err = workloads.LoadFault(w, a.Load)
	}
	if err != nil {
		return a, Words(err.Error())
	}
	return a, ""
}

// Key handles a key while the line is open; enter applies the limits.
func (l *LimitLine) Key(k tea.KeyPressMsg, read Reader) Intent {
	keys := read.Keys()
	switch {
	case keys.Back.Matches(k):
		l.Close()
	case keys.Enter.Matches(k):
		a, wrong := l.read(read)
		if wrong != "" { // keep it open for correction
			return nil
		}
		l.Close()
		return Choose(a)
	default:
		l.write(k, k.Text != "")
	}
	return nil
}

// Hints returns the keys that work while the line is open.
func (l *LimitLine) Hints(read Reader) []widget.Action {
	return []widget.Action{read.Keys().Enter.As("take them"), read.Keys().Back.As("leave them")}
}

// Render draws the line in w columns.
func (l *LimitLine) Render(read Reader, w int) string {
	line := widget.StyleAsk.Render(" limits: ") + l.input.Render("█")
	if _, wrong := l.read(read); wrong != "" && l.input.Value() != "" {
		return widget.Cut(line+widget.StyleWarn.Render("  not yet: "+wrong), w)
	}
	form := "such as 30 W"
	if w, _ := read.Work().Find(read.state.Outlook.Workload); w.Infers() {
		form = "such as " + metric.Example
	}
	return widget.Cut(line+widget.StyleDim.Render("   "+form), w)
}

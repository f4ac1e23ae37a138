package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/report"
	"jtune/internal/sorted"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Offer is an action that the palette lists, with the page where it works; "" is every page.
type Offer struct {
	widget.Action
	On   page.Name
	Does page.Intent // what a typed line requests; nil: the action of its key
}

// Palette lists every action with its key and the reason if it is not available, and filters them by the typed text.
type Palette struct {
	keys  *page.Keys
	words func(line string) (Offer, bool) // parses a line that names an action with arguments
	does  func(Offer) page.Intent         // does the chosen one
	all   []Offer
	found []Offer
	typed *widget.Input
	tab   widget.Table
}

const (
	mostPaletteW  = 120
	leastForWhole = 12 // rows of the dialog for the full text of a row
)

// NewPalette lists the offers in order; an offer that words makes of the typed line comes first. does is what the
// chosen one requests.
func NewPalette(keys *page.Keys, all []Offer, words func(line string) (Offer, bool),
	does func(Offer) page.Intent) *Palette {
	d := &Palette{keys: keys, words: words, does: does, all: all, found: all,
		typed: widget.NewInput("", "", widget.MostFilter)}
	list := keys.ListKeys()
	list.Search, list.Back = widget.Action{}, widget.Action{}
	d.tab = widget.Table{Keys: list, Empty: "no action has such a name", Cols: report.Table[int]{
		{Title: "key", Width: 9, Text: func(i int) string { return d.found[i].Label() }},
		{Title: "action", Width: 18, Text: func(i int) string { return d.found[i].Help().Desc }},
		{Title: "page", Width: 7, Drop: 2, Text: func(i int) string { return d.found[i].where() }},
		{Title: "what it does, or why not now", Width: 20, Drop: 1,
			Text: func(i int) string { return d.found[i].explained() }},
	}}
	return d
}

func (o *Offer) where() string {
	if o.On != "" {
		return o.On.Title()
	}
	return "every"
}

// explained says what the action does, or why it is not available.
func (o *Offer) explained() string {
	if o.Why != "" {
		return "not now: " + o.Why
	}
	return o.Explained()
}

// Key handles a key; closed reports whether the dialog closes. An action that is not available says why, and leaves the
// dialog open.
func (d *Palette) Key(k tea.KeyPressMsg) (does page.Intent, closed bool) {
	switch {
	case d.typed.Takes(k):
		d.typed.Update(k)
		d.find()
	case d.keys.Back.Matches(k), d.keys.Quit.Matches(k), d.keys.Palette.Matches(k):
		return nil, true
	case d.keys.Enter.Matches(k) && d.tab.Cursor < len(d.found):
		chosen := d.found[d.tab.Cursor]
		if chosen.Why != "" {
			return page.NotNow(chosen.Action), false
		}
		return page.Then(func() page.Intent { return d.does(chosen) }), true
	default:
		d.tab.Key(k)
	}
	return nil, false
}

// Paste handles pasted text.
func (d *Palette) Paste(m tea.PasteMsg) {
	d.typed.Update(m)
	d.find()
}

// find keeps the actions that contain each typed word, those whose name begins with it first.
func (d *Palette) find() {
	words := strings.Fields(strings.ToLower(d.typed.Value()))
	d.found, d.tab.Cursor, d.tab.Top = nil, 0, 0
	for _, o := range d.all {
		text := strings.ToLower(o.Label() + " " + o.ID + " " + o.Help().Desc + " " + string(o.On) + " " + o.Explained())
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			d.found = append(d.found, o)
		}
	}
	if o, asked := d.words(d.typed.Value()); asked {
		d.found = slices.Insert(d.found, 0, o)
	} else if len(words) > 0 {
		sorted.Stable(d.found, func(a, b Offer) int { return begins(b, words[0]) - begins(a, words[0]) })
	}
}

func begins(o Offer, word string) int {
	if strings.HasPrefix(strings.ToLower(o.Help().Desc), word) {
		return 1
	}
	return 0
}

// Numbers returns nothing: the palette has no help.
func (d *Palette) Numbers() []string { return nil }

// Hints lists the keys that work now.
func (d *Palette) Hints() []widget.Action {
	return []widget.Action{
		d.keys.Enter.As("do it"),
		d.keys.Up.With(d.keys.Down, "choose"),
		d.keys.Back.As("close"),
	}
}

// Render draws the dialog in at most w×h cells.
func (d *Palette) Render(w, h int) string {
	w, h = min(w, mostPaletteW), min(h, len(d.all)+5)
	d.tab.Rows = len(d.found)
	whole := "" // text of the row under the cursor, which its column may cut
	if d.tab.Cursor < len(d.found) && h >= leastForWhole {
		whole = widget.Wrap(d.found[d.tab.Cursor].explained(), w-4)
	}
	lines := 0
	if whole != "" {
		lines = 1 + strings.Count(whole, "\n")
	}
	text := widget.Under(widget.StyleAsk.Render("find: ")+d.typed.Render("█"), d.tab.Render(w-4, max(1, h-3-lines)))
	if whole != "" {
		text = widget.Under(text, whole)
	}
	return widget.Box("All actions", "", text, w, h)
}

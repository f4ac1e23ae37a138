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

// Acts lists what the keys do. An action that is not available says why, and leaves the dialog open.
func (d *Palette) Acts() page.Acts {
	types := func(k tea.KeyPressMsg) bool {
		takes := d.typed.Takes(k)
		if takes {
			d.typed.Update(k)
			d.find()
		}
		return takes
	}
	return append(page.Acts{page.In(types, nil), page.On(d.keys.Enter.As("do it"), func() page.Intent {
		if d.tab.Cursor >= len(d.found) {
			return nil
		}
		chosen := d.found[d.tab.Cursor]
		if chosen.Why != "" {
			return page.NotNow(chosen.Action)
		}
		return page.All{page.Close{}, page.Then(func() page.Intent { return d.does(chosen) })}
	}), page.Shown(d.keys.Up.With(d.keys.Down, "choose")), page.Rows(&d.tab)},
		page.Closing(d.keys.Back.As("close"), d.keys.Quit, d.keys.Palette)...)
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

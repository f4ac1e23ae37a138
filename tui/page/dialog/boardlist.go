package dialog

import (
	tea "charm.land/bubbletea/v2"

	"jtune/internal/report"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// OtherBoard is a board of the configuration with the state of its screens.
type OtherBoard struct{ Name, Where, State string }

// BoardList is a dialog for choosing between this board's screens and those of others.
type BoardList struct {
	keys   *page.Keys
	boards []OtherBoard // the first is this one
	tab    widget.Table
}

const mostBoardListW = 76

// NewBoardList lists this board, then the others, with the cursor on the one named at.
func NewBoardList(keys *page.Keys, here OtherBoard, others []OtherBoard, at string) *BoardList {
	d := &BoardList{keys: keys, boards: append([]OtherBoard{here}, others...)}
	list := keys.ListKeys()
	list.Search, list.Back = widget.Action{}, widget.Action{}
	d.tab = widget.Table{Keys: list, Rows: len(d.boards), Cols: report.Table[int]{
		{Title: "board", Width: 14, Text: func(i int) string { return d.boards[i].Name }},
		{Title: "where", Width: 24, Drop: 1, Text: func(i int) string { return d.boards[i].Where }},
		{Title: "its screens", Width: 12, Text: func(i int) string { return d.boards[i].State }},
	}}
	for i, b := range d.boards {
		if b.Name == at {
			d.tab.Cursor = i
		}
	}
	return d
}

// Acts lists what the keys do.
func (d *BoardList) Acts() page.Acts {
	return append(page.Acts{
		page.On(d.keys.Enter.As("show it"), func() page.Intent {
			if d.tab.Cursor == 0 {
				return page.Close{}
			}
			return page.All{page.Close{}, page.ShowBoard(d.boards[d.tab.Cursor].Name)}
		}),
		page.Shown(d.keys.Up.With(d.keys.Down, "choose")), page.Shown(d.keys.Help), page.Rows(&d.tab),
	}, page.Closing(d.keys.Back.As("close"), d.keys.Quit, d.keys.Boards)...)
}

// Paste does nothing: the dialog has no text field.
func (d *BoardList) Paste(tea.PasteMsg) {}

// Numbers explains the list, for the help.
func (d *BoardList) Numbers() []string { return page.Numbers("boards") }

// Render draws the dialog in at most w×h cells.
func (d *BoardList) Render(w, h int) string {
	w, h = min(w, mostBoardListW), min(h, len(d.boards)+3)
	return widget.Box("Boards", "", d.tab.Render(w-4, max(1, h-2)), w, h)
}

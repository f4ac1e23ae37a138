package page

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/figure"
	"jtune/tui/export"
	"jtune/tui/widget"
)

// Name is what a page is known by: "front".
type Name string

// Title is what the page is called on the screen: "Front".
func (n Name) Title() string { return strings.ToUpper(string(n[:1])) + string(n[1:]) }

// Names of the pages.
const (
	Live    Name = "live"
	Train   Name = "train"
	Profile Name = "profile"
	Models  Name = "models"
	Front   Name = "front"
	Modes   Name = "modes"
)

// Page is one of the screens. Messages go to all of them, keys to the one that shows.
type Page interface {
	Name() Name
	// Update handles a message; all pages get it.
	Update(msg tea.Msg) Intent
	// Key takes a key that means something here; false gives it back.
	Key(k tea.KeyPressMsg) (does Intent, taken bool)
	// Hints lists the page's keys, the most useful first.
	Hints() []widget.Action
	// Numbers explains what the page shows, for the help.
	Numbers() string
	// Copied is what the copy key puts on the clipboard; "": the screen.
	Copied() string
	// Render draws the page in exactly w×h cells.
	Render(w, h int) string
}

// Typist is a page on which keys may write a text.
type Typist interface {
	// Typing reports whether all keys go to the page now.
	Typing() bool
}

// Mouser is a page that the mouse means something to. Cells are the page's own;
// false passes the event on.
type Mouser interface {
	Click(x, y int) bool
	Wheel(x, y, by int) bool // by +1 down, -1 up
}

// Exporter is a page that is exported in more forms than the text of the screen.
type Exporter interface {
	Files() ([]File, error)
}

// File is one form in which something is exported: the ending of its name, and
// what it holds.
type File struct{ Ending, Text string }

// FigureFiles are a figure as it is drawn, and its values.
func FigureFiles(f figure.Figure) ([]File, error) {
	var table, document strings.Builder
	err := errors.Join(export.FigureCSV(&table, f), export.FigureJSON(&document, f))
	return []File{
		{Ending: "svg", Text: export.FigureSVG(f)},
		{Ending: "csv", Text: table.String()},
		{Ending: "json", Text: document.String()},
	}, err
}

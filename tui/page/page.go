package page

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/widget"
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

// Subjected is a page whose cursor is on a workload, or on what was measured or learned with one.
type Subjected interface {
	// Subject is the name of that workload; "" where the cursor is on none.
	Subject() string
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

package page

import (
	tea "charm.land/bubbletea/v2"
)

// Page is one of the screens. All pages get messages; the shown one gets keys.
type Page interface {
	Name() Name
	// Update handles a message.
	Update(msg tea.Msg) Intent
	// Acts lists what the page's keys do now, most useful first.
	Acts() Acts
	// Copied returns what the copy key puts on the clipboard; "": the screen.
	Copied() string
	// Render draws the page in exactly w×h cells.
	Render(w, h int) string
}

// Typist is a page with text fields.
type Typist interface {
	// Typing reports whether all keys go to the page.
	Typing() bool
}

// Subjected is a page whose rows belong to workloads.
type Subjected interface {
	// Subject returns the workload of the row under the cursor; "" if there is none.
	Subject() string
}

// Mouser is a page that handles the mouse. Coordinates are cells of the page; a result of false passes the event on.
type Mouser interface {
	Click(x, y int) bool
	Wheel(x, y, by int) bool // by: +1 is down, -1 up
}

// Exporter is a page that exports more than the text of the screen.
type Exporter interface {
	Files() ([]File, error)
}

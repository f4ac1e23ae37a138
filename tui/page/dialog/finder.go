package dialog

import (
	"slices"
	"strings"

	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// finder selects a workload by letters of its name, typed at the workload field. A digit belongs to the name only after
// a letter; before one it is typed for another field.
type finder struct {
	read page.Reader
	in   *widget.Input
	more string       // further characters that the field accepts
	take func(at int) // chooses the workload at an index of the list
	lost bool         // no workload matches
}

const (
	nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nameKeys    = nameLetters + "0123456789-_."
	longestName = 60
)

// newFinder returns a finder among the listed workloads.
func newFinder(read page.Reader, more string, take func(at int)) *finder {
	f := &finder{read: read, in: widget.NewInput("", "", longestName), more: more, take: take}
	f.in.Only(nameLetters + more)
	return f
}

// typed handles a change of the typed text.
func (f *finder) typed() {
	text := f.in.Value()
	at := findWorkload(f.read.Workloads(), text)
	if f.lost = text != "" && at < 0; !f.lost && text != "" {
		f.take(at)
	}
	if text == "" {
		f.in.Only(nameLetters + f.more)
	} else {
		f.in.Only(nameKeys + f.more)
	}
}

// settle clears the typed text if it has found a workload.
func (f *finder) settle() {
	if !f.lost {
		f.clear()
	}
}

// clear discards the typed text.
func (f *finder) clear() {
	f.in.SetValue("")
	f.typed()
}

// asks attaches the finder to a field.
func (f *finder) asks(q *page.Field) {
	text, turn := q.Text, q.Turn
	q.Input, q.Typed, q.Left, q.Wrong = f.in, f.typed, f.settle, f.wrong
	q.Text = func() string { return f.text(text()) }
	q.Turn = func(by int) {
		f.clear()
		turn(by)
	}
}

// wrong returns why the typed text names no workload, or "".
func (f *finder) wrong() string {
	if f.lost {
		return "no workload has such a name"
	}
	return ""
}

// text returns the field's text: what is typed, then the workload found.
func (f *finder) text(found string) string {
	switch {
	case f.in.Value() == "":
		return found
	case f.lost:
		return f.in.Render("_")
	}
	return f.in.Render("_") + " → " + found
}

// findWorkload returns the index of the workload that a text names: by its full name or alias, a prefix or part of it,
// or a part of its title; -1 if none.
func findWorkload(list []workload.Workload, text string) int {
	text = strings.ToLower(text)
	for _, fits := range []func(name string) bool{
		func(name string) bool { return name == text },
		func(name string) bool { return strings.HasPrefix(name, text) },
		func(name string) bool { return strings.Contains(name, text) },
	} {
		at := slices.IndexFunc(list, func(w workload.Workload) bool {
			return fits(strings.ToLower(w.Name)) ||
				slices.ContainsFunc(w.Aliases, func(a string) bool { return fits(strings.ToLower(a)) })
		})
		if at >= 0 {
			return at
		}
	}
	return slices.IndexFunc(list, func(w workload.Workload) bool {
		return strings.Contains(strings.ToLower(w.About()), text)
	})
}

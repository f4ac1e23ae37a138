package dialog

import (
	"slices"
	"strings"

	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// finder finds a workload by the letters of its name that are typed where one is chosen. A digit belongs to a name
// after a letter alone: before one it is for another question.
type finder struct {
	read page.Reader
	in   *widget.Input
	more string       // further keys that the question takes
	take func(at int) // chooses the one at a place of the list
	lost bool         // no workload has such a name
}

const (
	nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	nameKeys    = nameLetters + "0123456789-_."
	longestName = 60
)

// newFinder finds among the workloads that are read.
func newFinder(read page.Reader, more string, take func(at int)) *finder {
	f := &finder{read: read, in: widget.NewInput("", "", longestName), more: more, take: take}
	f.in.Only(nameLetters + more)
	return f
}

// typed follows what was typed.
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

// settle forgets what was typed once it has found a workload.
func (f *finder) settle() {
	if !f.lost {
		f.clear()
	}
}

// clear forgets what was typed.
func (f *finder) clear() {
	f.in.SetValue("")
	f.typed()
}

// asks makes a question one that finds.
func (f *finder) asks(q *widget.Field) {
	text, turn := q.Text, q.Turn
	q.Input, q.Typed, q.Left, q.Wrong = f.in, f.typed, f.settle, f.wrong
	q.Text = func() string { return f.text(text()) }
	q.Turn = func(by int) {
		f.clear()
		turn(by)
	}
}

// wrong says why what was typed names no workload, or "".
func (f *finder) wrong() string {
	if f.lost {
		return "no workload has such a name"
	}
	return ""
}

// text is the question's answer: what is typed before the workload that it has found.
func (f *finder) text(found string) string {
	switch {
	case f.in.Value() == "":
		return found
	case f.lost:
		return f.in.Render("_")
	}
	return f.in.Render("_") + " → " + found
}

// findWorkload is the place of the workload that a text names: by its whole name or alias, the beginning of it, a part
// of it, or of its title; -1 for none.
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

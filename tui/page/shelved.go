package page

import (
	"fmt"
	"strings"

	"jtune/tui/widget"
)

// Shelf renames, deletes and restores the kept things of one kind.
type Shelf interface {
	Rename(name, to string) error
	Delete(name string) (aside string, err error)
	Restore(name string) error
}

// Shelved is one of them, kept or deleted.
type Shelved struct {
	Shelf
	Read Reader
	What string // "campaign", "model"
	Name string
}

// mostName is the maximum length of a name.
const mostName = 60

// Rename asks for a new name; note says what it names.
func (s Shelved) Rename(note string) Intent {
	typed := widget.NewInput(s.Name, "", mostName)
	return s.Read.Question("rename", Form{Title: "Rename a " + s.What, Verb: "rename", Width: 72,
		Note:   func(int) []string { return []string{note} },
		Fields: []Field{{Name: "name", Input: typed}},
	}, func() Intent {
		to := strings.TrimSpace(typed.Value())
		if to == s.Name {
			return nil
		}
		return Manage(s.What, func() (string, error) {
			return fmt.Sprintf("%s is %s now", s.Name, to), s.Shelf.Rename(s.Name, to)
		})
	})
}

// Delete asks whether to delete it; why says what follows.
func (s Shelved) Delete(why string) Intent {
	return Ask{Do: "delete", Not: "leave it", Why: why + "; " + s.Read.Keys().Restore.Label() + " restores it",
		Then: Manage(s.What, func() (string, error) {
			_, err := s.Shelf.Delete(s.Name)
			return s.Name + " is deleted", err
		})}
}

// Restore restores it.
func (s Shelved) Restore() Intent {
	return Manage(s.What, func() (string, error) { return s.Name + " is back", s.Shelf.Restore(s.Name) })
}

// RestoreFirst is the answer to keys that do not act on a deleted one.
func (s Shelved) RestoreFirst() Intent {
	return Say("this one is deleted: " + s.Read.Keys().Restore.Label() + " restores it")
}

package page

// Shelf renames, deletes and restores the kept things of one kind.
type Shelf interface {
	Rename(name, to string) error
	Delete(name string) (aside string, err error)
	Restore(name string) error
}

// Shelved is one of them, kept or deleted.
type Shelved struct {
	Shelf
	What      string // "campaign", "model"
	Name      string
	Restoring string // the key that restores
}

// Rename asks for a new name; note says what it names.
func (s Shelved) Rename(note string) Intent {
	return Rename{What: s.What, Name: s.Name, Note: note,
		To: func(name string) error { return s.Shelf.Rename(s.Name, name) }}
}

// Delete asks whether to delete it; why says what follows.
func (s Shelved) Delete(why string) Intent {
	return Ask{Do: "delete", Not: "leave it", Why: why + "; " + s.Restoring + " restores it",
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
	return Say("this one is deleted: " + s.Restoring + " restores it")
}

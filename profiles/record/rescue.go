package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"jtune/internal/text"
	"jtune/internal/usage"
)

// ErrFolder reports that a campaign's folder was moved, replaced or deleted while it was measured.
var ErrFolder = errors.New("the folder was moved or deleted while modes were measured")

// present returns an error when writes no longer reach the folder. It needs r.mu.
func (r *Record) present() error {
	st, err := os.Lstat(filepath.Join(r.dir, modesName))
	if err == nil && os.SameFile(st, r.modes.Info) {
		return nil
	}
	return ErrFolder
}

// rescue writes all rows, and one that could not be added, to a new folder: next to this one, or in the system's folder
// for temporary files. It returns err extended by the location. If the record's folder is missing, the record uses the
// new folder from then on and accepts no more rows. It needs r.mu.
func (r *Record) rescue(row Row, err error) error {
	rows := append(r.rows[:len(r.rows):len(r.rows)], row)
	failed := fmt.Errorf("recording in %s: %w", r.dir, err)
	if r.salvage {
		return failed
	}
	for _, base := range []string{r.dir, filepath.Join(os.TempDir(), filepath.Base(r.dir))} {
		dir := newFolder(base + "-rescued")
		if err := copyRows(dir, r.header, r.extra, rows); err != nil {
			failed = fmt.Errorf("%w; %w", failed, err)
			continue
		}
		if errors.Is(err, ErrFolder) {
			r.dir, r.rows = dir, rows
			r.closeFiles()
		}
		next := fmt.Sprintf("resume with %s %s %s", usage.Out, dir, usage.Resume)
		if r.header.Search != nil {
			next = "a search cannot be resumed, start it again"
		}
		return fmt.Errorf("%w; %s (without raw samples) are in %s: %s", failed, text.Count(len(rows), "row"), dir, next)
	}
	return failed
}

// newFolder returns a name that does not exist yet: name, or name with a number from 2.
func newFolder(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = name + "-" + strconv.Itoa(n)
	}
}

// copyRows creates a record from rows.
func copyRows(dir string, h Header, extra []string, rows []Row) error {
	r, err := CreateWith(dir, h, extra)
	if err != nil {
		return err
	}
	r.salvage = true
	for _, row := range rows {
		if err = r.Append(row); err != nil {
			break
		}
	}
	return errors.Join(err, r.Close())
}

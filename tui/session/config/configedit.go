package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
)

// ConfigEdit edits the configuration file through a copy next to it. The file is replaced atomically once the copy has
// no faults; otherwise the copy stays, and the error names it.
type ConfigEdit struct {
	Paths
	Screens ScreenTables
	Open    func(copy string) error   // opens the editor and waits until it ends
	Again   func(faults []error) bool // shows the faults; false: the user gives up
}

// Run edits the file; changed reports that it was replaced.
func (e ConfigEdit) Run() (changed bool, err error) {
	path, err := e.editable()
	if err != nil {
		return false, err
	}
	before, err := safefile.ReadIfThere(path, tomlfile.MaxSize)
	if err != nil {
		return false, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "edited.*.toml")
	if err != nil {
		return false, unwritable(err)
	}
	name := f.Name()
	_, err = f.Write(before)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(name)
		return false, err
	}
	after, err := e.typed(name)
	if err == nil && bytes.Equal(after, before) {
		return false, os.Remove(name)
	}
	if err == nil {
		err = replaceUnchanged(path, before, after)
	}
	if err != nil {
		if now, lost := os.ReadFile(name); lost == nil && bytes.Equal(now, before) {
			os.Remove(name) // nothing was changed
			return false, err
		}
		return false, fmt.Errorf("%w; %s is unchanged, what you typed is in %s", err, e.ConfigPath(), name)
	}
	return true, os.Remove(name)
}

// typed returns the text of the copy once it has no faults.
func (e ConfigEdit) typed(copy string) ([]byte, error) {
	for {
		if err := e.Open(copy); err != nil {
			return nil, err
		}
		typed, err := safefile.Read(copy, tomlfile.MaxSize)
		if err != nil {
			return nil, err
		}
		faults := CheckConfig(copy, string(typed), e.Screens)
		if len(faults) == 0 {
			return typed, nil
		}
		if !e.Again(faults) {
			return nil, fmt.Errorf("not replaced: %s", text.Count(len(faults), "fault"))
		}
	}
}

// replaceUnchanged replaces the file unless it has changed since it was copied.
func replaceUnchanged(path string, before, after []byte) error {
	return safefile.Update(path, tomlfile.MaxSize, func(now []byte) ([]byte, error) {
		if !bytes.Equal(now, before) {
			return nil, errors.New("not replaced: another program has changed the file")
		}
		return after, nil
	})
}

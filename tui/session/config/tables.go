package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/profiles/workload"
	"jtune/tui/session/fleet"
)

// ownTables are the tables of the configuration file that this package reads.
type ownTables struct {
	Notify Notify                 `toml:"notify"`
	Meter  MeterTable             `toml:"meter"`
	Board  map[string]fleet.Board `toml:"board"`
}

// fault is an invalid value of a key.
type fault struct {
	key toml.Key
	why error
}

// readOwn reads the tables and lists all faults.
func readOwn(file, source string) (own ownTables, faults []error) {
	meta, err := tomlfile.Decode(file, source, &own)
	if err != nil {
		return ownTables{}, []error{err}
	}
	found := append(own.Notify.faults(), own.Meter.faults()...)
	for _, b := range own.boards() {
		if key, why := b.Fault(); why != "" {
			at := toml.Key{"board", b.Name}
			if key != "" {
				at = append(at, key)
			}
			found = append(found, fault{at, fmt.Errorf("board %s: %s", text.Clip(b.Name), why)})
		}
	}
	for _, k := range meta.Undecoded() {
		if len(found) >= tomlfile.MostFaults {
			break
		}
		if known := knownBeside(k); known != nil {
			last := k[len(k)-1]
			found = append(found, fault{k, fmt.Errorf("unknown key %s%s", text.Clip(k.String()),
				text.SuggestOf(last, known))})
		}
	}
	for _, f := range found[:min(len(found), tomlfile.MostFaults)] {
		faults = append(faults, tomlfile.At(file, source, f.key, f.why))
	}
	return own, faults
}

// knownBeside lists the valid names for a key's last part; nil for a key of another table.
func knownBeside(k toml.Key) (names []string) {
	for _, f := range (ownTables{}).keys() {
		if len(f.Path) == len(k) && f.Path[0] == k[0] { // a board can have any name
			names = append(names, f.Path[len(f.Path)-1])
		}
	}
	return names
}

// boards lists the boards by name.
func (o *ownTables) boards() (list []fleet.Board) {
	for _, name := range slices.Sorted(maps.Keys(o.Board)) {
		b := o.Board[name]
		b.Name = name
		list = append(list, b)
	}
	return list
}

// Boards lists the boards of the configuration file, by name.
func (o Paths) Boards() ([]fleet.Board, error) {
	own, err := o.OwnTables()
	return own.boards(), err
}

// OwnTables reads the tables.
func (o Paths) OwnTables() (ownTables, error) {
	file, err := o.ConfigFile()
	if err != nil {
		return ownTables{}, err
	}
	source, err := configText(file)
	if err != nil {
		return ownTables{}, err
	}
	own, faults := readOwn(file, source)
	return own, first(faults)
}

// keys lists all keys of the tables, those of a board with any name first.
func (o ownTables) keys() []ConfigKey {
	list := workload.Fields(toml.Key{"notify"}, o.Notify)
	list = append(list, workload.Fields(toml.Key{"meter"}, o.Meter)...)
	list = append(list, workload.Fields(toml.Key{"board", workload.AnyName}, fleet.Board{})...)
	for _, b := range o.boards() {
		list = append(list, workload.Fields(toml.Key{"board", b.Name}, b)...)
	}
	return list
}

// configKeys lists all keys of the tables with value, default and line.
func (o *ownTables) configKeys(file, source string) ([]ConfigKey, error) {
	var none map[string]any
	meta, err := tomlfile.Decode(file, source, &none)
	if err != nil {
		return nil, err
	}
	list := o.keys()
	for i := range list {
		list[i].Default = reflect.Zero(reflect.TypeOf(list[i].Value)).Interface() // the same for all
		if meta.IsDefined(list[i].Path...) {
			list[i].Line = tomlfile.Line(source, list[i].Path)
		}
	}
	return list, nil
}

package session

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/profiles/workload"
)

// ownTables are the tables of the configuration file that are read here.
type ownTables struct {
	Notify Notify `toml:"notify"`
}

// fault is what is wrong with the value of a key.
type fault struct {
	key toml.Key
	why error
}

// readOwn reads them, with everything that is wrong.
func readOwn(file, source string) (own ownTables, faults []error) {
	meta, err := tomlfile.Decode(file, source, &own)
	if err != nil {
		return ownTables{}, []error{err}
	}
	found := own.Notify.faults()
	for _, k := range meta.Undecoded() {
		if known := knownBeside(k); known != nil {
			last := k[len(k)-1]
			found = append(found, fault{k, fmt.Errorf("unknown key %s; the nearest is %s; known are %s",
				text.Clip(k.String()), text.Nearest(last, known), strings.Join(known, " "))})
		}
	}
	for _, f := range found {
		faults = append(faults, tomlfile.At(file, source, f.key, f.why))
	}
	return own, faults
}

// knownBeside lists the names that may stand in the place of a key's last one; nil for a key of
// another table.
func knownBeside(k toml.Key) (names []string) {
	for _, f := range (ownTables{}).keys() {
		if len(f.Path) == len(k) && f.Path[0] == k[0] {
			names = append(names, f.Path[len(f.Path)-1])
		}
	}
	return names
}

// keys lists every key of them.
func (o ownTables) keys() []ConfigKey { return workload.Fields(toml.Key{"notify"}, o.Notify) }

// configKeys lists every key of them with its value, default and line.
func (o ownTables) configKeys(file, source string) ([]ConfigKey, error) {
	var none map[string]any
	meta, err := tomlfile.Decode(file, source, &none)
	if err != nil {
		return nil, err
	}
	list, was := o.keys(), ownTables{}.keys()
	for i := range list {
		list[i].Default = was[i].Value
		if meta.IsDefined(list[i].Path...) {
			list[i].Line = tomlfile.Line(source, list[i].Path)
		}
	}
	return list, nil
}

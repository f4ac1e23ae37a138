package config

import (
	"errors"

	"github.com/BurntSushi/toml"
)

// MeterTable is the table [meter] of the configuration file: a power meter in the supply, which measures what the
// module's rails do not cover: carrier board, disks, the power supply itself. Without the table nothing is read.
type MeterTable struct {
	// Command prints watts, one line per reading. It is started once.
	Command []string `toml:"command"`
	// File contains the latest reading in watts.
	File string `toml:"file"`
}

// faults lists the invalid values.
func (m MeterTable) faults() (out []fault) {
	add := func(key, why string) {
		out = append(out, fault{toml.Key{"meter", key}, errors.New("[meter] " + key + ": " + why)})
	}
	if m.Command != nil && (len(m.Command) == 0 || m.Command[0] == "") {
		add("command", "names no program; remove the key for none")
	}
	if m.Command != nil && m.File != "" {
		add("file", "give command or file, not both")
	}
	return out
}

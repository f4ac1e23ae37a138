// Package nvpmodel reads and writes NVIDIA's power mode configuration
// (/etc/nvpmodel.conf).
//
//	nvpmodel.conf ──► Parse ──► Config ──► presets, JSON
//	Config + Target ──► Block ──► POWER_MODEL text
package nvpmodel

import "io"

// Config is one nvpmodel.conf. It marshals to the JSON of
// `jtune convert nvpmodel`.
type Config struct{}

// Error is a line that could not be read.
type Error struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Parse reads leniently whatever it can; Config.Errors names the lines it
// could not. The error is the reader's.
func Parse(r io.Reader) (*Config, error) { panic("not yet") }

// Target is a mode in nvpmodel's own terms.
type Target struct {
	CoresOn []int // indexes of the online cores
	CPUKHz  int64
	GPUHz   int64
	EMCHz   int64            // 0: no cap
	Masks   map[string]int64 // argument name (TPC_PG_MASK) → mask in force
}

// Block prints a POWER_MODEL section for t with the configuration's own
// parameter names, a free id, and name.
func Block(c *Config, t Target, name string) (string, error) { panic("not yet") }

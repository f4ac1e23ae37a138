package record

import (
	"errors"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra/sweep"
)

const (
	// mostBytes is the largest file of a folder that is read into memory.
	mostBytes = 128 << 20
	// mostRaw is the largest file of raw lines whose lines are read: all modes of the largest board take 3 GB.
	mostRaw = 4 << 30
	// mostRows is the most lines of modes.csv, of all kinds: three times the modes of the largest board.
	mostRows = 100_000
)

// most returns the size up to which a file of that name is read: modes.csv holds no raw data.
func most(name string) int64 {
	if name == modesName {
		return mostBytes / 2
	}
	return mostBytes
}

// errClosed is returned by writes to a record after Close.
var errClosed = errors.New("the campaign's record is closed")

// unmarked returns a header without sweep.VirtualColumn, its last column where it has it.
func unmarked(header []string) []string {
	if n := len(header) - 1; n >= 0 && header[n] == sweep.VirtualColumn {
		return header[:n]
	}
	return header
}

var errRows = safefile.BoundError(modesName + " has more than " + text.Thousands(mostRows) + " rows")

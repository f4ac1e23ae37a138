// Package kept remembers which mode was kept last on each board, and says when a board has left it: since when, and
// what did it as far as the board shows. Nothing runs between its calls.
//
//	apply, screens ──► Remember, Forget ──► kept.toml ──► Last ──► verify, Left ──► doctor, Live, exporter
package kept

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/tomlfile"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tui/session"
)

// keptName is the file in the data directory that records the last kept mode of each board.
const keptName = "kept.toml"

const (
	mostKept      = 64 << 10 // bytes
	mostKeptLines = 100      // boards
)

// keptModes are the last kept modes of all boards.
type keptModes struct {
	Kept []keptMode `toml:"kept"`
}

type keptMode struct {
	Board   string    `toml:"board"`
	Virtual bool      `toml:"virtual,omitempty"`
	Mode    string    `toml:"mode"` // cores,cpu_khz,gpu_hz,mem_hz
	Free    bool      `toml:"free,omitempty"`
	When    time.Time `toml:"when"`
}

func (k keptMode) of(s *session.Session) bool {
	b := s.Device.Board()
	return k.Board == b.Name && k.Virtual == b.Virtual
}

func keptFile(s *session.Session) string { return filepath.Join(s.DataPath(), keptName) }

func read(s *session.Session) (k keptModes, err error) {
	data, err := safefile.ReadIfThere(keptFile(s), mostKept)
	if err == nil {
		_, err = tomlfile.Decode(keptFile(s), string(data), &k)
	}
	return k, err
}

// Remember records which mode is kept on the board, absent: none, for jtune verify and for the watch over it. A file
// that does not parse is replaced.
func Remember(s *session.Session, m tegra.Val[tegra.Mode], free bool) error {
	if _, err := os.Lstat(keptFile(s)); !m.OK && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(s.DataPath(), 0o755); err != nil { // a mode may be set before anything is measured
		return err
	}
	return safefile.Update(keptFile(s), mostKept, func(before []byte) ([]byte, error) {
		var k keptModes
		_, _ = tomlfile.Decode(keptFile(s), string(before), &k)
		k.Kept = slices.DeleteFunc(k.Kept, func(k keptMode) bool { return k.of(s) })
		if b := s.Device.Board(); m.OK {
			mode := strings.Join(sweep.ModeFields(m.V), ",")
			k.Kept = append(k.Kept, keptMode{b.Name, b.Virtual, mode, free, time.Now()})
		}
		k.Kept = k.Kept[max(0, len(k.Kept)-mostKeptLines):]
		return tomlfile.Encode(keptName,
			"# Which mode jtune kept last on each board. Nothing is set because of this file.", k)
	})
}

// Last returns the last kept mode of the board.
func Last(s *session.Session) (last Mode, err error) {
	k, err := read(s)
	for _, one := range k.Kept {
		if !one.of(s) || err != nil {
			continue
		}
		mode, bad := sweep.ParseMode(strings.Split(one.Mode, ","))
		if bad != nil {
			return last, fmt.Errorf("%s: %w", keptFile(s), bad)
		}
		last = Mode{tegra.Some(mode), one.Free, one.When}
	}
	return last, err
}

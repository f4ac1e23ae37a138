package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"jtune/internal/safefile"
	"jtune/internal/tomlfile"
	"jtune/tegra"
	"jtune/tegra/sweep"
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
	When    time.Time `toml:"when"`
}

func (k keptMode) of(s *Session) bool {
	b := s.Device.Board()
	return k.Board == b.Name && k.Virtual == b.Virtual
}

func readKept(s *Session) (k keptModes, err error) {
	path := filepath.Join(s.DataPath(), keptName)
	data, err := safefile.Read(path, mostKept)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		_, err = tomlfile.Decode(path, string(data), &k)
	}
	return k, err
}

// RememberKept records that a mode was kept on the board, for jtune verify. An unreadable file is replaced.
func RememberKept(s *Session, m tegra.Mode) error {
	k, _ := readKept(s)
	k.Kept = slices.DeleteFunc(k.Kept, func(k keptMode) bool { return k.of(s) })
	b := s.Device.Board()
	k.Kept = append(k.Kept, keptMode{b.Name, b.Virtual, strings.Join(sweep.ModeFields(m), ","), time.Now()})
	k.Kept = k.Kept[max(0, len(k.Kept)-mostKeptLines):]
	var text bytes.Buffer
	text.WriteString("# Which mode jtune kept last on each board. Nothing is set because of this file.\n")
	if err := toml.NewEncoder(&text).Encode(k); err != nil {
		return fmt.Errorf("%s: %w", keptName, err)
	}
	if err := os.MkdirAll(s.DataPath(), 0o755); err != nil { // a mode may be set before anything is measured
		return err
	}
	return safefile.Replace(filepath.Join(s.DataPath(), keptName), text.Bytes())
}

// LastKept returns the last kept mode of the board; absent if none is known.
func LastKept(s *Session) (m tegra.Val[tegra.Mode], err error) {
	k, err := readKept(s)
	for _, one := range k.Kept {
		if !one.of(s) || err != nil {
			continue
		}
		mode, bad := sweep.ParseMode(strings.Split(one.Mode, ","))
		if bad != nil {
			return m, fmt.Errorf("%s: %w", filepath.Join(s.DataPath(), keptName), bad)
		}
		m = tegra.Some(mode)
	}
	return m, err
}

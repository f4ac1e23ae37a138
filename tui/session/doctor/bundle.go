package doctor

import (
	"bytes"
	"fmt"
	"os"
	"os/user"

	"jtune/internal/safefile"
	"jtune/tegra"
	"jtune/tegra/bundle"
	"jtune/tui/session"
)

// WriteBundle writes a scrubbed copy of what jtune reads of this board to a file; Open accepts the file as Sysroot. The
// error wraps tegra.ErrUnsupported on a virtual board.
func WriteBundle(s *session.Session, path string) (bundle.Report, error) {
	if s.Virtual != nil {
		return bundle.Report{}, fmt.Errorf("a bundle is made of a real board, and this one is virtual: %w",
			tegra.ErrUnsupported)
	}
	var people []string
	if u, err := user.Current(); err == nil {
		people = append(people, u.Username, u.Name)
	}
	if name, err := os.Hostname(); err == nil {
		people = append(people, name)
	}
	var out bytes.Buffer
	report, err := bundle.Write(&out, s.FS(), s.Clock, people...)
	if err != nil {
		return report, fmt.Errorf("bundle %s: %w", path, err)
	}
	return report, safefile.Replace(path, out.Bytes())
}

package session

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"syscall"

	"jtune/internal/safefile"
	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tegra/bundle"
)

// WriteBundle writes a scrubbed copy of what jtune reads of this board to a file, which Open takes as the Sysroot.
// An error wraps tegra.ErrUnsupported on a virtual board.
func (s *Session) WriteBundle(path string) (bundle.Report, error) {
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
	report, err := bundle.Write(&out, s.fs, s.Clock, people...)
	if err != nil {
		return report, fmt.Errorf("bundle %s: %w", path, err)
	}
	return report, safefile.Replace(path, out.Bytes())
}

// deviceFiles are those of a Jetson: below a folder, or in a bundle, which can only be read.
func deviceFiles(sysroot string) (fsys tegra.FS, bundled bool, err error) {
	f, err := os.OpenFile(sysroot, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return tegra.DiskFS(sysroot), false, nil // which says what is missing
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.IsDir() {
		return tegra.DiskFS(sysroot), false, nil
	}
	data, err := safefile.ReadOpen(f, bundle.MostBytes)
	if err == nil {
		fsys, err = bundle.Read(bytes.NewReader(data))
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w: %s %s: %w", tegra.ErrNoDevice, usage.Sysroot, sysroot, err)
	}
	return fsys, true, nil
}

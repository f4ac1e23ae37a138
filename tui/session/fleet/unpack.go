package fleet

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"jtune/internal/text"
)

// Limits of a part.
const (
	// mostFiles covers a campaign of all 18,096 modes of the largest board, with up to four entries each (folder,
	// knobs, row, output), at three batch sizes.
	mostFiles = 250_000
	mostBytes = 4 << 30
	mostAfter = 1 << 20 // bytes after the end of the archive: tar pads its last block
)

// errTooMuch reports a part beyond these limits.
var errTooMuch = errors.New("more files or bytes than a campaign has")

// unpack writes the regular files of a tar stream to a folder. Links, devices and names outside the folder are errors,
// because the stream comes from another machine.
func unpack(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files, left := 0, int64(mostBytes)
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return afterwards(r)
		}
		if err != nil {
			return err
		}
		name := path.Clean(h.Name)
		files++
		left -= h.Size
		switch {
		case files > mostFiles || left < 0:
			return errTooMuch
		case !filepath.IsLocal(name):
			return fmt.Errorf("%q leads outside the folder", text.Clip(h.Name))
		case name == ".":
			continue
		case h.Typeflag == tar.TypeDir:
			if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			continue
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%q is not a regular file", text.Clip(h.Name))
		}
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

// afterwards reads the data after the end of an archive.
func afterwards(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, mostAfter+1))
	if n > mostAfter {
		return errTooMuch
	}
	return err
}

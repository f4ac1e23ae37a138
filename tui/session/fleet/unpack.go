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

// Bounds of a part.
const (
	// mostFiles are the files of a campaign of all modes of the largest board, 18,096, with up to four entries each
	// (folder, knobs, row, output), at three batch sizes.
	mostFiles = 250_000
	mostBytes = 4 << 30
	mostAfter = 1 << 20 // bytes after the end of the archive: tar fills its last block
)

// errTooMuch is the error for a part beyond the bounds.
var errTooMuch = errors.New("more files or bytes than a campaign has")

// unpack writes the regular files of a tar stream below a folder. Links, devices and names that lead
// elsewhere are errors: the stream is of another machine.
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
			return fmt.Errorf("%q leads elsewhere", text.Clip(h.Name))
		case name == ".":
			continue
		case h.Typeflag == tar.TypeDir:
			if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			continue
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%q is no regular file", text.Clip(h.Name))
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

// afterwards reads what follows the end of an archive.
func afterwards(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, mostAfter+1))
	if n > mostAfter {
		return errTooMuch
	}
	return err
}

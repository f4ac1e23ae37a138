package tegratest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Trees returns the tree of each of Boards by name.
func Trees() map[string]*Tree {
	out := map[string]*Tree{}
	for _, b := range Boards() {
		out[b.Name] = b.New()
	}
	return out
}

// Archives returns the trees of a folder's archives NAME.tar.gz, which have a board's files below "root", by name.
func Archives(t testing.TB, folder string) map[string]*Tree {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*.tar.gz"))
	check(t, err)
	out := map[string]*Tree{}
	for _, name := range found {
		tr, err := unpack(name)
		check(t, err)
		out[strings.TrimSuffix(filepath.Base(name), ".tar.gz")] = tr
	}
	return out
}

// unpack reads an archive. A folder without files, which stands for a file that cannot be read, ends in "/".
func unpack(name string) (*Tree, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	tr := &Tree{Files: map[string]string{}, Links: map[string]string{}}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(h.Name, "root")
		switch h.Typeflag {
		case tar.TypeReg:
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			tr.Files[name] = string(text)
		case tar.TypeSymlink:
			tr.Links[name] = h.Linkname
		case tar.TypeDir:
			tr.Files[strings.TrimSuffix(name, "/")+"/"] = ""
		}
	}
	for name := range maps.Clone(tr.Files) {
		for dir := filepath.Dir(name); dir != "/"; dir = filepath.Dir(dir) {
			if dir+"/" != name {
				delete(tr.Files, dir+"/")
			}
		}
	}
	return tr, nil
}

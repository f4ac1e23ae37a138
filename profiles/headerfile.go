package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

// lastKey is the last one of every campaign.toml.
var lastKey = toml.Key{"settings", "keep_fan"}

// writeHeader writes campaign.toml whole or not at all.
func writeHeader(dir string, h Header) error {
	var b bytes.Buffer
	b.WriteString("# What was measured, on what, and how. Written once by jtune; modes.csv holds the results.\n")
	if err := toml.NewEncoder(&b).Encode(h); err != nil {
		return fmt.Errorf("campaign.toml: %w", err)
	}
	path := filepath.Join(dir, headerName)
	err := writeSynced(path+".tmp", b.Bytes())
	if err == nil {
		err = Own(path + ".tmp")
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("campaign.toml: %w%s", err, remedy(err))
	}
	return nil
}

func writeSynced(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// readHeader reads campaign.toml of a folder.
func readHeader(dir string) (Header, error) {
	var h Header
	path := filepath.Join(dir, headerName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, fmt.Errorf("%s is no campaign folder: it has no %s", dir, headerName)
	}
	if err != nil {
		return h, fmt.Errorf("campaign folder: %w", err)
	}
	meta, err := toml.Decode(string(text), &h)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", path, err)
	case h.Format != headerFormat:
		err = fmt.Errorf("%s: format %d, this jtune reads format %d", path, h.Format, headerFormat)
	case !meta.IsDefined(lastKey...) || !bytes.HasSuffix(text, []byte("\n")):
		err = fmt.Errorf("%s is cut off: it does not say how the rows beside it were measured; take it from a copy of the folder", path)
	}
	return h, err
}

package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"jtune/internal/safefile"
	"jtune/internal/tomlfile"
	"jtune/profiles/record/csvlines"
	"jtune/tegra/metric"
)

// lastKey is the last key of every campaign.toml.
var lastKey = toml.Key{"settings", "keep_fan"}

// writeHeader writes campaign.toml atomically.
func writeHeader(dir string, h Header) error {
	body, err := h.Text()
	if err != nil {
		return err
	}
	if _, err := ParseHeader(headerName, body); err != nil { // of a text from elsewhere that is too long
		return fmt.Errorf("what was to be written could not be read again: %w", err)
	}
	if err := safefile.Replace(filepath.Join(dir, headerName), body); err != nil {
		return fmt.Errorf("campaign.toml: %w%s", err, csvlines.Remedy(err))
	}
	return nil
}

// Text returns the header as campaign.toml; ParseHeader reads it.
func (h Header) Text() ([]byte, error) {
	return tomlfile.Encode(headerName,
		"# What was measured, on what, and how. Written once by jtune; modes.csv holds the results.", h)
}

// readHeader reads campaign.toml of a folder.
func readHeader(dir string) (Header, error) {
	var h Header
	path := filepath.Join(dir, headerName)
	text, err := safefile.Read(path, tomlfile.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return h, fmt.Errorf("%s is not a campaign folder: it has no %s", dir, headerName)
	}
	if err != nil {
		return h, fmt.Errorf("campaign folder: %w", err)
	}
	return ParseHeader(path, text)
}

// ParseHeader reads campaign.toml; path names it in errors.
func ParseHeader(path string, text []byte) (h Header, err error) {
	meta, err := tomlfile.Decode(path, string(text), &h)
	switch {
	case err != nil:
	case h.Format != headerFormat:
		err = fmt.Errorf("%s: format %d, this jtune reads format %d", path, h.Format, headerFormat)
	case h.Search != nil && h.Search.Limits == nil:
		h.Search.Limits = goalsOfOld(path, string(text))
	}
	switch {
	case err != nil:
	case !meta.IsDefined(lastKey...) || !bytes.HasSuffix(text, []byte("\n")):
		err = fmt.Errorf(
			"%s is cut off: it does not describe how the rows were measured; restore it from a copy of the folder",
			path,
		)
	}
	return h, err
}

// goalsOfOld returns the goals of a header that an older version of jtune wrote.
func goalsOfOld(path, text string) []metric.Goal {
	var first struct{ Search metric.Goal }
	var more struct {
		Search struct {
			More []metric.Goal `toml:"more_limits"`
		}
	}
	_, _ = tomlfile.Decode(path, text, &first) // it was decoded before
	_, _ = tomlfile.Decode(path, text, &more)
	return append([]metric.Goal{first.Search}, more.Search.More...)
}

// CampaignDir reports whether path is a campaign folder, or the table in one.
func CampaignDir(path string) (string, bool) {
	dir := path
	if filepath.Base(path) == "modes.csv" {
		dir = filepath.Dir(path)
	}
	_, err := os.Stat(filepath.Join(dir, "campaign.toml"))
	return dir, err == nil
}

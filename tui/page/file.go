package page

import (
	"errors"
	"os"
	"strings"

	"jtune/internal/figure"
	"jtune/tui/export"
)

// File is one form in which something is exported: the ending of its name, and
// what it holds.
type File struct{ Ending, Text string }

// FigureFiles are a figure as it is drawn, and its values.
func FigureFiles(f figure.Figure) ([]File, error) {
	var table, document strings.Builder
	err := errors.Join(export.FigureCSV(&table, f), export.FigureJSON(&document, f))
	return []File{
		{Ending: "svg", Text: export.FigureSVG(f)},
		{Ending: "csv", Text: table.String()},
		{Ending: "json", Text: document.String()},
	}, err
}

// FromHome shortens a path below the user's home as shells do.
func FromHome(path string) string {
	home, err := os.UserHomeDir()
	if rest, below := strings.CutPrefix(path, home+"/"); err == nil && below && home != "/" {
		return "~/" + rest
	}
	return path
}

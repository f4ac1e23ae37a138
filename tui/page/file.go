package page

import (
	"errors"
	"os"
	"strings"

	"jtune/internal/figure"
	"jtune/tui/export"
)

// File is one exported form: the ending of its file name, and its content.
type File struct{ Ending, Text string }

// FigureFiles exports a figure as a drawing and as its values.
func FigureFiles(f figure.Figure) ([]File, error) {
	var table, document strings.Builder
	err := errors.Join(export.FigureCSV(&table, f), export.FigureJSON(&document, f))
	return []File{
		{Ending: "svg", Text: export.FigureSVG(f)},
		{Ending: "csv", Text: table.String()},
		{Ending: "json", Text: document.String()},
	}, err
}

// FromHome abbreviates the user's home directory in a path to ~.
func FromHome(path string) string {
	home, err := os.UserHomeDir()
	if rest, below := strings.CutPrefix(path, home+"/"); err == nil && below && home != "/" {
		return "~/" + rest
	}
	return path
}

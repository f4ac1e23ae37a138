package page

import (
	"errors"
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

package report

import (
	"fmt"
	"io"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/text"
)

// plainWidth is the width of sentences where no terminal breaks them.
const plainWidth = 80

// Print writes parts of a page as text. draw draws a figure; nil: there is none.
func Print(w io.Writer, draw func(figure.Figure) error, parts ...document.Part) (err error) {
	for _, p := range parts {
		switch p := p.(type) {
		case document.Break:
			_, err = fmt.Fprintln(w)
		case document.Line:
			_, err = fmt.Fprintln(w, string(p))
		case document.Heading:
			err = folded(w, string(p), "")
		case document.Text:
			err = folded(w, string(p), "")
		case document.Claim:
			_, err = fmt.Fprintln(w, p.Text)
		case document.Item:
			err = folded(w, "- "+string(p), "  ")
		case document.Code:
			_, err = fmt.Fprintln(w, string(p))
		case document.Facts:
			err = fitted(w, p.Known(), false)
		case document.Table:
			err = grid(w, p)
		case document.Drawing:
			err = draw(p.Figure)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folded writes a sentence whose further lines are indented. A terminal breaks it at its own width.
func folded(w io.Writer, sentence, indent string) error {
	if named, ok := w.(interface{ Named(text string) string }); ok {
		sentence = named.Named(sentence)
	}
	if Columns(w) == 0 {
		sentence = text.Fold(sentence, indent, plainWidth)
	}
	_, err := fmt.Fprintln(w, sentence)
	return err
}

// grid writes a table, which may have no titles, without the columns that are empty from top to bottom.
func grid(w io.Writer, t document.Table) error {
	rows := t.Rows
	if t.Head != nil {
		rows = append([][]string{t.Head}, rows...)
	}
	empty := map[int]bool{}
	for _, r := range rows {
		for i, cell := range r {
			_, known := empty[i]
			empty[i] = cell == "" && (empty[i] || !known)
		}
	}
	filled := make([][]string, len(rows))
	for k, r := range rows {
		for i, cell := range r {
			if !empty[i] {
				filled[k] = append(filled[k], cell)
			}
		}
	}
	return fitted(w, filled, t.Head != nil)
}

// Package document represents a page to read on paper or in a browser: headings, sentences, tables and
// figures in order. All texts are plain: the writer of a format escapes them.
//
//	session: what is known ──► Document ──► export: HTML, Markdown
package document

import "jtune/internal/figure"

// Document is one page.
type Document struct {
	Title string
	Mark  string // large text at the top, such as a mark of simulated data; ""
	About string // one line below the title
	Parts []Part
}

// Part is a piece of a page.
type Part interface{ part() }

// Heading begins a section.
type Heading string

// Text is a paragraph.
type Text string

// Line is a short text that is never folded.
type Line string

// Item is an entry of a list.
type Item string

// Break is an empty line in text.
type Break struct{}

// Claim is a paragraph in large letters; Tone is its meaning.
type Claim struct {
	Text string
	Tone Tone
}

// Tone is the meaning of a claim; its words say the same.
type Tone int

// Tones.
const (
	Plain Tone = iota
	Good
	Bad
)

// Code is lines to copy.
type Code string

// Facts are pairs of a name and its value; "" where it has none.
type Facts [][2]string

// Known returns the facts that have a value.
func (f Facts) Known() (list [][]string) {
	for _, one := range f {
		if one[1] != "" {
			list = append(list, one[:])
		}
	}
	return list
}

// Table has rows below column titles, if there are any. Columns from Numbers on hold numbers.
type Table struct {
	Head    []string
	Rows    [][]string
	Numbers int
}

// Drawing is a figure.
type Drawing struct{ figure.Figure }

func (Heading) part() {}
func (Text) part()    {}
func (Line) part()    {}
func (Item) part()    {}
func (Break) part()   {}
func (Claim) part()   {}
func (Code) part()    {}
func (Facts) part()   {}
func (Table) part()   {}
func (Drawing) part() {}

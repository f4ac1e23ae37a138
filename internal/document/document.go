// Package document is the value of one page that people read on paper or in a browser: headings, sentences, tables and
// figures in their order. All its texts are plain: the writer of a format escapes them.
//
//	session: what is known ──► Document ──► export: HTML, Markdown
package document

import "jtune/internal/figure"

// Document is one page.
type Document struct {
	Title string
	Mark  string // in large letters above everything, such as that it was simulated; ""
	About string // one line below the title
	Parts []Part
}

// Part is a piece of a page.
type Part interface{ part() }

// Heading begins a section.
type Heading string

// Text is a paragraph.
type Text string

// Claim is a paragraph in large letters; Tone says how it is meant.
type Claim struct {
	Text string
	Tone Tone
}

// Tone is how a claim is meant; its words say the same.
type Tone int

// Tones.
const (
	Plain Tone = iota
	Good
	Bad
)

// Code is lines to be copied.
type Code string

// Facts are names with what they are.
type Facts [][2]string

// Table is rows below the titles of their columns. Columns from Numbers on hold numbers.
type Table struct {
	Head    []string
	Rows    [][]string
	Numbers int
}

// Drawing is a figure.
type Drawing struct{ figure.Figure }

func (Heading) part() {}
func (Text) part()    {}
func (Claim) part()   {}
func (Code) part()    {}
func (Facts) part()   {}
func (Table) part()   {}
func (Drawing) part() {}

package export

import (
	_ "embed" // style
	"fmt"
	"html"
	"strings"
	"unicode"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/text"
)

// pageStyle is the style of a page: it fits a phone and prints on A4; a dark screen gets a dark background, a printer
// does not. The colours of figures are attributes, which CSS rules override.
//
//go:embed page.css
var pageStyle string

// DocumentHTML writes a page as one self-contained file: no script, and no address that a browser would load. Its
// content security policy forbids both.
func DocumentHTML(d document.Document) string {
	var b strings.Builder
	title := html.EscapeString(d.Title)
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n", title, pageStyle)
	if d.Mark != "" {
		fmt.Fprintf(&b, "<p class=\"mark\">%s</p>\n", html.EscapeString(d.Mark))
	}
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p class=\"about\">%s</p>\n", title, html.EscapeString(d.About))
	for _, p := range d.Parts {
		partHTML(&b, p)
	}
	b.WriteString("</body>\n</html>\n")
	return text.Plain(b.String())
}

func partHTML(b *strings.Builder, p document.Part) {
	switch p := p.(type) {
	case document.Heading:
		fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(string(p)))
	case document.Text:
		fmt.Fprintf(b, "<p>%s</p>\n", html.EscapeString(string(p)))
	case document.Line:
		partHTML(b, document.Text(p))
	case document.Claim:
		class := [...]string{"claim", "claim good", "claim bad"}[p.Tone]
		fmt.Fprintf(b, "<p class=\"%s\">%s</p>\n", class, html.EscapeString(p.Text))
	case document.Code:
		fmt.Fprintf(b, "<pre>%s</pre>\n", html.EscapeString(string(p)))
	case document.Facts:
		b.WriteString("<dl>\n")
		for _, f := range p.Known() {
			fmt.Fprintf(b, "<dt>%s</dt><dd>%s</dd>\n", html.EscapeString(f[0]), html.EscapeString(f[1]))
		}
		b.WriteString("</dl>\n")
	case document.Table:
		tableHTML(b, p)
	case document.Drawing:
		svg := strings.Replace(FigureSVG(p.Figure), ` xmlns="http://www.w3.org/2000/svg"`, ` role="img"`, 1)
		fmt.Fprintf(b, "<figure>\n%s</figure>\n", svg)
	}
}

func tableHTML(b *strings.Builder, t document.Table) {
	row := func(cell string, fields []string) {
		b.WriteString("<tr>")
		for i, f := range fields {
			class := ""
			if i >= t.Numbers {
				class = ` class="n"`
			}
			fmt.Fprintf(b, "<%s%s>%s</%s>", cell, class, html.EscapeString(f), cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<div class=\"wide\"><table>\n<thead>\n")
	row("th", t.Head)
	b.WriteString("</thead>\n<tbody>\n")
	for _, fields := range t.Rows {
		row("td", fields)
	}
	b.WriteString("</tbody>\n</table></div>\n")
}

// DocumentMarkdown writes a page as Markdown. A figure is only named.
func DocumentMarkdown(d document.Document) string {
	var b strings.Builder
	if d.Mark != "" {
		fmt.Fprintf(&b, "# %s\n\n", plainMarkdown(d.Mark))
	}
	fmt.Fprintf(&b, "# %s\n\n%s\n", plainMarkdown(d.Title), plainMarkdown(d.About))
	for _, p := range d.Parts {
		if p != (document.Break{}) {
			b.WriteString("\n")
			partMarkdown(&b, p)
		}
	}
	return text.Plain(b.String())
}

func partMarkdown(b *strings.Builder, p document.Part) {
	switch p := p.(type) {
	case document.Heading:
		fmt.Fprintf(b, "## %s\n", plainMarkdown(string(p)))
	case document.Text:
		fmt.Fprintf(b, "%s\n", plainMarkdown(string(p)))
	case document.Line:
		partMarkdown(b, document.Text(p))
	case document.Claim:
		fmt.Fprintf(b, "**%s**\n", plainMarkdown(p.Text))
	case document.Code:
		for line := range strings.Lines(string(p)) {
			fmt.Fprintf(b, "    %s\n", strings.TrimRight(line, "\n"))
		}
	case document.Facts:
		for _, f := range p.Known() {
			fmt.Fprintf(b, "- %s: %s\n", plainMarkdown(f[0]), plainMarkdown(f[1]))
		}
	case document.Table:
		row := func(fields []string) {
			for _, f := range fields {
				fmt.Fprintf(b, "| %s ", plainMarkdown(f))
			}
			b.WriteString("|\n")
		}
		row(p.Head)
		for i := range p.Head {
			b.WriteString(map[bool]string{false: "|---", true: "|--:"}[i >= p.Numbers])
		}
		b.WriteString("|\n")
		for _, fields := range p.Rows {
			row(fields)
		}
	case document.Drawing:
		fmt.Fprintf(b, "%s\n", plainMarkdown(figureNote(p.Figure)))
	}
}

// figureNote states what a figure shows besides its drawing.
func figureNote(f figure.Figure) string {
	if f.Lacks != "" {
		return f.Title + ": " + f.Lacks
	}
	return f.Title + ": drawn in the HTML report"
}

// plainMarkdown writes a text in one line with all markup escaped.
func plainMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#!|~&", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

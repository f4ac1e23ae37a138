package exporter

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"jtune/internal/text"
	"jtune/tegra"
)

// ContentType is the content type of the text format (Prometheus documentation, "Exposition formats").
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Types of a series.
const (
	gauge   = "gauge"
	counter = "counter"
)

// mostLabel is the longest label value, in characters; longer ones are cut.
const mostLabel = 128

// page is the text of one response. HELP and TYPE of a series are written with its first value, so that a series
// without values leaves nothing.
type page struct {
	buf              []byte
	name, help, kind string
	at               int // where the series begins in buf
	begun            bool
}

// begin starts a series.
func (p *page) begin(name, help, kind string) {
	p.name, p.help, p.kind, p.begun = name, help, kind, false
}

// gauge writes a series of one value without labels.
func (p *page) gauge(name, help string, v value) {
	p.begin(name, help, gauge)
	p.value(v)
}

// info writes a series that carries its information in labels; it skips labels without text.
func (p *page) info(name, help string, labels ...string) {
	p.begin(name, help, gauge)
	p.value(tegra.Some(1.0), labels...)
}

// value adds a value with its labels, given as alternating names and values. It skips values that are absent or not
// finite, and a second value with the same labels (two sensors of the same name).
func (p *page) value(v value, labels ...string) {
	if !v.OK || math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		return
	}
	if !p.begun {
		p.begun = true
		p.buf = append(p.buf, "# HELP "...)
		p.buf = append(p.buf, p.name...)
		p.buf = append(p.buf, ' ')
		p.buf = appendEscaped(p.buf, p.help, false)
		p.buf = append(p.buf, "\n# TYPE "...)
		p.buf = append(p.buf, p.name...)
		p.buf = append(p.buf, ' ')
		p.buf = append(p.buf, p.kind...)
		p.buf = append(p.buf, '\n')
	}
	line := len(p.buf)
	p.buf = append(p.buf, p.name...)
	for i := 0; i+1 < len(labels); i += 2 {
		p.buf = append(p.buf, "{,"[min(i, 1)])
		p.buf = append(p.buf, labels[i]...)
		p.buf = append(p.buf, '=', '"')
		p.buf = appendEscaped(p.buf, labels[i+1], true)
		p.buf = append(p.buf, '"')
	}
	if len(labels) > 0 {
		p.buf = append(p.buf, '}')
	}
	p.buf = append(p.buf, ' ')
	if bytes.Contains(p.buf[p.at:line], append([]byte{'\n'}, p.buf[line:]...)) {
		p.buf = p.buf[:line]
		return
	}
	p.buf = strconv.AppendFloat(p.buf, v.V, 'g', -1, 64)
	p.buf = append(p.buf, '\n')
}

// appendEscaped appends a text without terminal control sequences, cut when very long. It escapes backslashes and line
// feeds, and in a label quotes.
func appendEscaped(buf []byte, s string, label bool) []byte {
	if label && utf8.RuneCountInString(s) > mostLabel {
		s = string([]rune(s)[:mostLabel])
	}
	for _, r := range strings.TrimSpace(text.Plain(s)) {
		switch {
		case r == '\\':
			buf = append(buf, `\\`...)
		case r == '\n':
			buf = append(buf, `\n`...)
		case r == '"' && label:
			buf = append(buf, `\"`...)
		default:
			buf = utf8.AppendRune(buf, r)
		}
	}
	return buf
}

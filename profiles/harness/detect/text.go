package detect

import (
	"strings"
	"unicode/utf8"
)

// mostText is how much of a line is examined.
const mostText = 2048

// plain returns a line without colours, cursor movements, backspaces and surrounding spaces. It returns "" for binary
// data.
func plain(line []byte) string {
	if len(line) > mostText {
		line = line[:mostText]
	} else if !utf8.Valid(line) {
		return ""
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == 0x1b:
			i = escaped(line, i)
		case c == 0:
			return ""
		case c == '\t':
			out = append(out, ' ')
		case c >= ' ' && c != 0x7f:
			out = append(out, c)
		}
	}
	return strings.TrimSpace(string(out))
}

// escaped returns the index of the last byte of the sequence that begins at i.
func escaped(line []byte, i int) int {
	if i+1 >= len(line) || line[i+1] != '[' {
		return i + 1
	}
	for i += 2; i < len(line); i++ {
		if c := line[i]; c >= '@' && c <= '~' {
			return i
		}
	}
	return i
}

// number is a number in a line.
type number struct {
	from, to int // bytes in the line
	v        float64
	whole    bool // no decimals
	glued    bool // follows a letter, a dot or a dash: part of a name, a version or a date
}

// numbers returns the numbers in a line, 40 at most.
func numbers(s string) (out []number) {
	for i := 0; i < len(s) && len(out) < 40; {
		if !digit(s, i) {
			i++
			continue
		}
		n := number{from: i, whole: true, glued: i > 0 && joins(s[i-1], i > 1 && word(s[i-2]))}
		comma := -1
		for v := 0.0; ; i++ {
			if i < len(s) && s[i] == ',' && digit(s, i+1) && digit(s, i+2) && digit(s, i+3) && !digit(s, i+4) &&
				(i-n.from <= 3 || i-comma == 4) { // thousands separator
				comma = i
				continue
			}
			if !digit(s, i) {
				n.v = v
				break
			}
			v = v*10 + float64(s[i]-'0')
		}
		if i < len(s) && s[i] == '.' && digit(s, i+1) {
			n.whole = false
			scale := 0.1
			for i++; digit(s, i); i++ {
				n.v += float64(s[i]-'0') * scale
				scale /= 10
			}
		}
		if i+2 < len(s) && (s[i] == 'e' || s[i] == 'E') && (s[i+1] == '-' || s[i+1] == '+') && digit(s, i+2) {
			exp := 0
			for i += 2; digit(s, i) && exp < 400; i++ {
				exp = exp*10 + int(s[i]-'0')
			}
			n.whole = false
			if s[i-1] != 0 && strings.Contains(s[n.from:i], "-") {
				exp = -exp
			}
			n.v *= pow10(exp)
		}
		n.to = i
		out = append(out, n)
	}
	return out
}

func pow10(e int) float64 {
	v := 1.0
	for range min(max(e, -e), 300) {
		v *= 10
	}
	if e < 0 {
		return 1 / v
	}
	return v
}

func digit(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func word(c byte) bool { return letter(c) || c >= '0' && c <= '9' }

// joins reports whether a byte before a number makes it part of something longer.
func joins(c byte, afterWord bool) bool {
	return letter(c) || c == '_' || (c == '.' || c == '-') && afterWord
}

// words returns the last words of a text in lower case, in their order.
func words(s string, most int) []string {
	s = s[max(0, len(s)-160):]
	f := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z')
	})
	return f[max(0, len(f)-most):]
}

// drawing reports whether bars and spinners are drawn with a rune.
func drawing(r rune) bool {
	return strings.ContainsRune("#=>.-*|", r) || r >= '\u2500' && r <= '\u259f' || r >= '\u2800' && r <= '\u28ff'
}

// template replaces the numbers in a text and removes spaces and bars, so that two lines of one kind are equal.
func template(s string) string {
	s = s[max(0, len(s)-200):]
	var b strings.Builder
	space := false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '0' && r <= '9':
			j := i
			for j < len(s) && (digit(s, j) || s[j] == '.' || s[j] == ',' && digit(s, j+1)) {
				j++
			}
			b.WriteByte('#')
			i, space = j, false
			continue
		case r == ' ', r == utf8.RuneError, drawing(r):
			if !space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = true
		default:
			b.WriteRune(r)
			space = false
		}
		i += size
	}
	return strings.TrimSpace(b.String())
}

func clip(s string) string {
	r := []rune(s)
	if len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}

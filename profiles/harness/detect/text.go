package detect

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostText is how much of a line is examined, mostNumbers how many of its numbers.
const mostText, mostNumbers = 16 << 10, 400

// plain returns a line without colours, cursor movements, backspaces and surrounding spaces. It returns "" for binary
// data.
func plain(line []byte) string {
	line = line[:min(len(line), mostText)]
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == 0x1b:
			i = escaped(line, i)
		case c == 0:
			return ""
		case c == '\t':
			out = append(out, ' ')
		case c > 0x7f && noBreak(line[i:]) > 0:
			i += noBreak(line[i:]) - 1
			between := byte(' ')
			if n := len(out); n > 0 && i+1 < len(line) {
				if l, r := out[n-1], line[i+1]; min(l, r) >= '0' && max(l, r) <= '9' {
					between = '\'' // of thousands
				}
			}
			out = append(out, between)
		case c >= ' ' && c != 0x7f:
			out = append(out, c)
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(out), "?")) // such as Latin-1
}

// noBreak returns the length of a no-break space at the start of a text; 0 if there is none.
func noBreak(s []byte) int {
	for _, space := range []string{"\u00a0", "\u202f"} {
		if len(s) >= len(space) && string(s[:len(space)]) == space {
			return len(space)
		}
	}
	return 0
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
	from, to  int // bytes in the line
	v         float64
	step      float64 // its resolution: 1000 of 12K
	whole     bool    // no decimals
	glued     bool    // follows a letter, a dot or a dash: part of a name, a version or a date
	ambiguous bool    // 20,073: its comma may be a decimal one
	namesNext bool    // the word after it is the name of the next number, not its own unit
}

// numbers returns the numbers in a line: 12, 1,234, 1'234, 0.5, 0,5, 1e-5, 1.2k.
func numbers(s string) (out []number) {
	for i := 0; i < len(s) && len(out) < mostNumbers; {
		if !digit(s, i) {
			i++
			continue
		}
		n := number{from: i, whole: true, step: 1, glued: i > 0 && joins(s[:i])}
		digits := make([]byte, 0, 16)
		run := func() {
			for ; digit(s, i); i++ {
				if len(digits) < 40 {
					digits = append(digits, s[i])
				}
			}
		}
		run()
		groups := 0
		for group(s, n.from, i) && i-n.from <= 3+4*groups && s[n.from] != '0' {
			i++
			run()
			groups++
		}
		n.ambiguous = groups == 1 && s[i-4] == ','
		point := i+1 < len(s) && s[i] == '.' && digit(s, i+1)
		if point || i+1 < len(s) && groups == 0 && decimalComma(s, n.from, i) {
			n.whole, n.ambiguous = false, false
			digits = append(digits, '.')
			i++
			run()
		}
		if exponent(s, i) {
			n.whole = false
			digits = append(digits, 'e', s[i+1])
			i += 2
			run()
		}
		n.v, _ = strconv.ParseFloat(string(digits), 64)
		if scale := multiple(s, i); scale > 1 {
			decimals := 0
			if at := strings.IndexByte(string(digits), '.'); at >= 0 {
				decimals = len(digits) - at - 1
			}
			n.v, n.step, n.whole = math.Round(n.v*scale), scale/math.Pow(10, float64(decimals)), true
			i++
		}
		n.to = i
		out = append(out, n)
	}
	return out
}

// place is what one place of the lines showed: the last whole number, its usual step, and how often that came.
type place struct {
	last, step float64
	again      int
	joined     bool // its thousands are separated
}

// joined reads numbers whose thousands are separated by a point, a space or a low line, where the lines before show
// it: 999 and then 1.000 go on by their step, and a whole number has a whole end.
func (d *Detector) joined(line string, nums []number) []number {
	for i := 0; i < min(mostLoose, len(nums)); i++ {
		n := &nums[i]
		at := template(line[:n.from])
		p := d.places[at]
		if p == nil {
			if len(d.places) >= mostKinds {
				break
			}
			p = &place{}
			d.places[at] = p
		}
		v, to := thousands(line, n.from)
		goes := v - p.last
		on := p.joined && goes >= 0 && goes <= farther*p.step || p.again > 1 && goes == p.step && n.v != p.last+p.step
		end := i > 0 && nums[i-1].whole && line[nums[i-1].to:n.from] == "/"
		if to >= n.to && v >= 1000 && (on || end && line[to-4] != ' ') {
			n.v, n.to, n.whole, p.joined = v, to, true, p.joined || on
			for i+1 < len(nums) && nums[i+1].from < to {
				nums = slices.Delete(nums, i+1, i+2)
			}
		}
		if goes = n.v - p.last; n.whole && goes != 0 {
			if p.again++; goes != p.step && !p.joined {
				p.step, p.again = goes, 0
			}
			p.last = n.v
		}
	}
	return nums
}

// thousands reads a number in groups of three digits behind the same point, space or low line, and returns its end.
func thousands(s string, from int) (v float64, to int) {
	for to = from; digit(s, to) && to < from+3; to++ {
		v = 10*v + float64(s[to]-'0')
	}
	for sep := to; to < len(s) && s[to] == s[sep] && strings.IndexByte(". _", s[to]) >= 0 && three(s, to+1); to += 4 {
		group, _ := strconv.Atoi(s[to+1 : to+4])
		v = 1000*v + float64(group)
	}
	return v, to
}

// three reports whether just three digits begin at i.
func three(s string, i int) bool {
	return digit(s, i) && digit(s, i+1) && digit(s, i+2) && !digit(s, i+3)
}

// group reports whether a separator of thousands and three digits follow the digits of s[from:i]. A space is one only
// beside the stroke of a ratio: 1 000/10 000.
func group(s string, from, i int) bool {
	if i >= len(s) || !three(s, i+1) {
		return false
	}
	switch s[i] {
	case '\'':
		return true
	case ',': // not in a list such as 5,310,2.3
		return i+4 >= len(s) || s[i+4] != ',' || !digit(s, i+5) || group(s, from, i+4)
	case ' ':
		return from > 0 && s[from-1] == '/' || strings.HasPrefix(strings.TrimLeft(s[i+4:], " 0123456789"), "/") &&
			!strings.HasPrefix(s[i+4:], " /")
	}
	return false
}

// decimalComma reports whether the comma at i is one of a decimal number, not of a list or of a date.
func decimalComma(s string, from, i int) bool {
	if s[i] != ',' || !digit(s, i+1) || from > 0 && strings.IndexByte(",.:", s[from-1]) >= 0 {
		return false
	}
	for i++; digit(s, i); i++ {
	}
	return i >= len(s) || s[i] != '.' && !(s[i] == ',' && digit(s, i+1))
}

// multiple returns the factor of the letter behind a number, such as 1000 of 12k; 1 for none.
func multiple(s string, i int) float64 {
	switch {
	case i >= len(s), i+1 < len(s) && word(s[i+1]):
		return 1
	case s[i] == 'k', s[i] == 'K':
		return 1e3
	case s[i] == 'M':
		return 1e6
	}
	return 1
}

// exponent reports whether the exponent of a number begins at i: e-05.
func exponent(s string, i int) bool {
	return i+2 < len(s) && (s[i] == 'e' || s[i] == 'E') && (s[i+1] == '-' || s[i+1] == '+') && digit(s, i+2)
}

func digit(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func word(c byte) bool { return letter(c) || c >= '0' && c <= '9' }

// joins reports whether the end of a text makes a number after it part of something longer, such as a version or a
// time.
func joins(s string) bool {
	c, before := s[len(s)-1], byte(' ')
	if len(s) > 1 {
		before = s[len(s)-2]
	}
	return letter(c) || c == '_' || word(before) && (c == '.' || c == '-' || c == ':' && !letter(before))
}

// words returns the last words of a text in lower case, in their order.
func words(s string, most int) []string {
	s = s[max(0, len(s)-160):]
	f := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r < utf8.RuneSelf && (r < 'a' || r > 'z') })
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
			for j < len(s) && (digit(s, j) || s[j] == '.' || s[j] == ',' && digit(s, j+1) || exponent(s, j)) {
				if exponent(s, j) {
					j++ // its sign
				}
				j++
			}
			b.WriteByte('#')
			i, space = j, false
			continue
		case r == '-' && digit(s, i+1) && (i == 0 || !word(s[i-1])): // a sign
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

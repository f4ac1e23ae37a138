package tomlfile

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Limits of a file. The decoder itself has none: nesting and dotted keys of a few hundred kilobytes take gigabytes of
// memory.
const (
	MaxSize  = 1 << 20 // bytes of a file
	maxDepth = 32      // of brackets, and of the names in a dotted key
	maxKeys  = 10_000  // with tables, without elements of arrays
)

// MostFaults is the maximum number of faults listed for one file.
const MostFaults = 50

// Decode decodes the text of a file. An error is one line with the file and, if known, the line.
func Decode(file, text string, into any) (toml.MetaData, error) {
	if len(text) > MaxSize {
		return toml.MetaData{}, fmt.Errorf("%s: larger than %d bytes", file, MaxSize)
	}
	if line, why := beyond(text); line > 0 {
		return toml.MetaData{}, fmt.Errorf("%s: line %d: %s", file, line, why)
	}
	meta, err := toml.Decode(text, into)
	if err != nil {
		return meta, Error(file, err)
	}
	return meta, nil
}

// Encode returns a value as the text of a file that jtune writes, which begins with a comment line. The error names the
// file.
func Encode(file, comment string, v any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(comment + "\n")
	if err := toml.NewEncoder(&b).Encode(v); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b.Bytes(), nil
}

// beyond returns the line where brackets or dotted keys are nested too deeply, or with too many keys before it; 0 if
// none.
func beyond(text string) (line int, why string) {
	line = 1
	depth, dots, keys := 0, 0, 0
	for len(text) > 0 {
		if skip := stringOrComment(text); skip > 0 {
			line += strings.Count(text[:skip], "\n")
			text = text[skip:]
			continue
		}
		switch text[0] {
		case '[', '{':
			if depth == 0 && text[0] == '[' {
				keys++ // a table; or an array, whose key is counted with it
			}
			depth++
			dots = 0
		case ']', '}':
			depth = max(depth-1, 0)
		case '.':
			dots++
		case '\n':
			line++
			dots = 0
		case '=', ',':
			if text[0] == '=' {
				keys++
			}
			dots = 0
		}
		switch {
		case depth > maxDepth:
			return line, fmt.Sprintf("a value is deeper than %d levels", maxDepth)
		case dots > maxDepth:
			return line, fmt.Sprintf("a key is deeper than %d levels", maxDepth)
		case keys > maxKeys:
			return line, fmt.Sprintf("more than %d keys and tables", maxKeys)
		}
		text = text[1:]
	}
	return 0, ""
}

// stringOrComment returns the length of the string or comment at the start of text; 0 if there is none.
func stringOrComment(text string) int {
	if text[0] == '#' {
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			return i
		}
		return len(text)
	}
	for _, quote := range []string{`"""`, "'''", `"`, "'"} {
		if strings.HasPrefix(text, quote) {
			return quoted(text, quote)
		}
	}
	return 0
}

// quoted returns the length of a string with this quote, up to where it must end if it is not closed.
func quoted(text, quote string) int {
	for i := len(quote); i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\\' && quote[0] == '"':
			i++
		case text[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(text)
}

package cli

import (
	"errors"
	"io"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestLinesAreReadOneByOneWhateverTheirLength(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestLine+1)
	for _, c := range []struct {
		name, text string
		want       []string // "!" for a line that is too long
	}{
		{"nothing", "", nil},
		{"lines", "a\nb\n", []string{"a", "b"}},
		{"Windows line ends", "a\r\nb\r\n", []string{"a", "b"}},
		{"no end of the last line", "a\n\nb", []string{"a", "", "b"}},
		{"a line of the greatest length", long[2:] + "\nb", []string{long[2:], "b"}},
		{"a line that is too long is passed over", "a\n" + long + "\nb\n", []string{"a", "!", "b"}},
		{"too long at the end", "a\n" + long, []string{"a", "!"}},
	} {
		next := scan(t.Context(), strings.NewReader(c.text))
		var got []string
		for {
			text, err := next(0)
			if errors.Is(err, io.EOF) {
				break
			}
			if errors.Is(err, errLongLine) {
				text = "!"
			} else if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got = append(got, text)
		}
		must.Equal(t, got, c.want, c.name)
	}
}

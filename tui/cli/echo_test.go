package cli

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// foreign matches an escape that begins neither a colour nor the erasing of a line.
var foreign = regexp.MustCompile("\x1b(?:[^\\[]|\\[[\\d;:]{0,32}[^\\d;:mK]|$)")

// Only text and colours of a command's output reach the terminal, however its writes are split.
func TestEchoShowsTextAndColoursAlone(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 5000)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	noise = bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == escape {
			return 0
		}
		return r
	}, append(bytes.Repeat([]byte{0, 0xff}, 5000), noise...))
	for _, c := range []struct{ name, in, want string }{
		{"colours and a title", "\x1b]0;evil\a\x1b[2J\x1b[31mred\x1b[0m\x1b(B end\n",
			"\x1b[31mred\x1b[0mB end\n"},
		{"a bar that clears its line", "\r\x1b[2K\x1b[38;5;4m█\x1b[m 1/10\n", "\r\x1b[2K\x1b[38;5;4m█\x1b[m 1/10\n"},
		{"a colour that is not reset", "\x1b[1;31mred\n", "\x1b[1;31mred\n\x1b[0m"},
		{"sequences like colours", "\x1b[?1m\x1b[>4;2m\x1b[" + strings.Repeat("1;", 40) + "m\x1b[3A\x1b[6n.\n", ".\n"},
		{"a title that another escape ends", "\x1b]2;evil\x1b\\a\n", "a\n"},
		{"a sequence without an end stops at its line", "\x1b]0;evil\nnext\n", "\nnext\n"},
		{"a bar", "\r 10%|█▏ | 1/10\r 20%|██ | 2/10\n", "\r 10%|█▏ | 1/10\r 20%|██ | 2/10\n"},
		{"a byte of another encoding", "Gr\xf6sse 3 of 7, all is well\n", "Gr?sse 3 of 7, all is well\n"},
		{"binary between lines", "a\n" + string(noise) + "\nb\n",
			fmt.Sprintf("a\nb\n(not shown: %d,%03d bytes that are no text)\n", (len(noise)+1)/1000,
				(len(noise)+1)%1000)},
	} {
		for _, step := range []int{1, 3, 1 << 20} {
			if step == 1 && strings.Contains(c.in, "\xf6") {
				continue // a single byte looks like binary output
			}
			var out bytes.Buffer
			e := &echo{to: &out}
			for b := []byte(c.in); len(b) > 0; b = b[min(step, len(b)):] {
				if n, err := e.Write(b[:min(step, len(b))]); err != nil || n != min(step, len(b)) {
					t.Fatal(n, err)
				}
			}
			e.end()
			if got := out.String(); step > 3 && got != c.want || strings.ContainsAny(got, "\x00\a") ||
				foreign.MatchString(got) {
				t.Errorf("%s, %d bytes at a time: %q, want %q", c.name, step, got, c.want)
			}
		}
	}
}

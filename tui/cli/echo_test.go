package cli

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
)

// The output of a command reaches the terminal as plain text, however its writes are split.
func TestEchoShowsTextAlone(t *testing.T) {
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
		{"colours and a title", "\x1b]0;evil\a\x1b[2J\x1b[31mred\x1b[0m\x1b(B end\n", "redB end\n"},
		{"a title that another escape ends", "\x1b]2;evil\x1b\\a\n", "a\n"},
		{"a sequence without an end stops at its line", "\x1b]0;evil\nnext\n", "\nnext\n"},
		{"a bar", "\r 10%|█▏ | 1/10\r 20%|██ | 2/10\n", "\r 10%|█▏ | 1/10\r 20%|██ | 2/10\n"},
		{"a byte of another encoding", "Gr\xf6sse 3 of 7, all is well\n", "Gr\xf6sse 3 of 7, all is well\n"},
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
			if got := out.String(); step > 3 && got != c.want || strings.ContainsAny(got, "\x1b\x00\a") {
				t.Errorf("%s, %d bytes at a time: %q, want %q", c.name, step, got, c.want)
			}
		}
	}
}

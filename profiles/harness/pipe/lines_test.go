package pipe

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"jtune/internal/tools/reliability"
)

func TestReaderReadsBarsBeforeTheyEnd(t *testing.T) {
	t.Parallel()
	var got []string
	EachDraw(iotest.OneByteReader(strings.NewReader("ab\rc\n\nd")), func(text []byte, whole bool) {
		mark := "~"
		if whole {
			mark = "."
		}
		got = append(got, string(text)+mark)
	})
	if want := "a~ ab~ ab. c~ c. . d~ d."; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
	got = nil
	EachDraw(strings.NewReader("\x1b[1Gone 1/9\x1b[0K\x1b[1Gtwo 2/9\x1b[0K\nend"), func(text []byte, whole bool) {
		got = append(got, string(text))
	})
	if want := []string{"", "one 1/9\x1b[0K", "two 2/9\x1b[0K", "end", "end"}; !slices.Equal(got, want) {
		t.Errorf("a bar that node draws: %q, want %q", got, want)
	}
	long := strings.Repeat("x", 3*Longest) + "y\n"
	EachDraw(strings.NewReader(long), func(text []byte, whole bool) {
		if len(text) > 2*Longest || whole && len(text) > 0 && text[len(text)-1] != 'y' {
			t.Errorf("a piece of %d bytes", len(text))
		}
	})
}

func TestLongLinesAreCut(t *testing.T) {
	t.Parallel()
	var got []int
	text := "one\n\n" + strings.Repeat("x", 3*Longest+5) + "\ntwo\nlast"
	Each(strings.NewReader(text), func(b []byte) { got = append(got, len(b)) })
	want := []int{3, 0, Longest, 3, 4}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("lengths %v, want %v", got, want)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r 10%\r 20%\n\n"))
	f.Add(bytes.Repeat([]byte("x"), Longest+5))
	f.Fuzz(func(t *testing.T, text []byte) {
		defer reliability.Input(t)()
		Each(bytes.NewReader(text), func(line []byte) {
			if len(line) > Longest || bytes.IndexByte(line, '\n') >= 0 {
				t.Errorf("a line of %d bytes", len(line))
			}
		})
		EachDraw(bytes.NewReader(text), func(piece []byte, _ bool) {
			if bytes.ContainsAny(piece, "\r\n") {
				t.Errorf("%q", piece)
			}
		})
	})
}

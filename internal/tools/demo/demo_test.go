package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"

	"jtune/internal/must"
	"jtune/tui"
)

// TestRecordingInTheTreeIsOfThisScript: record again, as the package says, after a step or its words have changed.
func TestRecordingInTheTreeIsOfThisScript(t *testing.T) {
	replay(t, filepath.FromSlash("../../../docs/demo.cast"))
	picture(t, filepath.FromSlash("../../../docs/demo.svg"))
}

// replay requires that a recording shows each step of the tour.
func replay(t *testing.T, path string) {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	frames, err := framesOf(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	headline := regexp.MustCompile(`\d+ % faster than (\S+) `)
	for i, step := range tui.Tour {
		text := textOf(frames[i])
		if !slices.Contains(step.Shows, "the answer") {
			continue
		}
		against := headline.FindStringSubmatch(text)
		for _, name := range append(against[min(1, len(against)):], "answer") { // ● is measured, ○ predicted
			if row := regexp.MustCompile(`(?m)^│ ` + name + ` .* ● `); against == nil || !row.MatchString(text) {
				t.Errorf("%s: the saving is not between two measured modes:\n%s", path, text)
			}
		}
	}
}

func textOf(f frame) string {
	var b strings.Builder
	for _, row := range f.cells {
		for _, cell := range row {
			b.WriteRune(cell.Char)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// picture requires well-formed SVG in which every frame shows VIRTUAL.
func picture(t *testing.T, path string) {
	t.Helper()
	text := must.Read(t, path)
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	frames := strings.Split(string(text), "<g")[1:]
	want := 1 + len(tui.Tour) // and the still picture
	if len(frames) != want {
		t.Errorf("%s has %d frames, want %d", path, len(frames), want)
	}
	for i, f := range frames {
		if !strings.Contains(f, "VIRTUAL") {
			t.Errorf("%s: frame %d does not say that the board is virtual", path, i)
		}
	}
	if len(text) > 200_000 {
		t.Errorf("%s has %d bytes, too many for a README", path, len(text))
	}
}

func TestDemoPictureKeepsColumnsAndColours(t *testing.T) {
	screen := vt10x.New(vt10x.WithSize(8, 1))
	_, _ = screen.Write([]byte("\x1b[1;38;5;130ma  b\x1b[m <\x1b[7m>\x1b[m"))
	got := frame{cellsOf(screen)}.draw()
	for _, want := range []string{`textLength="33.6" class="b" style="fill:` + colour(130) + `">a` + "\u00a0\u00a0" +
		`b</text>`, `&lt;</text>`,
		`fill="` + ground[0] + `"/><text x="62.4" y="25.0" style="fill:` + ground[1] + `">&gt;</text>`} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %s:\n%s", want, got)
		}
	}
}

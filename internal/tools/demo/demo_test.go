package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"

	"jtune/internal/must"
	"jtune/tui"
	"jtune/tui/cli"
)

// TestMain makes the test program jtune for a test that sets JTUNE_TEST_MAIN.
func TestMain(m *testing.M) {
	if os.Getenv("JTUNE_TEST_MAIN") != "" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// TestRecordingCanBeMade runs the script with short pauses: it fails if the program no longer does or prints what the
// demo shows.
func TestRecordingCanBeMade(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	t.Setenv("JTUNE_TEST_MAIN", "1")
	dir := t.TempDir()
	must.NoError(t, run(context.Background(), []string{"-jtune", os.Args[0], "-out", dir, "-fast"}, io.Discard))
	replay(t, filepath.Join(dir, "demo.cast"), true)
	picture(t, filepath.Join(dir, "demo.svg"))
}

// TestRecordingInTheTreeIsOfThisScript: record again with go run ./internal/tools/demo after a step or its words have
// changed.
func TestRecordingInTheTreeIsOfThisScript(t *testing.T) {
	replay(t, filepath.FromSlash("../../../docs/demo.cast"), false)
	picture(t, filepath.FromSlash("../../../docs/demo.svg"))
}

// replay requires that a recording shows each step of the tour.
func replay(t *testing.T, path string, fast bool) {
	t.Helper()
	file, err := os.Open(path)
	must.NoError(t, err)
	defer file.Close()
	frames, err := framesOf(file, fast)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	headline := regexp.MustCompile(`\d+ % faster than (\S+) `)
	for i, step := range tui.Tour {
		text := textOf(frames[i])
		if fast || !slices.Contains(step.Shows, "the answer") {
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

func TestRunesAreNotCutInTheRecording(t *testing.T) {
	c := newCast("test")
	text := "a⣿│é"
	for i := range len(text) {
		c.add(time.Duration(i)*time.Second, []byte(text[i:i+1]))
	}
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(c.String()), "\n")[1:] {
		var event [3]any
		must.NoError(t, json.Unmarshal([]byte(line), &event))
		got.WriteString(event[2].(string))
	}
	if got.String() != text {
		t.Errorf("recorded %q, want %q", got.String(), text)
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

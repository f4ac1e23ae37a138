package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hinshun/vt10x"

	"jtune/tui"
)

// cast collects a recording in asciicast v2: a header, then one line per piece
// of output with its time in seconds.
type cast struct {
	b    strings.Builder
	held []byte // incomplete character at the end of the last output
}

func newCast(title string) *cast {
	c := &cast{}
	c.line(map[string]any{"version": 2, "width": columns, "height": rows, "title": title,
		"env": map[string]string{"TERM": "xterm-256color"}})
	return c
}

func (c *cast) line(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("demo: numbers and text cannot fail to be written")
	}
	c.b.Write(text)
	c.b.WriteByte('\n')
}

// add appends output; it does not split characters.
func (c *cast) add(at time.Duration, output []byte) {
	text := append(c.held, output...)
	end := len(text)
	for back := 1; back <= min(utf8.UTFMax, len(text)); back++ {
		if utf8.RuneStart(text[len(text)-back]) {
			if !utf8.FullRune(text[len(text)-back:]) {
				end = len(text) - back
			}
			break
		}
	}
	c.held = append([]byte(nil), text[end:]...)
	if end > 0 {
		c.line([]any{float64(at.Milliseconds()) / 1000, "o", string(text[:end])})
	}
}

// String returns the file.
func (c *cast) String() string { return c.b.String() }

// framesOf plays a recording and returns, for each step of the tour, the last screen that shows what the step should. A
// step of a fast tour may end before a frame is drawn: it gets the next step's screen. The tour itself continues only
// when the screen shows what a step should.
func framesOf(recording io.Reader, fast bool) ([]frame, error) {
	lines := bufio.NewScanner(recording)
	lines.Buffer(nil, 1<<20)
	var head struct{ Version, Width, Height int }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version != 2 || head.Width != columns ||
		head.Height != rows {
		return nil, fmt.Errorf("a recording of another kind: %.80q", lines.Text())
	}
	screen := vt10x.New(vt10x.WithSize(columns, rows))
	frames := make([]frame, len(tui.Tour))
	last := 0.0
	for lines.Scan() {
		var event [3]any
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		at, ok := event[0].(float64)
		text, isText := event[2].(string)
		if !ok || !isText || event[1] != "o" || at < last {
			return nil, fmt.Errorf("%.80q after %v s", lines.Text(), last)
		}
		last = at
		_, _ = screen.Write([]byte(text))
		shown := screen.String()
		for i, step := range tui.Tour {
			if strings.Contains(shown, tui.TourMark(i)) && step.Met(shown) {
				frames[i] = frame{cellsOf(screen)}
			}
		}
	}
	for i := len(frames) - 1; i >= 0; i-- {
		if fast && frames[i].cells == nil && i+1 < len(frames) {
			frames[i] = frames[i+1]
		}
		if frames[i].cells == nil {
			return nil, fmt.Errorf("the recording never shows step %d, %q; at its end:\n%s", i+1, tui.Tour[i].Shows,
				screen.String())
		}
	}
	return frames, lines.Err()
}
